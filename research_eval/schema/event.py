"""The events that a transcript is made of, in the order in which they happened.

`at_s` is the trial's virtual clock, in seconds since the trial began; `None` where the clock was
real, so that a record holds nothing that differs from one replay to the next.
"""

from typing import Annotated, Literal

from pydantic import AliasChoices, Field

from research_eval.schema.message import FinishReason, ToolCall, Usage
from research_eval.schema.record import Record
from research_eval.schema.source import Evidence
from research_eval.schema.verdict import Verdict

__all__ = [
    "AnswerChecked",
    "Event",
    "Fetched",
    "ModelCalled",
    "PromptRendered",
    "ProviderTry",
    "SearchHit",
    "Searched",
    "ToolCalled",
]


class PromptRendered(Record):
    """The system prompt that the trial began with."""

    kind: Literal["prompt"] = "prompt"
    system_prompt: str
    tools: tuple[str, ...]


class ModelCalled(Record):
    """One model call and its reply."""

    kind: Literal["model"] = "model"
    turn: int
    """Counted from 1 over the whole trial."""
    attempt: int
    """The attempt that this turn works towards, from 1."""
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: FinishReason
    usage: Usage
    model: str = ""
    request_retries: int = 0
    """Times that the request was sent again after an error."""
    notes: tuple[str, ...] | None = None
    """What was repaired in the reply or is odd about it, in stable words; mostly nothing.

    `repaired_call`: a tool call stood in the text. `reasoning_in_text`: reasoning stood there, and
    was taken out. `only_reasoning`: nothing else was in the reply. `replaced_surrogates`:
    characters that UTF-8 cannot hold became U+FFFD. `no_finish_reason`, `unknown_finish_reason`:
    the server did not say, in a known word, why the model stopped.
    """
    latency_s: float | None = None
    """Virtual seconds that the call took."""
    at_s: float | None = None


class ToolCalled(Record):
    """One tool call and whether it worked; what it did to the ledger is in `Searched`, `Fetched`."""

    kind: Literal["tool"] = "tool"
    turn: int
    tool_call_id: str
    tool: str
    arguments: str
    ok: bool
    error: str | None = None
    """What the model was told, when the call failed."""
    result_chars: int = 0
    """Length of what the model got back, in characters."""
    result_sha256: str | None = None
    """Digest of that text, by which the run keeps it once: `RunFolder.result` gives it back."""
    at_s: float | None = None


class SearchHit(Record):
    """One result of a search."""

    url: str
    title: str = ""
    snippet: str = ""
    rank: int
    """Position in the provider's answer, from 1."""
    date: str | None = None
    """The date as the provider wrote it."""
    age: str | None = None
    """The date in the provider's words for people, for instance `3 days ago`, where it has both."""


class ProviderTry(Record):
    """One provider's part in answering a search."""

    provider: str
    outcome: Literal["served", "cached", "empty", "error", "skipped"]
    """`skipped`: the circuit breaker was open and no request went out."""
    error: str | None = None
    """A stable word for the failure, for instance `rate_limited` or `server`."""
    status: int | None = None
    requests: int = 0
    """HTTP requests that went out."""
    waited_s: float | None = None
    """Virtual seconds spent on the limiter and on back-off."""
    latency_s: float | None = None
    breaker_opened: bool = False
    """Whether this try opened the circuit breaker."""


class Searched(Record):
    """A search and who answered it."""

    kind: Literal["search"] = "search"
    query: str
    max_results: int
    served_by: str | None = None
    """The provider whose hits these are; `None` when all failed."""
    hits: tuple[SearchHit, ...] = ()
    tries: tuple[ProviderTry, ...] = ()
    """Every provider that was asked, in order."""
    unrecorded: bool = Field(default=False, validation_alias=AliasChoices("unrecorded", "off_tape"))
    """Whether a request was never recorded, in a replay of the web under a live model."""
    at_s: float | None = None


class Fetched(Record):
    """A fetch and what it reached."""

    kind: Literal["fetch"] = "fetch"
    url: str
    """The URL as it was asked for."""
    final_url: str | None = None
    """Where redirects ended; `None` when nothing was reached."""
    hops: tuple[str, ...] = ()
    """URLs of the redirects between, in order."""
    canonical: str | None = None
    """The page's own canonical URL, where it lies on the same registrable domain and differs."""
    status: int | None = None
    ok: bool
    """Whether a page was opened; a page that is no evidence is still opened."""
    error: str | None = None
    """A stable word for the failure, for instance `http_404`, `blocked`, `timeout`."""
    evidence: Evidence = "ok"
    flags: tuple[str, ...] = ()
    """Notes on the page, for instance `paywall`, `truncated`."""
    title: str | None = None
    encoding: str | None = None
    content_sha256: str | None = None
    content_chars: int | None = None
    from_ledger: bool = False
    """Whether a page fetched before in this trial was served again, without a request."""
    unrecorded: bool = Field(default=False, validation_alias=AliasChoices("unrecorded", "off_tape"))
    at_s: float | None = None


class AnswerChecked(Record):
    """One attempt put to the gate."""

    kind: Literal["gate"] = "gate"
    attempt: int
    """Counted from 1."""
    answer: str
    verdict: Verdict
    corrective: str | None = None
    """The words sent back; `None` when it passed or no retry was left."""
    at_s: float | None = None


Event = Annotated[
    PromptRendered | ModelCalled | ToolCalled | Searched | Fetched | AnswerChecked,
    Field(discriminator="kind"),
]
"""Anything that can happen inside a trial, told apart by `kind`."""
