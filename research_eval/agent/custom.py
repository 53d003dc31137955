"""An agent of the user's own in a trial: it asks us for tools, we keep the ledger and check its answers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import NamedTuple, Protocol

from research_eval.agent.conversation import Conversation, NoAnswer, ending_of
from research_eval.agent.log import EventLog
from research_eval.agent.outcome import AgentOutcome, outcome_of
from research_eval.agent.settings import AgentSettings
from research_eval.agent.time_limit import TimeLimit
from research_eval.agent.tool_desk import ToolDesk
from research_eval.agent.tool_set import ToolSet
from research_eval.errors import TrialError
from research_eval.gate import Gate
from research_eval.gate.source import register_given
from research_eval.ledger import SourceRegistry
from research_eval.schema import AnswerChecked, ModelCalled, ToolSpec, Usage
from research_eval.schema.outside import safe_text
from research_eval.tool.kit import ToolKit
from research_eval.waiting import Waits

__all__ = ["Ask", "CustomAgent", "Driver", "Said"]

DEFAULT_TIMEOUT_S = 600.0
"""Seconds of a trial whose settings give none: nothing else stops code that hangs."""


class Ask(NamedTuple):
    """What an agent is asked for: an answer, or a better one."""

    trial_id: str
    question: str
    tools: tuple[ToolSpec, ...]
    timeout_s: float
    """Seconds for the whole trial."""
    attempt: int = 1
    corrective: str | None = None
    """What the gate said of the answer before; `None` for the first one."""


class Said(NamedTuple):
    """What an agent says at the end of an attempt."""

    text: str
    usage: Usage = Usage(requests=1, unmeasured_requests=1)
    """Of model calls that were not told before."""
    model: str = ""
    is_refusal: bool = False
    is_final: bool = False
    """Whether the agent takes no corrective."""


class Driver(Protocol):
    """One way to speak to an agent of the user's own, for one trial."""

    async def answer(self, ask: Ask, desk: ToolDesk) -> Said:
        """Return the agent's next answer.

        Raises:
            AgentError: If it gave none.
        """
        ...

    async def aclose(self) -> None:
        """End whatever the agent left running."""
        ...


class CustomAgent:
    """Lets an agent of the user's own answer, with our tools, ledger and gate."""

    def __init__(
        self,
        settings: AgentSettings,
        driver: Driver,
        *,
        trial_id: str,
        kit: ToolKit,
        ledger: SourceRegistry,
        gate: Gate,
        log: EventLog,
        waits: Waits,
    ) -> None:
        """Put the parts together; the kit's tools share `ledger` and `log` with the agent.

        Raises:
            ConfigError: If the settings ask for a tool that the kit does not have.
        """
        self.settings = settings
        self.tool_set = ToolSet(kit, settings.tools)
        self.ledger = ledger
        self.log = log
        self._driver = driver
        self._trial_id = trial_id
        self._gate = gate
        self._waits = waits
        self._timeout_s = settings.trial_timeout_s or DEFAULT_TIMEOUT_S

    async def run(self, question: str) -> AgentOutcome:
        """Let it answer `question`; whatever goes wrong inside is part of the outcome."""
        began = len(self.log)
        register_given(question, self.ledger)
        conversation = Conversation([])
        desk = ToolDesk(conversation, self.tool_set, self.log)
        ask = Ask(self._trial_id, safe_text(question), self.tool_set.specs, self._timeout_s)
        try:
            async with self._limit():
                await self._attempts(conversation, desk, ask)
        except (NoAnswer, TrialError) as exc:
            conversation.end(*ending_of(exc, conversation.turn))
        finally:
            desk.close()
            await self._driver.aclose()
        return outcome_of(conversation, self.ledger, self.log.events(began))

    def _limit(self) -> AbstractAsyncContextManager[None]:
        """Return the trial's time limit: in seconds that pass, for other people's code needs them."""
        if self._waits.is_virtual:
            return _real_time(self._timeout_s)
        return _held(TimeLimit(self._waits, self._timeout_s, "trial_timeout"))

    async def _attempts(self, conversation: Conversation, desk: ToolDesk, ask: Ask) -> None:
        """Ask for an answer and check it, until one passes or no retry is left."""
        for attempt in range(1, self.settings.max_retries + 2):
            said = await desk.watch(self._driver.answer(ask._replace(attempt=attempt), desk))
            text = safe_text(said.text)
            conversation.turn += 1
            conversation.usage += said.usage
            self.log.emit(_reply(conversation.turn, attempt, text, said))
            if said.is_refusal:
                raise NoAnswer("refused", "refusal", text or "the agent declined")
            if not text.strip():
                raise NoAnswer("empty", "empty", "the agent answered without text")
            verdict = self._gate.check(text, self.ledger)
            is_last = verdict.passed or said.is_final or attempt > self.settings.max_retries
            corrective = None if is_last else self._gate.corrective(verdict)
            conversation.checked(text, verdict)
            self.log.emit(
                AnswerChecked(attempt=attempt, answer=text, verdict=verdict, corrective=corrective)
            )
            if corrective is None:
                return
            self._check_tokens(conversation.usage)
            ask = ask._replace(corrective=corrective)

    def _check_tokens(self, usage: Usage) -> None:
        limit = self.settings.max_total_tokens
        if limit is not None and usage.input_tokens + usage.output_tokens >= limit:
            raise NoAnswer("limit", "tokens", f"no answer within {limit} tokens")


def _reply(turn: int, attempt: int, text: str, said: Said) -> ModelCalled:
    """Return the event of an answer: the last reply of the model behind the agent."""
    return ModelCalled(
        turn=turn,
        attempt=attempt,
        text=text,
        finish_reason="refusal" if said.is_refusal else "stop",
        usage=said.usage,
        model=said.model,
    )


@asynccontextmanager
async def _real_time(seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as exc:
        raise NoAnswer("limit", "trial_timeout", f"no answer within {seconds:g} s") from exc


@asynccontextmanager
async def _held(limit: TimeLimit) -> AsyncIterator[None]:
    async with limit:
        yield
