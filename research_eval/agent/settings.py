"""What a user may set about the agent: how long it may try, and which agent it is."""

from typing import Any, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from research_eval.agent.tool_set import PromptSettings
from research_eval.schema import Record

__all__ = ["AgentSettings"]

OWN = ("callable", "command", "files")
"""Settings of an agent of the user's own; absent from records where they are not set."""


class AgentSettings(Record):
    """How long the agent may try, with which tools, and what its answer looks like."""

    callable: str | None = None
    """`package.module:name` of a Python function or class that is the agent."""
    command: tuple[str, ...] = ()
    """A program and its arguments that is the agent, spoken to in JSON Lines."""
    files: tuple[str, ...] = ()
    """The files whose digest identifies the code of an own agent, relative to the experiment's."""
    max_turns: int = Field(default=16, ge=1)
    """Model calls in one attempt."""
    max_retries: int = Field(default=2, ge=0)
    """Corrective retries after a rejected answer; with none, the one answer is still checked."""
    max_total_tokens: int | None = Field(default=None, ge=1)
    """Tokens of all model calls together, after which no further call is made.

    A trial may pass it by one call: nothing is set aside for a call, and its request does not depend
    on what is left, so that a recording serves under any limit.
    """
    turn_timeout_s: float | None = Field(default=None, gt=0)
    """Seconds for one model call and the tools it asks for, request retries included."""
    trial_timeout_s: float | None = Field(default=None, gt=0)
    """Seconds for the whole trial; an own agent that sets none has 600."""
    tools: tuple[str, ...] | None = None
    """Ids of the tools; `None` is all that the kit has. `fetch` is always there."""
    prompt: PromptSettings = PromptSettings()

    @property
    def is_custom(self) -> bool:
        """Whether an agent of the user's own answers, not the built-in one."""
        return self.callable is not None or bool(self.command)

    @model_validator(mode="after")
    def _can_be_honoured(self) -> Self:
        if self.callable is not None and self.command:
            raise ValueError("callable and command: give one of the two")
        if not self.is_custom:
            if self.files:
                raise ValueError(
                    "files: identifies the code of callable or command; neither is set"
                )
            return self
        for name in ("max_turns", "turn_timeout_s", "prompt"):
            if getattr(self, name) != type(self).model_fields[name].default:
                way = "callable" if self.callable is not None else "command"
                raise ValueError(f"{name}: an agent given by {way} cannot honour it; leave it out")
        return self

    @model_serializer(mode="wrap")
    def _without_what_is_unset(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        for name in OWN:
            if not data.get(name, True):
                del data[name]
        return data
