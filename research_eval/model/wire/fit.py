"""Fields of a reply that an SDK reads strictly: a value of any shape in, one that fits out.

Servers and gateways between them leave out, rename or null the fields around an answer. The answer
is still an answer, so each format lists what its SDK insists on (`CHAT`, `MESSAGES`, …), and what
does not fit is replaced by "unknown" or left out. Fields that no list names stay as they are.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

__all__ = [
    "ABSENT",
    "CHAT",
    "CHUNK",
    "CONVERSE",
    "GEMINI",
    "MESSAGES",
    "MESSAGE_DELTA",
    "MESSAGE_START",
    "RESPONSE",
    "Fit",
    "block",
]

Fit = Callable[[Any], Any]
"""Takes a value, or `ABSENT` where the field is missing; returns one that fits, or `ABSENT`."""


class _Absent:
    """The value of a field that is not there."""


ABSENT: Final = _Absent()
LIMIT = 2**53
"""No count of a provider is above this, which JSON readers of other languages can hold too."""


def text(otherwise: object = ABSENT) -> Fit:
    """Keep a string."""
    return lambda value: value if isinstance(value, str) else otherwise


def label(otherwise: object = ABSENT) -> Fit:
    """Keep a string; write a number as one."""

    def fit(value: Any) -> Any:  # noqa: ANN401
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return str(value) if is_number else text(otherwise)(value)

    return fit


def whole(otherwise: object = ABSENT) -> Fit:
    """Keep a count that is not negative; round what is not whole."""

    def fit(value: Any) -> Any:  # noqa: ANN401
        if isinstance(value, bool) or not isinstance(value, int | float):
            return otherwise
        return int(value) if 0 <= value <= LIMIT else otherwise

    return fit


def number(value: Any) -> Any:  # noqa: ANN401
    """Keep a number."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else ABSENT


def constant(value: object) -> Fit:
    """Take the one value that the field can have."""
    return lambda _: value


def dropped(_: Any) -> Any:  # noqa: ANN401
    """Leave out what nobody here reads."""
    return ABSENT


def fields(fits: Mapping[str, Fit], otherwise: object = ABSENT) -> Fit:
    """Fit the named fields of an object."""

    def fit(value: Any) -> Any:  # noqa: ANN401
        if not isinstance(value, dict):
            return otherwise
        result = dict(value)
        for name, of_field in fits.items():
            fitted = of_field(result.get(name, ABSENT))
            if fitted is ABSENT:
                result.pop(name, None)
            else:
                result[name] = fitted
        return result

    return fit


def objects(of_item: Fit, otherwise: object = ABSENT) -> Fit:
    """Keep the objects of a list that fit."""

    def fit(value: Any) -> Any:  # noqa: ANN401
        if not isinstance(value, list):
            return otherwise
        items = [of_item(item) for item in value if isinstance(item, dict)]
        return [item for item in items if item is not ABSENT]

    return fit


def of_type(fits: Mapping[str, Fit]) -> Fit:
    """Fit an object by its `type`, and leave out one of a type that is not listed."""

    def fit(value: Any) -> Any:  # noqa: ANN401
        of_kind = fits.get(value["type"]) if isinstance(value.get("type"), str) else None
        return ABSENT if of_kind is None else of_kind(value)

    return fit


def counts(*names: str, otherwise: object = ABSENT) -> Fit:
    """Fit an object of counts: the named ones are there, others only as counts or objects of them."""

    def fit(value: Any) -> Any:  # noqa: ANN401
        if not isinstance(value, dict) or all(whole()(value.get(n)) is ABSENT for n in names):
            return otherwise
        kept = {name: _count(name, item) for name, item in value.items()}
        known = {name: item for name, item in kept.items() if item is not ABSENT}
        known |= {name: 0 for name in names if not isinstance(known.get(name), int)}
        return known

    return fit


def _count(name: str, value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, dict) and name != "cost":
        kept = {inner: _count(inner, item) for inner, item in value.items()}
        return {inner: item for inner, item in kept.items() if item is not ABSENT}
    return number(value) if "cost" in name else whole()(value)


