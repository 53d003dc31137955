"""One question on its way to an answer: the messages so far, what they cost, how it ended."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Self

from research_eval.agent.log import EventLog
from research_eval.agent.tool_set import ToolSet
from research_eval.clock import Clock
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
from research_eval.tool.protocol import ToolOutcome

__all__ = ["Course", "NoAnswer"]


class NoAnswer(Exception):  # noqa: N818  # it says what is missing, and never leaves the agent
    """There will be no further answer; not an error of the infrastructure."""

    def __init__(self, status: Literal["limit", "refused"], kind: str, message: str) -> None:
        super().__init__(message)
        self.status: Literal["limit", "refused"] = status
        self.kind = kind


class Course:
    """The state of one question; the agent says what comes next."""

    def __init__(self, messages: list[Message]) -> None:
        self.messages = messages
        self.turn = 0
        self.usage = Usage()
        self.status: TrialStatus = "rejected"
        self.text: str | None = None
        self.verdict: Verdict | None = None
        self.failure: Failure | None = None

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
                latency_s=round(clock.now() - began, 6) if clock.is_virtual else None,
            )
        )
        return reply

    def answer(self, reply: ModelReply) -> ModelReply:
        """Return `reply` if it is an answer.

        Raises:
            NoAnswer: If it was cut short, filtered or is a refusal.
        """
        match reply.finish_reason:
            case "length":
                raise NoAnswer("limit", "length", "the model's output limit cut the answer short")
            case "content_filter" | "refusal":
                raise NoAnswer("refused", reply.finish_reason, reply.text or "the model declined")
            case _:
                return reply

    async def call_tools(self, reply: ModelReply, tool_set: ToolSet, log: EventLog) -> None:
        """Do what the reply asks for, one call after another, and keep what came back.

        Raises:
            ToolError: If a tool failed in a way that the model cannot work around.
        """
        self.messages.append(_assistant(reply))
        for call in reply.tool_calls:
            outcome = await _call(call, tool_set)
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
            self.messages.append(
                Message(
                    role="tool",
                    text=outcome.text,
                    tool_call_id=call.id,
                    tool_name=call.name,
                    is_error=not outcome.ok,
                )
            )

    def checked(self, text: str, verdict: Verdict) -> None:
        """Keep an answer with its verdict."""
        self.text, self.verdict = text, verdict
        self.status = "completed" if verdict.passed else "rejected"

    def retry(self, reply: ModelReply, corrective: str) -> None:
        """Go on after a rejected answer."""
        self.messages += [_assistant(reply), Message(role="user", text=corrective)]

    def end(self, status: TrialStatus, failure: Failure) -> None:
        """End without a further answer; once an answer was rejected, only an error outweighs that."""
        self.failure = failure
        if self.verdict is None or status == "error":
            self.status = status


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
        value = json.loads(text or "{}")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _parameter_names(parameters: dict[str, Any]) -> str:
    names: Sequence[str] = list(parameters.get("properties", {}))
    return ", ".join(names)
