"""One question on its way to an answer: the messages so far, what they cost, how it ended."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, Self

from research_eval.agent.log import EventLog
from research_eval.agent.tool_set import ToolSet
from research_eval.clock import Clock
from research_eval.errors import ModelError, TrialError
from research_eval.gate.kind import is_harness_alone
from research_eval.model.client import ModelClient
from research_eval.schema import (
    Failure,
    Message,
    ModelCalled,
    ModelReply,
    ToolCall,
    ToolCalled,
    TrialStatus,
    Usage,
    Verdict,
)
from research_eval.schema.outside import read_json, safe_text, safe_value
from research_eval.tool.protocol import ToolOutcome

__all__ = ["Conversation", "NoAnswer", "ending_of"]


Unanswered = Literal["limit", "refused", "cut", "empty", "protocol"]
"""The ways in which a trial ends without an answer, through no fault of the infrastructure."""


class NoAnswer(Exception):  # noqa: N818  # it says what is missing, and never leaves the agent
    """There will be no further answer; not an error of the infrastructure."""

    def __init__(self, status: Unanswered, kind: str, message: str) -> None:
        super().__init__(message)
        self.status: Unanswered = status
        self.kind = kind


_ASK_AGAIN = {
    "empty": "Your reply held no text. Answer the question, or call a tool.",
    "malformed_call": (
        "Your reply held a tool call that cannot be read. Call the tool through the tool interface,"
        " or answer the question."
    ),
    "only_reasoning": (
        "Your reply held your reasoning alone. Write the answer to the question, or call a tool."
    ),
}
"""What a model is told, once an attempt, after a reply that is neither an answer nor a call."""

_UNREADABLE = (
    "the model wrote a tool call that cannot be read;"
    ' tool_protocol = "prompted" in its settings asks for tool calls in plain text'
)


class Conversation:
    """The state of one question; the agent says what comes next."""

    def __init__(self, messages: list[Message]) -> None:
        self.messages = messages
        self.turn = 0
        self.usage = Usage()
        self.status: TrialStatus = "rejected"
        self.text: str | None = None
        self.verdict: Verdict | None = None
        self.failure: Failure | None = None
        self._asked_again_in = 0

    @classmethod
    def begin(cls, prompt: str, history: Iterable[tuple[str, str]], question: str) -> Self:
        """Start with the system prompt, questions and answers from before, and the question."""
        messages = [Message(role="system", text=prompt)]
        for asked, answered in history:
            messages.append(Message(role="user", text=asked))
            messages.append(Message(role="assistant", text=answered))
        messages.append(Message(role="user", text=question))
        return cls(messages)

    async def call_model(
        self, model: ModelClient, tool_set: ToolSet, attempt: int, log: EventLog, clock: Clock
    ) -> ModelReply:
        """Ask the model for its next message.

        Raises:
            ModelError: If its provider failed.
        """
        self.turn += 1
        began = clock.now()
        reply = await model.reply(tuple(self.messages), tool_set.specs)
        self.usage += reply.usage
        log.emit(
            ModelCalled(
                turn=self.turn,
                attempt=attempt,
                text=reply.text,
                tool_calls=reply.tool_calls,
                finish_reason=reply.finish_reason,
                usage=reply.usage,
                model=reply.model,
                request_retries=reply.request_retries,
                notes=reply.notes,
                latency_s=round(clock.now() - began, 6) if clock.is_virtual else None,
            )
        )
        return reply

    def answer(self, reply: ModelReply, attempt: int) -> ModelReply | None:
        """Return `reply` if it is an answer; `None` if the model is to be asked once more.

        Raises:
            NoAnswer: If it was cut short, filtered, is a refusal, or is no answer the second time.
        """
        match reply.finish_reason:
            case "length":
                raise NoAnswer("cut", "length", "the limit of output tokens cut the reply")
            case "content_filter" | "refusal":
                raise NoAnswer("refused", reply.finish_reason, reply.text or "the model declined")
            case "malformed_call":
                missing = NoAnswer("protocol", "malformed_call", _UNREADABLE)
            case _ if reply.text.strip():
                return reply
            case _ if "only_reasoning" in (reply.notes or ()):
                missing = NoAnswer(
                    "empty", "only_reasoning", "the model wrote reasoning alone, twice"
                )
            case _:
                missing = NoAnswer("empty", "empty", "the model replied without text, twice")
        if self._asked_again_in == attempt:
            raise missing
        self._asked_again_in = attempt
        self.messages += [
            Message(role="assistant", text=reply.text.strip() or "(no text)"),
            Message(role="user", text=_ASK_AGAIN[missing.kind]),
        ]
        return None

    async def call_tools(self, reply: ModelReply, tool_set: ToolSet, log: EventLog) -> None:
        """Do what the reply asks for, one call after another, and keep what came back.

        Raises:
            ToolError: If a tool failed in a way that the model cannot work around.
        """
        self.messages.append(_assistant(reply))
        for call in reply.tool_calls:
            outcome = await self.call_tool(call, tool_set, log)
            self.messages.append(
                Message(
                    role="tool",
                    text=outcome.text,
                    tool_call_id=call.id,
                    tool_name=call.name,
                    is_error=not outcome.ok,
                )
            )

    async def call_tool(self, call: ToolCall, tool_set: ToolSet, log: EventLog) -> ToolOutcome:
        """Do one tool call and note it.

        Raises:
            ToolError: If the tool failed in a way that the agent cannot work around.
        """
        outcome = await _call(call, tool_set)
        outcome = outcome.model_copy(update={"text": safe_text(outcome.text)})
        log.emit(
            ToolCalled(
                turn=self.turn,
                tool_call_id=call.id,
                tool=call.name,
                arguments=call.arguments,
                ok=outcome.ok,
                error=None if outcome.ok else outcome.error or outcome.text,
                result_chars=len(outcome.text),
                result_sha256=log.keep(outcome.text),
            )
        )
        return outcome

    def checked(self, text: str, verdict: Verdict) -> None:
        """Keep an answer with its verdict.

        One that was rejected for nothing but what the SSRF guard blocked is an error: nobody knows
        what the model would have read there.
        """
        self.text, self.verdict, self.failure = text, verdict, None
        self.status = "completed" if verdict.passed else "rejected"
        if is_harness_alone(verdict):
            urls = ", ".join(str(one.url) for one in verdict.violations)
            self.status = "error"
            self.failure = Failure(
                kind="blocked", message=f"cited, and blocked by the SSRF guard: {urls}"[:500]
            )

    def retry(self, reply: ModelReply, corrective: str) -> None:
        """Go on after a rejected answer."""
        self.messages += [_assistant(reply), Message(role="user", text=corrective)]

    def end(self, status: TrialStatus, failure: Failure) -> None:
        """End without a further answer; once an answer was rejected, only an error outweighs that."""
        if self.status == "error" and status != "error":
            return
        self.failure = failure
        if self.verdict is None or status == "error":
            self.status = status


def ending_of(exc: NoAnswer | TrialError, turn: int) -> tuple[TrialStatus, Failure]:
    """Return how the trial ends after `exc`."""
    if isinstance(exc, NoAnswer):
        return exc.status, Failure(kind=exc.kind, message=str(exc), turn=turn)
    kind = str(getattr(exc, "kind", type(exc).__name__))
    is_full = isinstance(exc, ModelError) and exc.kind == "context"
    return "limit" if is_full else "error", Failure(kind=kind, message=str(exc), turn=turn)


def _assistant(reply: ModelReply) -> Message:
    return Message(
        role="assistant",
        text=reply.text,
        tool_calls=reply.tool_calls,
        provider_state=reply.provider_state,
    )


async def _call(call: ToolCall, tool_set: ToolSet) -> ToolOutcome:
    tool = tool_set.get(call.name)
    if tool is None:
        known = ", ".join(spec.name for spec in tool_set.specs)
        text = f"There is no tool named {call.name!r}. Use one of: {known}."
        return ToolOutcome(text=text, ok=False, error="unknown_tool")
    arguments = _arguments(call.arguments)
    if arguments is None:
        wanted = _parameter_names(tool.spec.parameters)
        text = f"The arguments are not a JSON object. Send one with these keys: {wanted}."
        return ToolOutcome(text=text, ok=False, error="malformed_arguments")
    return await tool(arguments)


def _arguments(text: str) -> dict[str, Any] | None:
    try:
        value = safe_value(read_json(text or "{}"))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _parameter_names(parameters: dict[str, Any]) -> str:
    names: Sequence[str] = list(parameters.get("properties", {}))
    return ", ".join(names)