def _content(value: Any) -> Any:  # noqa: ANN401
    """Keep text, or a list of parts; anything else is no content."""
    if isinstance(value, list):
        parts = [part for part in value if isinstance(part, dict) and _part_text(part) is not None]
        return parts if len(parts) == len(value) else "".join(_part_text(p) or "" for p in parts)
    return value if isinstance(value, str) else None


def _part_text(part: Mapping[str, Any]) -> str | None:
    found = part.get("text")
    return found if isinstance(found, str) else None


def _reasoning_detail(value: Any) -> Any:  # noqa: ANN401
    kind = value.get("type")
    wanted = {"reasoning.text": "text", "reasoning.summary": "summary"}
    wanted["reasoning.encrypted"] = "data"
    return value if kind in wanted and isinstance(value.get(wanted[kind]), str) else ABSENT


_CHAT_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
_CHAT_USAGE = counts(*_CHAT_COUNTS)
_CHAT_MESSAGE = {
    "role": constant("assistant"),
    "refusal": text(),
    "annotations": dropped,
    "audio": dropped,
    "reasoning": text(),
    "reasoning_content": text(),
    "reasoning_details": objects(_reasoning_detail),
    "images": dropped,
}
_CHAT_HEAD = {
    "id": label(""),
    "created": whole(0),
    "model": label(""),
    "provider": label("unknown"),
    "service_tier": text(),
    "system_fingerprint": text(),
    "metadata": dropped,
    "moderation": dropped,
    "usage": _CHAT_USAGE,
}
CHAT = fields(
    {
        **_CHAT_HEAD,
        "object": constant("chat.completion"),
        "usage": counts(*_CHAT_COUNTS, otherwise=dict.fromkeys(_CHAT_COUNTS, 0)),
        "choices": objects(
            fields(
                {
                    "index": whole(0),
                    "logprobs": dropped,
                    "native_finish_reason": label(),
                    "message": fields({**_CHAT_MESSAGE, "content": _content}),
                }
            )
        ),
    }
)
"""A chat completion."""

CHUNK = fields(
    {
        **_CHAT_HEAD,
        "object": constant("chat.completion.chunk"),
        "x_groq": fields({"id": label(), "usage": _CHAT_USAGE, "error": text()}),
        "choices": objects(
            fields(
                {
                    "index": whole(0),
                    "logprobs": dropped,
                    "native_finish_reason": label(),
                    "delta": fields({**_CHAT_MESSAGE, "content": _content}, otherwise={}),
                }
            ),
            otherwise=[],
        ),
    }
)
"""One event of a streamed chat completion."""

BLOCK = of_type(
    {
        "text": fields({"text": text(""), "citations": dropped}),
        "thinking": fields({"thinking": text(""), "signature": text("")}),
        "redacted_thinking": fields({"data": text("")}),
        "tool_use": fields({"id": label(""), "name": label(""), "caller": dropped}),
    }
)
_MESSAGES_COUNTS = {
    "input_tokens": whole(),
    "output_tokens": whole(0),
    "cache_creation_input_tokens": whole(),
    "cache_read_input_tokens": whole(),
    "cache_creation": dropped,
    "server_tool_use": dropped,
    "service_tier": dropped,
    "iterations": dropped,
    "output_tokens_details": dropped,
}
_MESSAGES_USAGE = fields(
    _MESSAGES_COUNTS | {"input_tokens": whole(0)},
    otherwise={"input_tokens": 0, "output_tokens": 0},
)
_MESSAGES_HEAD = {
    "id": label(""),
    "type": constant("message"),
    "role": constant("assistant"),
    "model": label(""),
    "stop_reason": text(None),
    "stop_sequence": text(None),
    "stop_details": fields({}),
    "container": dropped,
    "context_management": dropped,
    "usage": _MESSAGES_USAGE,
}
MESSAGES = fields({**_MESSAGES_HEAD, "content": objects(BLOCK)})
"""A reply of Anthropic's."""

