"""Ask a model once, cheaply: whether its server, its key, its name and its tools work."""

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import httpx2

from research_eval.clock import SystemClock
from research_eval.errors import MissingSecretError, ModelError
from research_eval.experiment import Configuration
from research_eval.model import ClosableModel, ModelClient, build_model, is_unknown_model
from research_eval.plugin import fault_of
from research_eval.runner.parts import agent_without_network
from research_eval.runner.pricing import price_of, today
from research_eval.schema import Message, ModelReply, Price, Record, ToolSpec
from research_eval.schema.display import one_line

__all__ = ["MOST_WORDS", "Key", "ModelAnswer", "ask_model"]

PROMPT = "Call the tool fetch with the url https://example.com/ now."
"""What a model is asked; it takes one call and a reply of some tens of tokens."""

REPLY_TOKENS = 2048
"""The longest reply that is paid for; models that reason need some of it."""

MOST_WORDS = 300
"""Characters that are shown of what went wrong."""

Key = Literal["works", "refused", "set", "not set", "none needed"]
"""What is known of an API key; `set` is: nobody knows whether it works."""


class ModelAnswer(Record):
    """What came of asking one model; `None` is: nobody knows."""

    configurations: tuple[str, ...]
    model: str
    is_reachable: bool | None = None
    key: Key
    is_known: bool | None = None
    """Whether the server has the model."""
    calls_tools: bool | None = None
    served_model: str | None = None
    """The model as the server calls it."""
    price: Price | None = None
    fault: str | None = None
    """What went wrong, in one line."""


def known_of_model(group: Sequence[Configuration], secrets: Mapping[str, str]) -> ModelAnswer:
    """Return what is known of the model that the configurations of `group` share, without asking it."""
    from research_eval.model.wire.build import key_name  # noqa: PLC0415  # heavy

    first = group[0]
    name = key_name(first.model)
    return ModelAnswer(
        configurations=tuple(item.name for item in group),
        model=first.model.name,
        key="none needed" if name is None else "set" if secrets.get(name) else "not set",
        price=price_of(first, today()),
    )


async def ask_model(
    group: Sequence[Configuration],
    *,
    transport: httpx2.AsyncBaseTransport,
    secrets: Mapping[str, str],
    base: Path,
) -> ModelAnswer:
    """Send one request to the model that the configurations of `group` share, and tell what came of it.

    Args:
        group: Configurations that ask the same model in the same way.
        transport: The way to its server.
        secrets: API keys by name.
        base: The experiment's folder.
    """
    answer = known_of_model(group, secrets)
    settings = group[0].model.model_copy(update={"request_retries": 0})
    if settings.reasoning is None:
        most = min(settings.max_tokens or REPLY_TOKENS, REPLY_TOKENS)
        settings = settings.model_copy(update={"max_tokens": most})
    try:
        client = build_model(
            settings,
            transport=transport,
            secrets=secrets,
            clock=SystemClock(),
            rng=random.Random(0),
            case_seed="check",
        )
    except MissingSecretError as exc:
        return answer.model_copy(update={"fault": str(exc)})
    agent = agent_without_network(group[0], base)
    asked = (
        Message(role="system", text=agent.tool_set.system_prompt(group[0].agent.prompt)),
        Message(role="user", text=PROMPT),
    )
    found = await _asked(client, asked, agent.tool_set.specs)
    if answer.key == "none needed" and found.get("key") == "works":
        del found["key"]
    return answer.model_copy(update=found)


async def _asked(
    client: ModelClient, messages: Sequence[Message], tools: Sequence[ToolSpec]
) -> dict[str, object]:
    """Return what one call told of a model."""
    try:
        reply = await client.reply(messages, tools)
    except ModelError as exc:
        return _model_fault(exc)
    except Exception as exc:  # noqa: BLE001  # libraries of providers raise anything
        return {"fault": one_line(fault_of(exc), MOST_WORDS)}
    finally:
        if isinstance(client, ClosableModel):
            await client.aclose()
    calls_tools = _is_call(reply, tools)
    return {
        "is_reachable": True,
        "key": "works",
        "is_known": True,
        "calls_tools": calls_tools,
        "served_model": reply.model or None,
        "fault": None if calls_tools else _no_call(reply),
    }


def _model_fault(exc: ModelError) -> dict[str, object]:
    """Return what an error tells of a model: what was reached before it went wrong."""
    found: dict[str, object] = {"fault": one_line(str(exc), MOST_WORDS)}
    if exc.kind in {"connection", "timeout"}:
        return found | {"is_reachable": False}
    found["is_reachable"] = True
    if exc.kind == "auth":
        return found | {"key": "refused"}
    if exc.status is not None and exc.status < 500:
        found["key"] = "works"
    if is_unknown_model(exc):
        return found | {"is_known": False}
    if exc.kind == "other" and "tool" in str(exc).lower():
        return found | {"is_known": True, "calls_tools": False}
    return found


def _is_call(reply: ModelReply, tools: Iterable[ToolSpec]) -> bool:
    """Return whether a reply calls a tool that there is, with arguments that can be read."""
    names = {tool.name for tool in tools}
    return any(call.name in names and _is_object(call.arguments) for call in reply.tool_calls)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _no_call(reply: ModelReply) -> str:
    if reply.finish_reason == "length":
        return "its reply was cut at the limit of tokens before it called a tool"
    said = one_line(reply.text, 80)
    return (
        f'it called no tool, but answered "{said}"; where a server ignores tools, '
        'set model.tool_protocol = "prompted"'
    )
