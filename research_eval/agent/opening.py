"""From settings to an agent of the user's own: how to speak to it, and which code it is."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import httpx

from research_eval.agent.custom import Driver
from research_eval.agent.settings import AgentSettings
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


def open_driver(settings: AgentSettings, around: Surroundings) -> Driver:
    """Return the way to speak to the agent in one trial.

    Raises:
        ConfigError: If the agent is not there, or does not take what it would be given.
    """
    if settings.callable is not None:
        from research_eval.agent.callable import CallableDriver  # noqa: PLC0415  # loads their code

        return CallableDriver(settings.callable, around.transport)
    from research_eval.agent.command import CommandDriver  # noqa: PLC0415  # for commands alone

    return CommandDriver(settings.command, around.base, around.scrub)


def check_custom_agent(settings: AgentSettings) -> None:
    """Refuse an agent of the user's own that is not there, before the first trial.

    Raises:
        ConfigError: If it cannot be loaded, or there is no such program.
    """
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
        scripts = [word for word in settings.command if (base / word).is_file()]
        own = [word for word in scripts if not Path(word).is_absolute()]
        return _digest_of_files(own, base) if own else UNIDENTIFIED
    from research_eval.agent.callable import load_agent  # noqa: PLC0415  # loads their code

    load_agent(settings.callable)
    module = module_of("agent", settings.callable, ())
    code = code_of_module(module) if module else None
    return code.sha256 if code else UNIDENTIFIED


def _digest_of_files(names: list[str] | tuple[str, ...], base: Path) -> str:
    lines = []
    for name in sorted(set(names)):
        try:
            content = (base / name).read_bytes()
        except OSError as exc:
            raise ConfigError(f"agent.files: {name}: cannot be read: {exc.strerror}") from exc
        lines.append(f"{name} {hashlib.sha256(content).hexdigest()}\n")
    return hashlib.sha256("".join(lines).encode()).hexdigest()
