"""Doubles for tests of one's own: a model that says what it is told to, tools that need no web."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from research_eval.errors import ModelError
from research_eval.schema import Message, ModelReply, ToolCall, ToolSpec, Usage
from research_eval.tool.protocol import ToolOutcome

__all__ = ["ScriptedModel", "ScriptedTool", "call_tool"]


class ScriptedModel:
    """A model that gives its replies in order and remembers what it was shown."""

    def __init__(
        self, replies: Iterable[ModelReply | ModelError | str], *, name: str = "scripted"
    ) -> None:
        """Take the replies: a text is an answer, an error is raised."""
        self.name = name
        self.seen: list[tuple[Message, ...]] = []
        """The messages of every call, in order."""
        self._replies = iter(list(replies))

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Return the next reply of the script.

        Raises:
            ModelError: If the script says so, or is at its end.
        """
        del tools
        self.seen.append(tuple(messages))
        reply = next(self._replies, None)
        if reply is None:
            raise ModelError("the script has no further reply")
        if isinstance(reply, ModelError):
            raise reply
        if isinstance(reply, str):
            return ModelReply(text=reply, usage=Usage(requests=1), model=self.name)
        return reply


class ScriptedTool:
    """A tool that gives its outcomes in order and remembers its arguments."""

    def __init__(
        self, name: str, outcomes: Iterable[ToolOutcome | str], parameters: Iterable[str] = ()
    ) -> None:
        """Take the outcomes, a text is a success, and the names of the tool's parameters."""
        properties = {parameter: {"type": "string"} for parameter in parameters}
        self.spec = ToolSpec(
            name=name,
            description=f"A scripted {name}.",
            parameters={"type": "object", "properties": properties},
        )
        self.calls: list[dict[str, Any]] = []
        self._outcomes = iter(list(outcomes))

    async def __call__(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Return the next outcome of the script."""
        self.calls.append(dict(arguments))
        outcome = next(self._outcomes, ToolOutcome(text="the script is at its end", ok=False))
        return ToolOutcome(text=outcome) if isinstance(outcome, str) else outcome


def call_tool(name: str, arguments: str = "{}", *, call_id: str = "call_1") -> ModelReply:
    """Return a reply that asks for one tool call."""
    call = ToolCall(id=call_id, name=name, arguments=arguments)
    return ModelReply(tool_calls=(call,), finish_reason="tool_calls", usage=Usage(requests=1))
