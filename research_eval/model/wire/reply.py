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
from research_eval.schema import FinishReason, ModelReply, ToolCall, Usage

__all__ = ["from_wire"]

_GENERATED_ID = re.compile(r"pyd_ai_[0-9a-f]+")


def from_wire(response: ModelResponse, *, turn: int) -> ModelReply:
    """Return the reply; `turn` numbers the ids of tool calls that came without one.

    Raises:
        ModelError: If the provider sent an error or nothing in place of a reply.
    """
    parts = _with_own_ids(response.parts, turn)
    if not parts and response.finish_reason == "error":
        raise ModelError("the provider reported an error in place of a reply", kind="server")
    if not parts and _is_foreign(response):
        raise ModelError("the answer holds no reply in the provider's format", kind="malformed")
    calls = tuple(_call(part) for part in parts if isinstance(part, ToolCallPart))
    finish = _finish_reason(response, has_calls=bool(calls))
    text = "".join(part.content for part in parts if isinstance(part, TextPart))
    if finish == "refusal" and not text:
        text = str((response.provider_details or {}).get("refusal", ""))
    return ModelReply(
        text=text,
        tool_calls=calls,
        finish_reason=finish,
        usage=_usage(response),
        model=response.model_name or "",
        provider_state=_state(response, parts),
    )


def _is_foreign(response: ModelResponse) -> bool:
    """Return whether nothing was understood: the wire library takes another format for silence."""
    if response.finish_reason is None:
        return True
    return not response.usage.has_values() and response.provider_response_id is None


def _with_own_ids(parts: Sequence[ModelResponsePart], turn: int) -> list[ModelResponsePart]:
    """Return the parts with an id of ours where the provider gave none, or gave one twice."""
    seen: set[str] = set()
    renamed: list[ModelResponsePart] = []
    for part in parts:
        if isinstance(part, ToolCallPart):
            call_id = part.tool_call_id
            if not call_id or call_id in seen or _GENERATED_ID.fullmatch(call_id):
                call_id = f"call_{turn}_{len(seen) + 1}"
            seen.add(call_id)
            part = replace(part, tool_call_id=call_id)  # noqa: PLW2901  # the renamed one counts
        renamed.append(part)
    return renamed


def _call(part: ToolCallPart) -> ToolCall:
    args = part.args
    text = args if args and isinstance(args, str) else json.dumps(args or {}, ensure_ascii=False)
    return ToolCall(id=part.tool_call_id, name=part.tool_name, arguments=text)


def _finish_reason(response: ModelResponse, *, has_calls: bool) -> FinishReason:
    details = response.provider_details or {}
    match response.finish_reason:
        case "length":
            return "length"
        case "content_filter":
            return "refusal" if _is_refusal(details) else "content_filter"
        case _:
            return "tool_calls" if has_calls else "stop"


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
