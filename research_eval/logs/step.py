"""What every format of a log is read into: a question, replies, results, pages that a provider opened."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from research_eval.schema import Evidence, FinishReason, LedgerFidelity, Usage
from research_eval.schema.outside import read_json, safe_text

__all__ = [
    "Broken",
    "Call",
    "Found",
    "Log",
    "Opened",
    "PersonSaid",
    "Result",
    "Said",
    "Step",
    "Tally",
    "arguments_of",
    "finish_of",
    "text_of",
    "usage_of",
]


class PersonSaid(NamedTuple):
    """A person's words: a question, or what the agent was told of its answer."""

    text: str


class Call(NamedTuple):
    """A tool call that the model wrote."""

    id: str
    name: str
    arguments: Mapping[str, Any]


class Said(NamedTuple):
    """One reply of the model."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: FinishReason = "stop"
    usage: Usage = Usage(requests=1, unmeasured_requests=1)
    model: str = ""
    is_side: bool = False
    """Whether a sub-agent said it: its tool calls count, its words are no answer."""
    continues: bool = False
    """Whether it is a further piece of the reply before, for formats that write replies in pieces."""


class Result(NamedTuple):
    """What a tool gave back."""

    call_id: str
    text: str
    is_error: bool = False
    final_url: str | None = None
    """Where redirects ended, in the few logs that say so."""


class Found(NamedTuple):
    """A search whose hits the log names itself."""

    query: str
    hits: tuple[tuple[str, str, str], ...]
    """URL, title and snippet of each."""
    by: str | None = None
    """Who searched."""


class Opened(NamedTuple):
    """A page that the log itself says was opened, or was not."""

    url: str
    ok: bool = True
    error: str | None = None
    title: str | None = None
    text: str | None = None
    """The page, where the log has it."""
    fidelity: LedgerFidelity = "claimed"
    final_url: str | None = None
    """Where redirects ended, in the few logs that say so."""
    evidence: Evidence = "ok"


class Broken(NamedTuple):
    """What the log says of an error of the infrastructure, after which there is no answer."""

    message: str


Step = PersonSaid | Said | Result | Found | Opened | Broken


class Log(NamedTuple):
    """One conversation of a file, read while it is consumed."""

    id: str | None
    place: str
    """File and line, for people."""
    steps: Iterator[Step]
    model: str | None = None
    has_ledger: bool = True
    """Whether the log could tell what was opened; a finished report cannot."""


class Tally:
    """What an import kept, and what it skipped or refused, by reason."""

    def __init__(self) -> None:
        self.kept = 0
        self.skipped: Counter[str] = Counter()
        """What is left out, and harms no trial that was kept."""
        self.refused: Counter[str] = Counter()
        """Conversations that could not be read."""
        self.first: dict[str, str] = {}
        """Where each reason stood first."""
        self.unmapped: Counter[str] = Counter()
        """Names of tools that no mapping knows."""

    def refuse(self, reason: str, place: str) -> None:
        """Count a conversation that cannot be read."""
        self.refused[reason] += 1
        self.first.setdefault(reason, place)

    def skip(self, reason: str, count: int = 1) -> None:
        """Count what is left out."""
        self.skipped[reason] += count


def text_of(content: object) -> str:
    """Return the text of a message: a string, or the text parts of a list, parted by line ends."""
    if isinstance(content, str):
        return safe_text(content)
    if isinstance(content, Mapping):
        return text_of(content.get("text") or content.get("content") or content.get("output") or "")
    if isinstance(content, list):
        return "\n".join(filter(None, map(text_of, content)))
    return ""


def arguments_of(given: object, tally: Tally) -> Mapping[str, Any]:
    """Return the arguments of a call, which are an object or JSON text; empty if they cannot be read."""
    if isinstance(given, str):
        try:
            given = read_json(given)
        except ValueError:
            tally.skip("arguments of a tool call that are no JSON")
            return {}
    if isinstance(given, Mapping):
        return given
    return {}


_INPUT = ("input_tokens", "prompt_tokens")
_OUTPUT = ("output_tokens", "completion_tokens")


def usage_of(given: object) -> Usage:
    """Return the usage of one reply, under the names that providers write; unmeasured if there is none."""
    if not isinstance(given, Mapping):
        return Usage(requests=1, unmeasured_requests=1)
    sent, generated = _count(given, _INPUT), _count(given, _OUTPUT)
    if sent is None and generated is None:
        return Usage(requests=1, unmeasured_requests=1)
    read = _count(given, ("cache_read_input_tokens",)) or 0
    written = _count(given, ("cache_creation_input_tokens",)) or 0
    return Usage(
        requests=1,
        input_tokens=(sent or 0) + read + written,
        output_tokens=generated or 0,
        cache_read_tokens=read or _nested(given, "cached_tokens", "cache_read"),
        cache_write_tokens=written,
        reasoning_tokens=_nested(given, "reasoning_tokens", "reasoning"),
    )


def _count(given: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        value = given.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12:
            return value
    return None


def _nested(given: Mapping[str, Any], *names: str) -> int:
    """Return a count that stands in one of the objects of details."""
    details = [value for value in given.values() if isinstance(value, Mapping)]
    return next((n for one in details if (n := _count(one, names)) is not None), 0)


FINISHES: dict[object, FinishReason] = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "incomplete": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "refusal": "refusal",
}
"""Reasons to stop that make a reply no answer, in the words of the formats; any other is an answer."""


def finish_of(reason: object, *, has_calls: bool) -> FinishReason:
    """Return why the model stopped."""
    known: FinishReason | None = None
    if isinstance(reason, str):
        known = FINISHES.get(reason.casefold())
    return known or ("tool_calls" if has_calls else "stop")
