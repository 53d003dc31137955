"""From a reply of the wire library to ours: text, tool calls, why it stopped, usage."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)

from research_eval.errors import ModelError
from research_eval.model.wire.convert import replayable_arguments
from research_eval.model.wire.said import said_calls, without_reasoning
from research_eval.schema import FinishReason, ModelReply, ToolCall, Usage
from research_eval.schema.outside import safe_text, safe_value

__all__ = ["from_wire"]

_MALFORMED_CALLS = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"})
"""How Gemini says that the model broke the form of a tool call."""

_GENERATED_ID = re.compile(r"pyd_ai_[0-9a-f]+")


def from_wire(
    response: ModelResponse, *, turn: int, tools: Sequence[str] = (), notes: Sequence[str] = ()
) -> ModelReply:
    """Return the reply.

    Args:
        response: What the wire library made of the provider's answer.
        turn: Numbers the ids of tool calls that came without one.
        tools: Names of the tools that the model was offered in the provider's format.
        notes: What was noticed in the answer before.

    Raises:
        ModelError: If the provider sent an error or nothing in place of a reply.
    """
    parts = _with_own_ids(response.parts, turn)
    noted = [*notes]
    if any(_is_unsafe(part) for part in response.parts):
        noted.append("replaced_surrogates")
    finish = _finish_reason(response, parts)
    if not parts and response.finish_reason == "error" and finish != "malformed_call":
        raise ModelError("the provider reported an error in place of a reply", kind="server")
    if not parts and _is_foreign(response) and finish not in {"malformed_call", "content_filter"}:
        raise ModelError("the answer holds no reply in the provider's format", kind="malformed")
    written = "".join(part.content for part in parts if isinstance(part, TextPart))
    calls = tuple(_call(part) for part in parts if isinstance(part, ToolCallPart))
    if finish == "refusal" and not written:
        written = str((response.provider_details or {}).get("refusal", ""))
    text = _said(written, noted)
    if tools and not calls and finish == "stop":
        repaired = _calls_in_text(written, text, turn, tools)
        if repaired is None:
            finish = "malformed_call"
        elif repaired:
            finish, text, calls = "tool_calls", "", repaired
            noted.append("repaired_call")
    has_reasoned = "reasoning_in_text" in noted or any(isinstance(p, ThinkingPart) for p in parts)
    if has_reasoned and not text.strip() and not calls and finish == "stop":
        noted.append("only_reasoning")
    return ModelReply(
        text=text,
        tool_calls=calls,
        finish_reason=finish,
        usage=_usage(response),
        model=safe_text(response.model_name or ""),
        notes=tuple(dict.fromkeys(noted)) or None,
        provider_state=None if "repaired_call" in noted else _state(response, parts),
    )


def _said(text: str, noted: list[str]) -> str:
    """Return the text without reasoning, and note where there was some."""
    said = without_reasoning(text)
    if said != text:
        noted.append("reasoning_in_text")
    return said


def _calls_in_text(
    text: str, said: str, turn: int, tools: Sequence[str]
) -> tuple[ToolCall, ...] | None:
    """Return the calls that a model wrote into its text; `None` if one cannot be read."""
    written = said_calls(said or text, tools)
    if written is None:
        return None
    return tuple(
        ToolCall(id=f"call_{turn}_{number}", name=call.name, arguments=call.arguments)
        for number, call in enumerate(written, 1)
    )


def _is_foreign(response: ModelResponse) -> bool:
    """Return whether nothing was understood: the wire library takes another format for silence."""
    if response.finish_reason is None:
        return True
    return not response.usage.has_values() and response.provider_response_id is None


def _with_own_ids(parts: Sequence[ModelResponsePart], turn: int) -> list[ModelResponsePart]:
    """Return the parts, writable, with an id of ours where the provider gave none or gave one twice."""
    seen: set[str] = set()
    renamed: list[ModelResponsePart] = []
    for part in map(_writable, parts):
        if isinstance(part, ToolCallPart):
            call_id = part.tool_call_id
            if not call_id or call_id in seen or _GENERATED_ID.fullmatch(call_id):
                call_id = f"call_{turn}_{len(seen) + 1}"
            seen.add(call_id)
            part = replace(part, tool_call_id=call_id)  # noqa: PLW2901  # the renamed one counts
        renamed.append(part)
    return renamed


def _is_unsafe(part: ModelResponsePart) -> bool:
    values = (getattr(part, name, None) for name in ("content", "args", "tool_name"))
    return any(safe_value(value) is not value for value in values if value is not None)


def _writable(part: ModelResponsePart) -> ModelResponsePart:
    """Return the part with text that UTF-8 can hold."""
    match part:
        case TextPart() | ThinkingPart() if safe_text(part.content) is not part.content:
            return replace(part, content=safe_text(part.content))
        case ToolCallPart():
            fields = ("tool_name", "tool_call_id", "args")
            safe: dict[str, Any] = {name: safe_value(getattr(part, name)) for name in fields}
            return replace(part, **safe)
        case _:
            return part


def _call(part: ToolCallPart) -> ToolCall:
    args = part.args
    text = args if args and isinstance(args, str) else json.dumps(args or {}, ensure_ascii=False)
    return ToolCall(id=part.tool_call_id, name=part.tool_name, arguments=text)


def _finish_reason(response: ModelResponse, parts: Sequence[ModelResponsePart]) -> FinishReason:
    details = response.provider_details or {}
    if str(details.get("finish_reason", "")).upper() in _MALFORMED_CALLS:
        return "malformed_call"
    match response.finish_reason:
        case "length":
            return "length"
        case "content_filter":
            return "refusal" if _is_refusal(details) else "content_filter"
        case _:
            return "tool_calls" if any(isinstance(p, ToolCallPart) for p in parts) else "stop"


def _is_refusal(details: dict[str, Any]) -> bool:
    return "refusal" in details or details.get("finish_reason") == "refusal"


def _usage(response: ModelResponse) -> Usage:
    usage = response.usage
    if not usage.has_values():
        return Usage(requests=1, unmeasured_requests=1)
    cost = (response.provider_details or {}).get("cost")
    return Usage(
        requests=1,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        reasoning_tokens=_reasoning_tokens(usage.details),
        reported_cost_usd=float(cost) if isinstance(cost, int | float) else None,
    )


def _reasoning_tokens(details: dict[str, int]) -> int:
    names = ("reasoning_tokens", "thoughts_tokens", "thinking_tokens")
    return next((details[name] for name in names if details.get(name)), 0)


def _state(response: ModelResponse, parts: Sequence[ModelResponsePart]) -> Any:  # noqa: ANN401  # opaque JSON
    """Return what the provider wants back and our own fields cannot carry, or `None`."""
    if not any(_carries_state(part) for part in parts):
        return None
    clean = [
        replace(part, args=replayable_arguments(_call(part).arguments))
        if isinstance(part, ToolCallPart)
        else part
        for part in parts
    ]
    kept = ModelResponse(
        parts=clean,
        model_name=response.model_name,
        provider_name=response.provider_name,
        provider_details=response.provider_details,
        provider_response_id=response.provider_response_id,
    )
    return ModelMessagesTypeAdapter.dump_python([kept], mode="json")[0]


def _carries_state(part: ModelResponsePart) -> bool:
    return isinstance(part, ThinkingPart) or bool(getattr(part, "provider_details", None))
