"""The messages of one trial with an agent that is a program or stands at a URL: read, served, checked."""

from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter, ValidationError

from research_eval.agent.custom import Ask, Said
from research_eval.agent.message import (
    AnswerMessage,
    CorrectiveMessage,
    ErrorMessage,
    FromAgent,
    ModelCallMessage,
    QuestionMessage,
    RefusalMessage,
    ToolCallMessage,
    ToolResultMessage,
)
from research_eval.agent.tool_desk import ToolDesk
from research_eval.errors import AgentError
from research_eval.schema import ToolCall
from research_eval.schema.display import one_line
from research_eval.schema.outside import read_json, safe_value

__all__ = ["Dialogue", "opening_message"]

_FROM_AGENT: TypeAdapter[FromAgent] = TypeAdapter(FromAgent)


def opening_message(ask: Ask) -> QuestionMessage | CorrectiveMessage:
    """Return the message that asks for an answer, or for a better one."""
    if ask.corrective is not None:
        return CorrectiveMessage(id=ask.trial_id, attempt=ask.attempt, text=ask.corrective)
    return QuestionMessage(
        id=ask.trial_id, question=ask.question, tools=ask.tools, timeout_s=ask.timeout_s
    )


class Dialogue:
    """What the agent of one trial says, held to the protocol."""

    def __init__(self, name: str, scrub: Callable[[str], str]) -> None:
        """Begin with nothing said.

        Args:
            name: The agent's name, for messages.
            scrub: Takes secrets out of what it says that is no message.
        """
        self._name = name
        self._scrub = scrub
        self._calls: set[str] = set()

    def read(self, line: bytes) -> FromAgent:
        """Return the message of a line of a program's standard output.

        Raises:
            AgentError: If it is none.
        """
        try:
            value = read_json(line)
        except (ValueError, UnicodeDecodeError) as exc:
            shown = one_line(self._scrub(line.decode("utf-8", "replace")), 80)
            raise AgentError(
                f"{self._name}: its standard output holds what is no JSON line: {shown!r}"
                " (send logs to standard error)"
            ) from exc
        return self.check(value)

    def check(self, value: object) -> FromAgent:
        """Return the message that a value is.

        Raises:
            AgentError: If it is none.
        """
        try:
            return _FROM_AGENT.validate_python(safe_value(value))
        except ValidationError as exc:
            first = exc.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            where = f"{place}: " if place else ""
            raise AgentError(f"{self._name}: no message: {where}{first['msg']}") from exc

    async def hear(
        self, message: FromAgent, ask: Ask, desk: ToolDesk
    ) -> Said | ToolResultMessage | None:
        """Do what a message asks for; return the answer, the result of a tool, or nothing.

        Raises:
            AgentError: If it breaks the protocol.
        """
        if isinstance(message, ToolCallMessage):
            return await self._serve(message, ask, desk)
        if isinstance(message, ModelCallMessage):
            desk.told_model_call(message.text, message.usage.usage, message.model, ask.attempt)
            return None
        return self._said(message, ask)

    async def _serve(self, message: ToolCallMessage, ask: Ask, desk: ToolDesk) -> ToolResultMessage:
        if message.call in self._calls:
            raise AgentError(f"{self._name}: two tool calls are called {message.call!r}")
        self._calls.add(message.call)
        arguments = TypeAdapter(dict[str, Any]).dump_json(message.arguments).decode()
        call = ToolCall(id=message.call, name=message.name, arguments=arguments)
        outcome = await desk.call(call)
        return ToolResultMessage(
            id=ask.trial_id,
            call=message.call,
            ok=outcome.ok,
            text=outcome.text,
            error=outcome.error,
        )

    def _said(self, message: AnswerMessage | RefusalMessage | ErrorMessage, ask: Ask) -> Said:
        if message.id != ask.trial_id:
            raise AgentError(
                f"{self._name}: answered the trial {one_line(message.id, 80)!r},"
                f" but was asked by {ask.trial_id!r}"
            )
        match message:
            case AnswerMessage():
                return Said(
                    message.text, message.usage.usage, message.model, is_final=message.final
                )
            case RefusalMessage():
                return Said(message.text, message.usage.usage, is_refusal=True)
            case ErrorMessage():
                raise AgentError(f"{self._name}: {one_line(self._scrub(message.message), 500)}")