MESSAGE_START = fields({"message": fields({**_MESSAGES_HEAD, "content": constant([])})})
MESSAGE_DELTA = fields(
    {
        "delta": fields({"stop_reason": text(None), "stop_sequence": text(None)}, {}),
        "usage": fields(_MESSAGES_COUNTS, otherwise={"output_tokens": 0}),
    }
)
"""The events of a streamed reply of Anthropic's that carry no content: its head, and its end."""


def block(value: object) -> Any:  # noqa: ANN401
    """Fit one block of content of Anthropic's; `ABSENT` if it is of a type that nobody reads."""
    return BLOCK(value) if isinstance(value, dict) else ABSENT


_GEMINI_PART = fields(
    {
        "text": text(),
        "thoughtSignature": text(),
        "functionCall": fields(
            {"id": label(), "name": label(""), "args": fields({}, otherwise={})}
        ),
        "videoMetadata": dropped,
        "partMetadata": dropped,
    }
)
GEMINI = fields(
    {
        "candidates": objects(
            fields(
                {
                    "index": dropped,
                    "content": fields({"role": constant("model"), "parts": objects(_GEMINI_PART)}),
                    "finishReason": text(),
                    "finishMessage": text(),
                    "avgLogprobs": dropped,
                    "logprobsResult": dropped,
                    "tokenCount": dropped,
                    "citationMetadata": dropped,
                    "groundingMetadata": dropped,
                    "urlContextMetadata": dropped,
                }
            )
        ),
        "usageMetadata": fields(
            {
                name: whole()
                for name in (
                    "promptTokenCount",
                    "candidatesTokenCount",
                    "totalTokenCount",
                    "thoughtsTokenCount",
                    "cachedContentTokenCount",
                    "toolUsePromptTokenCount",
                )
            }
            | dict.fromkeys(
                (
                    "promptTokensDetails",
                    "candidatesTokensDetails",
                    "cacheTokensDetails",
                    "toolUsePromptTokensDetails",
                    "trafficType",
                    "serviceTier",
                ),
                dropped,
            )
        ),
        "modelVersion": label(""),
        "responseId": label(),
        "createTime": dropped,
        "modelStatus": dropped,
    }
)
"""A reply of Gemini's, streamed or whole."""

_OUTPUT_PART = of_type(
    {
        "output_text": fields({"text": text(""), "annotations": constant([]), "logprobs": dropped}),
        "refusal": fields({"refusal": text("")}),
    }
)
_OUTPUT_ITEM = of_type(
    {
        "message": fields({"id": label(""), "phase": text(), "content": objects(_OUTPUT_PART, [])}),
        "function_call": fields(
            {"id": label(), "call_id": label(""), "name": label(""), "namespace": text()}
        ),
        "reasoning": fields(
            {
                "id": label(""),
                "summary": objects(fields({"text": text("")}), []),
                "content": objects(fields({"text": text("")})),
                "encrypted_content": text(),
            }
        ),
    }
)
RESPONSE = fields(
    {
        "id": label(""),
        "object": constant("response"),
        "status": text(),
        "created_at": number,
        "model": label(""),
        "service_tier": text(),
        "incomplete_details": fields({"reason": text()}),
        "conversation": dropped,
        "background": dropped,
        "moderation": dropped,
        "output": objects(_OUTPUT_ITEM),
        "usage": counts("input_tokens", "output_tokens", "total_tokens"),
    }
)
"""A reply of the responses API."""


def _converse_part(value: Any) -> Any:  # noqa: ANN401
    """Keep a part that has one member of its type, as the wire says, which is an object or text."""
    kept = {name: item for name, item in value.items() if isinstance(item, dict | str)}
    if not isinstance(kept.get("toolUse", {}), dict):
        return ABSENT
    return kept or ABSENT


CONVERSE = fields(
    {
        "output": fields(
            {"message": fields({"role": constant("assistant"), "content": objects(_converse_part)})}
        ),
        "metrics": fields({"latencyMs": whole(0)}, {"latencyMs": 0}),
        "stopReason": text("end_turn"),
        "usage": counts(
            "inputTokens",
            "outputTokens",
            "totalTokens",
            otherwise={"inputTokens": 0, "outputTokens": 0, "totalTokens": 0},
        ),
    }
)
"""A reply of Bedrock's Converse API."""
