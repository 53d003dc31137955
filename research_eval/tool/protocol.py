"""What every tool offers the agent."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from research_eval.schema import Event, Record, ToolSpec

__all__ = ["EmitEvent", "Tool", "ToolOutcome"]

EmitEvent = Callable[[Event], None]
"""Takes an event into the trial's transcript at the moment it happens."""


class ToolOutcome(Record):
    """What a tool call gives back to the model."""

    text: str
    """What the model reads: a result, or what went wrong and what to try instead."""
    ok: bool = True
    error: str | None = None
    """A stable word for the failure."""


class Tool(Protocol):
    """One tool of a kit."""

    spec: ToolSpec

    async def __call__(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Do what is asked; a failure that the model can act on is an outcome, not an exception."""
        ...
