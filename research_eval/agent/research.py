"""The research agent: model and tools in turns, then the gate, then a corrective retry."""

from collections.abc import Sequence
from typing import NamedTuple

from research_eval.agent.conversation import Conversation, NoAnswer, ending_of
from research_eval.agent.log import EventLog
from research_eval.agent.outcome import AgentOutcome, outcome_of
from research_eval.agent.settings import AgentSettings
from research_eval.agent.time_limit import TimeLimit
from research_eval.agent.tool_set import ToolSet
from research_eval.clock import Clock
from research_eval.errors import TrialError
from research_eval.gate import Gate
from research_eval.gate.source import register_given
from research_eval.ledger import SourceRegistry
from research_eval.model.client import ModelClient
from research_eval.schema import AnswerChecked, ModelReply, PromptRendered, Usage
from research_eval.tool.kit import ToolKit
from research_eval.waiting import Waits

__all__ = ["Exchange", "ResearchAgent"]


class Exchange(NamedTuple):
    """What a conversation keeps of a question that was answered."""

    question: str
    answer: str


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
        register_given(question, self.ledger)
        conversation = Conversation.begin(prompt, history, question)
        try:
            limit = TimeLimit(self._waits, self.settings.trial_timeout_s, "trial_timeout")
            async with limit:
                await self._attempts(conversation, limit)
        except (NoAnswer, TrialError) as exc:
            conversation.end(*ending_of(exc, conversation.turn))
        return outcome_of(conversation, self.ledger, self.log.events(began))

    async def _attempts(self, conversation: Conversation, limit: TimeLimit) -> None:
        """Ask for an answer and check it, until one passes or no retry is left."""
        for attempt in range(1, self.settings.max_retries + 2):
            reply = await self._answer(conversation, attempt, limit)
            verdict = self._gate.check(reply.text, self.ledger)
            is_last = verdict.passed or attempt > self.settings.max_retries
            corrective = None if is_last else self._gate.corrective(verdict)
            conversation.checked(reply.text, verdict)
            self.log.emit(
                AnswerChecked(
                    attempt=attempt, answer=reply.text, verdict=verdict, corrective=corrective
                )
            )
            if corrective is None:
                return
            conversation.retry(reply, corrective)

    async def _answer(
        self, conversation: Conversation, attempt: int, limit: TimeLimit
    ) -> ModelReply:
        """Let model and tools take turns until the model answers."""
        for _ in range(self.settings.max_turns):
            self._check_tokens(conversation.usage)
            async with TimeLimit(self._waits, self.settings.turn_timeout_s, "turn_timeout"):
                with self._waits.awaited(self._model.name):
                    reply = await conversation.call_model(
                        self._model, self.tool_set, attempt, self.log, self._clock
                    )
                limit.check()
                if not reply.tool_calls:
                    if (answer := conversation.answer(reply, attempt)) is not None:
                        return answer
                    continue
                await conversation.call_tools(reply, self.tool_set, self.log)
                limit.check()
        raise NoAnswer("limit", "turns", f"no answer after {self.settings.max_turns} model calls")

    def _check_tokens(self, usage: Usage) -> None:
        limit = self.settings.max_total_tokens
        if limit is not None and usage.input_tokens + usage.output_tokens >= limit:
            raise NoAnswer("limit", "tokens", f"no answer within {limit} tokens")
