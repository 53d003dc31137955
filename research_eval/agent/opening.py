"""From settings to an agent of the user's own: how to speak to it, and which code it is."""

import hashlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import httpx

from research_eval.agent.custom import Driver
from research_eval.agent.settings import AgentSettings, McpPlace
from research_eval.errors import ConfigError
from research_eval.identity import code_of_module
from research_eval.plugin import module_of

__all__ = ["UNIDENTIFIED", "Surroundings", "agent_code", "check_custom_agent", "open_driver"]

UNIDENTIFIED = "unidentified"
"""Stands for the code of an agent of which nobody knows what it is made of."""


class Surroundings(NamedTuple):
    """What an agent of the user's own is given beside the question and the tools."""

    base: Path
    """The folder in which a command runs and to which `files` are relative."""
    transport: httpx.AsyncBaseTransport
    """The way to model APIs, recorded and replayed."""
    scrub: Callable[[str], str] = str
    """Takes secrets out of what the agent's process says."""
    mcp_place: McpPlace | None = None
    """Where an MCP client that connects by itself finds its server."""


def open_driver(settings: AgentSettings, around: Surroundings) -> Driver:
    """Return the way to speak to the agent in one trial.

    Raises:
        ConfigError: If the agent is not there, or does not take what it would be given.
    """
    if settings.callable is not None:
        from research_eval.agent.callable import CallableDriver  # noqa: PLC0415  # loads their code

        return CallableDriver(settings.callable, around.transport)
    if settings.mcp_client is not None:
        _require_mcp()
        from research_eval.agent.mcp_client import McpDriver  # noqa: PLC0415  # an optional extra

        return McpDriver(settings.mcp_client, around.base, around.scrub, around.mcp_place)
    if settings.url is not None:
        from research_eval.agent.remote import UrlDriver  # noqa: PLC0415  # for URLs alone

        return UrlDriver(settings.url, around.transport, around.scrub)
    from research_eval.agent.command import CommandDriver  # noqa: PLC0415  # for commands alone

    return CommandDriver(settings.command, around.base, around.scrub)


def check_custom_agent(settings: AgentSettings, *, is_connected: bool = False) -> None:
    """Refuse an agent of the user's own that is not there, before the first trial.

    Args:
        settings: Which agent.
        is_connected: Whether an MCP client connects by itself.

    Raises:
        ConfigError: If it cannot be loaded, there is no such program, or nobody would connect.
    """
    if settings.mcp_client is not None:
        _require_mcp()
        if settings.mcp_client and is_connected:
            raise ConfigError(
                "agent.mcp_client: names a client, which run and record start; for one that connects"
                " by itself give an empty list"
            )
        if not settings.mcp_client and not is_connected:
            raise ConfigError(
                "agent.mcp_client: an empty list is a client that connects by itself: measure it with"
                " research-eval mcp, or give the words that start it"
            )
    elif is_connected:
        raise ConfigError("agent.mcp_client: is not set; give an empty list")
    if settings.callable is not None:
        from research_eval.agent.callable import check_agent  # noqa: PLC0415  # loads their code

        check_agent(
            settings.callable,
            wants_retries=settings.max_retries not in {0, AgentSettings().max_retries},
        )


def agent_code(settings: AgentSettings, base: Path) -> str:
    """Return the SHA-256 of the agent's code, `unidentified`, or nothing for the built-in agent.

    `files` decide where they are given; else it is a callable's module with what it imports of its own
    project, or those arguments of a command that are files.

    Raises:
        ConfigError: If one of `files` cannot be read, or a callable cannot be imported.
    """
    if not settings.is_custom:
        return ""
    if settings.files:
        return _digest_of_files(settings.files, base)
    if settings.callable is None:
        words = settings.command or settings.mcp_client or ()
        scripts = [word for word in words if (base / word).is_file()]
        own = [word for word in scripts if not Path(word).is_absolute()]
        return _digest_of_files(own, base) if own else UNIDENTIFIED
    from research_eval.agent.callable import load_agent  # noqa: PLC0415  # loads their code

    load_agent(settings.callable)
    module = module_of("agent", settings.callable, ())
    code = code_of_module(module) if module else None
    return code.sha256 if code else UNIDENTIFIED


def _require_mcp() -> None:
    if find_spec("mcp") is None:
        raise ConfigError("agent.mcp_client needs the extra: pip install 'research-eval[mcp]'")


def _digest_of_files(names: list[str] | tuple[str, ...], base: Path) -> str:
    lines = []
    for name in sorted(set(names)):
        try:
            content = (base / name).read_bytes()
        except OSError as exc:
            raise ConfigError(f"agent.files: {name}: cannot be read: {exc.strerror}") from exc
        lines.append(f"{name} {hashlib.sha256(content).hexdigest()}\n")
    return hashlib.sha256("".join(lines).encode()).hexdigest()
