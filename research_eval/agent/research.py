"""The research agent: model and tools in turns, then the gate, then a corrective retry."""

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import Field

from research_eval.agent.course import Course, NoAnswer
from research_eval.agent.log import EventLog
from research_eval.agent.time_limit import TimeLimit
from research_eval.agent.tool_set import PromptSettings, ToolSet
from research_eval.clock import Clock
from research_eval.errors import ModelError, TrialError
from research_eval.gate import Gate
from research_eval.ledger import SourceRegistry
from research_eval.model.client import ModelClient
from research_eval.schema import (
    AnswerChecked,
    Event,
    Failure,
    ModelReply,
    PromptRendered,
    Record,
    Reference,
    TrialStatus,
    Usage,
    Verdict,
)
from research_eval.tool.kit import ToolKit
from research_eval.waiting import Waits

__all__ = ["AgentOutcome", "AgentSettings", "Exchange", "ResearchAgent"]


class AgentSettings(Record):
    """How long the agent may try, with which tools, and what its answer looks like."""

    max_turns: int = Field(default=16, ge=1)
    """Model calls in one attempt."""
    max_retries: int = Field(default=2, ge=0)
    """Corrective retries after a rejected answer; with none, the one answer is still checked."""
    max_total_tokens: int | None = Field(default=None, ge=1)
    """Tokens of all model calls together, after which no further call is made."""
    turn_timeout_s: float | None = Field(default=None, gt=0)
    """Seconds for one model call and the tools it asks for, request retries included."""
    trial_timeout_s: float | None = Field(default=None, gt=0)
    """Seconds for the whole trial."""
    tools: tuple[str, ...] | None = None
    """Ids of the tools; `None` is all that the kit has. `fetch` is always there."""
    prompt: PromptSettings = PromptSettings()


class Exchange(NamedTuple):
    """What a conversation keeps of a question that was answered."""

    question: str
    answer: str


class AgentOutcome(Record):
    """How one question ended."""

    status: TrialStatus
    answer: str | None = None
    """The answer that passed, or the text that was rejected last."""
    references: tuple[Reference, ...] = ()
    """What a completed answer cites, in citation order."""
    verdict: Verdict | None = None
    """The gate's last ruling, if an answer was put to it."""
    usage: Usage = Usage()
    failure: Failure | None = None
    """Why there is no answer, or no further attempt."""
    transcript: tuple[Event, ...] = ()


class ResearchAgent:
    """Answers questions by searching and fetching, and cites only what it fetched."""

    def __init__(
        self,
        settings: AgentSettings,
        *,
        model: ModelClient,
        kit: ToolKit,
        ledger: SourceRegistry,
        gate: Gate,
        log: EventLog,
        clock: Clock,
        waits: Waits | None = None,
    ) -> None:
        """Put the parts together; the kit's tools share `ledger` and `log` with the agent.

        Model and tools that can be held back, or late, share `waits` with it.

        Raises:
            ConfigError: If the settings ask for a tool that the kit does not have.
        """
        self.settings = settings
        self.tool_set = ToolSet(kit, settings.tools)
        self.ledger = ledger
        self.log = log
        self._model = model
        self._gate = gate
        self._clock = clock
        self._waits = waits or Waits(clock)

    async def run(self, question: str, history: Sequence[Exchange] = ()) -> AgentOutcome:
        """Answer `question`; whatever goes wrong inside is part of the outcome."""
        began = len(self.log)
        prompt = self.tool_set.system_prompt(self.settings.prompt)
        self.log.emit(PromptRendered(system_prompt=prompt, tools=self.tool_set.ids))
        course = Course.begin(prompt, history, question)
        try:
            limit = TimeLimit(self._waits, self.settings.trial_timeout_s, "trial_timeout")
            async with limit:
                await self._attempts(course, limit)
        except (NoAnswer, TrialError) as exc:
            course.end(*_why(exc, course.turn))
        return self._outcome(course, began)

    async def _attempts(self, course: Course, limit: TimeLimit) -> None:
        """Ask for an answer and check it, until one passes or no retry is left."""
        for attempt in range(1, self.settings.max_retries + 2):
            reply = await self._answer(course, attempt, limit)
            verdict = self._gate.check(reply.text, self.ledger)
            is_last = verdict.passed or attempt > self.settings.max_retries
            corrective = None if is_last else self._gate.corrective(verdict)
            course.checked(reply.text, verdict)
            self.log.emit(
                AnswerChecked(
                    attempt=attempt, answer=reply.text, verdict=verdict, corrective=corrective
                )
            )
            if corrective is None:
                return
            course.retry(reply, corrective)

    async def _answer(self, course: Course, attempt: int, limit: TimeLimit) -> ModelReply:
        """Let model and tools take turns until the model answers."""
        for _ in range(self.settings.max_turns):
            self._check_tokens(course.usage)
            async with TimeLimit(self._waits, self.settings.turn_timeout_s, "turn_timeout"):
                with self._waits.awaited(self._model.name):
                    reply = await course.call_model(
                        self._model, self.tool_set, attempt, self.log, self._clock
                    )
                limit.check()
                if not reply.tool_calls:
                    if (answer := course.answer(reply, attempt)) is not None:
                        return answer
                    continue
                await course.call_tools(reply, self.tool_set, self.log)
                limit.check()
        raise NoAnswer("limit", "turns", f"no answer after {self.settings.max_turns} model calls")

    def _check_tokens(self, usage: Usage) -> None:
        limit = self.settings.max_total_tokens
        if limit is not None and usage.input_tokens + usage.output_tokens >= limit:
            raise NoAnswer("limit", "tokens", f"no answer within {limit} tokens")

    def _outcome(self, course: Course, began: int) -> AgentOutcome:
        references: tuple[Reference, ...] = ()
        if course.status == "completed" and course.verdict is not None:
            urls = [url for c in course.verdict.citations for url in (c.url, *c.readings)]
            references = tuple(
                Reference(url=source.url, key=source.key, title=source.title)
                for source in self.ledger.references(urls)
                if source.state == "fetched"
            )
        return AgentOutcome(
            status=course.status,
            answer=course.text,
            references=references,
            verdict=course.verdict,
            usage=course.usage,
            failure=course.failure,
            transcript=self.log.events(began),
        )


def _why(exc: NoAnswer | TrialError, turn: int) -> tuple[TrialStatus, Failure]:
    """Return how the trial ends after `exc`."""
    if isinstance(exc, NoAnswer):
        return exc.status, Failure(kind=exc.kind, message=str(exc), turn=turn)
    kind = str(getattr(exc, "kind", type(exc).__name__))
    is_full = isinstance(exc, ModelError) and exc.kind == "context"
    return "limit" if is_full else "error", Failure(kind=kind, message=str(exc), turn=turn)
