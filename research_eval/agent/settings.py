"""What a user may set about the agent: how long it may try, and which agent it is."""

from typing import Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from research_eval.agent.tool_set import PromptSettings
from research_eval.schema import Record

__all__ = ["WAYS", "AgentSettings", "McpPlace"]


WAYS = ("callable", "command", "mcp_client", "url")
"""Settings that each name an agent of the user's own."""


McpPlace = int | Literal["stdio"]
"""Where an MCP client that connects by itself finds its server: a port of 127.0.0.1, or our standard input."""


class AgentSettings(Record):
    """How long the agent may try, with which tools, and what its answer looks like."""

    callable: str | None = None
    """`package.module:name` of a Python function or class that is the agent."""
    command: tuple[str, ...] = ()
    """A program and its arguments that is the agent, spoken to in JSON Lines."""
    mcp_client: tuple[str, ...] | None = None
    """An MCP client and its arguments that is the agent, with `{question}`, and `{mcp_config}` or
    `{mcp_url}`, in their places; an empty list is a client that connects to `research-eval mcp`."""
    url: str | None = None
    """Where an agent stands to which the messages of a command are posted: `http://` or `https://`."""
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
    def way(self) -> str | None:
        """The setting that names an agent of the user's own; `None` is the built-in agent."""
        ways = [name for name in WAYS if getattr(self, name) != _default(name)]
        return ways[0] if ways else None

    @property
    def is_custom(self) -> bool:
        """Whether an agent of the user's own answers, not the built-in one."""
        return self.way is not None

    @model_validator(mode="after")
    def _can_be_honoured(self) -> Self:
        given = [name for name in WAYS if getattr(self, name) != _default(name)]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)}: give one of them")
        if not given:
            if self.files:
                raise ValueError(
                    "files: identifies the code of an agent of your own; give one of "
                    + ", ".join(WAYS)
                )
            return self
        self._require_places()
        for name in ("max_turns", "turn_timeout_s", "prompt"):
            if getattr(self, name) != _default(name):
                raise ValueError(
                    f"{name}: an agent given by {given[0]} cannot honour it; leave it out"
                )
        return self

    def _require_places(self) -> None:
        """Refuse a URL that leads nowhere, and a client that would not learn where its server is."""
        if self.url is not None:
            parts = urlsplit(self.url)
            if parts.scheme not in {"http", "https"} or not parts.hostname:
                raise ValueError("url: expected http://HOST/… or https://HOST/…")
            if parts.username is not None or parts.password is not None:
                raise ValueError("url: holds a user name or password, which records would show")
        if not self.mcp_client:
            return
        words = " ".join(self.mcp_client)
        if "{question}" not in words:
            raise ValueError("mcp_client: no word holds {question}")
        if "{mcp_config}" not in words and "{mcp_url}" not in words:
            raise ValueError("mcp_client: no word holds {mcp_config} or {mcp_url}")

    @model_serializer(mode="wrap")
    def _without_what_is_unset(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        for name in (*WAYS, "files"):
            if name in data and getattr(self, name) == _default(name):
                del data[name]
        return data


def _default(name: str) -> object:
    return AgentSettings.model_fields[name].default
