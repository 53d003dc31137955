"""Replies in their provider's own form, where a server takes liberties with it."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from research_eval.model.wire import fit
from research_eval.schema.outside import read_json, safe_value

__all__ = ["Repaired", "modernised", "read_finish", "repaired_reply"]

_REPLY_FIELDS = ("choices", "content", "candidates", "output")
"""Where the providers' formats keep a reply; a body without any may be an error."""

_STATUS_BY_WORDS = (
    (402, r"insufficient.?quota|current quota|quota.?exceeded|billing|credits?\b|payment|balance"),
    (429, r"rate.?limit|too.?many.?requests|resource.?exhausted|throttl"),
    (503, r"overload|unavailable|capacity|busy"),
    (401, r"api.?key|authenticat|unauthori[sz]ed|unauthenticated"),
    (403, r"permission|forbidden|access.?denied"),
    (
        400,
        r"context.?(length|window|size)|(prompt|input|conversation).{1,20}too long|too many tokens|invalid.?request|invalid.?argument",
    ),
    (404, r"not.?found"),
    (408, r"time.?out|timed.?out|deadline"),
)
"""The HTTP status that an error is worth which came with 200; first match wins, else it is 500."""

_FINISH = {
    "stop": "stop eos eos_token end_turn stop_sequence complete completed finished normal",
    "length": "length max_tokens max_output_tokens model_length token_limit",
    "tool_calls": "tool_calls tool_use tool_call function_call",
    "content_filter": "content_filter content_filtered safety recitation guardrail_intervened blocklist",
    "refusal": "refusal",
    "error": "error insufficient_system_resource abort aborted cancelled network_error engine_error",
}
_FINISH_BY_WORD = {word: kind for kind, words in _FINISH.items() for word in words.split()}
"""What the finish reasons of chat completions mean, those of compatible servers included."""


class Repaired(NamedTuple):
    """What an answer with status 200 should have been."""

    status: int
    body: bytes
    """The same object as before where nothing had to be changed."""
    notes: tuple[str, ...] = ()
    """What the record of the call must say of it, in stable words."""


def repaired_reply(body: bytes) -> Repaired:
    """Return the status and the body that an answer with status 200 should have had.

    >>> repaired_reply(b'{"error": {"message": "slow down", "code": 429}}').status
    429

    Raises:
        EOFError: If the body ends in the middle.
    """
    try:
        value = read_json(body)
    except ValueError as exc:
        if _is_cut(body, exc):
            raise EOFError("the reply ends in the middle") from None
        return Repaired(200, body)
    error = _error_in(value)
    if error is not None:
        return Repaired(_status(error), body)
    if not isinstance(value, dict):
        return Repaired(200, body)
    safe = safe_value(value)
    told = () if safe is value else ("replaced_surrogates",)
    value = safe
    before = json.dumps(value, sort_keys=True)
    fitted, notes = _fitted(value)
    if isinstance(fitted, Repaired):
        return fitted
    notes = (*told, *notes)
    if not notes and json.dumps(fitted, sort_keys=True) == before:
        return Repaired(200, body)
    return Repaired(200, json.dumps(fitted).encode(), notes)


def _is_cut(body: bytes, exc: ValueError) -> bool:
    """Return whether JSON stops before its end, rather than being none."""
    if not isinstance(exc, json.JSONDecodeError) or body.lstrip()[:1] not in {b"{", b"["}:
        return False
    rest = exc.doc[exc.pos :].strip()
    return not rest or exc.msg.startswith("Unterminated string")


def _fitted(value: dict[str, Any]) -> tuple[Any, tuple[str, ...]]:
    """Return a reply whose fields fit its SDK, or the error that it is worth."""
    match value:
        case {"choices": [*_]}:
            return _fitted_chat(value)
        case {"candidates": [*candidates]}:
            for candidate in candidates:
                _unpack_parts(candidate)
            fitted = fit.GEMINI(value)
        case {"output": {"message": {"content": [*parts]}}}:
            for part in _objects(parts):
                _complete(part.get("toolUse"))
            fitted = fit.CONVERSE(value)
        case {"output": [*_]}:
            fitted = fit.RESPONSE(value)
        case {"content": [*_]}:
            fitted = fit.MESSAGES(value)
        case _:
            return _shapeless(value), ()
    lost = any(value.get(name) and not fitted.get(name) for name in _REPLY_FIELDS)
    return (_broken("nothing in the reply is of a known type") if lost else fitted), ()


def _shapeless(value: dict[str, Any]) -> Any:  # noqa: ANN401
    """Return the error that a reply is worth which lacks its list of parts; else what came."""
    for name in _REPLY_FIELDS:
        if name in value and (name != "content" or value.get("type") == "message"):
            return _broken(f"the reply holds no {name}")
    return value


def _fitted_chat(value: dict[str, Any]) -> tuple[Any, tuple[str, ...]]:
    if not all(map(_is_text, _objects(value["choices"]))):
        return _broken("the reply's content is no text"), ()
    value = fit.CHAT(value)
    modernised(value, "message", nothing="{}")
    choice: dict[str, Any] = next(iter(value["choices"]), {})
    if not isinstance(choice.get("message"), dict):
        if choice.get("finish_reason") == "content_filter":
            choice["message"] = {"role": "assistant", "content": None}
        else:
            return _broken("the reply holds no message"), ()
    _close_reasoning(choice["message"])
    kind, note = read_finish(choice, choice["message"])
    if kind == "error":
        error = choice.get("error")
        words = error if isinstance(error, dict) else {"message": f"finish reason {note or kind}"}
        return Repaired(_status(words) if error else 503, json.dumps({"error": words}).encode()), ()
    choice["finish_reason"] = kind
    if kind == "refusal":
        choice["finish_reason"] = "content_filter"
    return value, ((note,) if note and kind != note else ())


def _close_reasoning(message: dict[str, Any]) -> None:
    """End reasoning that a model never ended: libraries take it for the answer."""
    content = message.get("content")
    if isinstance(content, str) and "</think>" not in content and content.lstrip()[:7] == "<think>":
        message["content"] = f"{content}</think>"


def _is_text(choice: Mapping[str, Any]) -> bool:
    message = choice.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return content is None or isinstance(content, str | list)


def read_finish(choice: Mapping[str, Any], message: Mapping[str, Any]) -> tuple[str, str | None]:
    """Return what a finish reason means, and the note that an unknown or missing one leaves."""
    given = choice.get("finish_reason")
    word = given.strip().lower() if isinstance(given, str) else ""
    calls = "tool_calls" if message.get("tool_calls") else "stop"
    if not word:
        return calls, "no_finish_reason"
    kind = _FINISH_BY_WORD.get(word)
    if kind is None:
        return calls, "unknown_finish_reason"
    return ("tool_calls" if kind == "stop" and calls == "tool_calls" else kind), None


def _broken(message: str) -> Repaired:
    """Return the error of a gateway that sent no reply: the same request may succeed later."""
    return Repaired(502, json.dumps({"error": {"message": message}}).encode())


def _error_in(value: Any) -> Mapping[str, Any] | None:  # noqa: ANN401  # JSON of a stranger
    """Return the error that a body holds in place of a reply."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict) or value.get("object") == "response":
        return None
    if any(value.get(name) for name in _REPLY_FIELDS):
        return None
    error = value.get("error")
    if isinstance(error, str) and error:
        return {"message": error, **{name: value.get(name) for name in ("code", "status", "type")}}
    if isinstance(error, dict) and error:
        return error
    return value if str(value.get("__type", "")).endswith("Exception") else None


def _status(error: Mapping[str, Any]) -> int:
    code = str(error.get("code"))
    if re.fullmatch(r"[45]\d\d", code):
        return int(code)
    words = " ".join(str(error.get(name) or "") for name in ("code", "type", "status", "__type"))
    for text in (words, str(error.get("message") or "")):
        for status, pattern in _STATUS_BY_WORDS:
            if re.search(pattern, text, re.IGNORECASE):
                return status
    return 500


def modernised(value: dict[str, Any], field: str, *, nothing: str) -> None:
    """Bring the calls of a chat completion, or of one event of it, into today's form, in place."""
    for choice in _objects(value.get("choices")):
        message = choice.get(field)
        if isinstance(message, dict):
            _modernise(message)
            calls = _objects(message.get("tool_calls"))
            for call in calls:
                _write_out(call, nothing, is_whole=field == "message")
            named = [call for call in calls if isinstance(call.get("function"), dict)]
            if "tool_calls" in message:
                message["tool_calls"] = named or None
            if not named:
                message.pop("tool_calls", None)
        if choice.get("finish_reason") == "function_call":
            choice["finish_reason"] = "tool_calls"


def _modernise(message: dict[str, Any]) -> None:
    """Turn the one call of the older form into a list of calls."""
    call = message.pop("function_call", None)
    if isinstance(call, dict) and not message.get("tool_calls"):
        message["tool_calls"] = [{"index": 0, "type": "function", "function": call}]


def _write_out(call: dict[str, Any], nothing: str, *, is_whole: bool) -> None:
    """Write arguments as text, and give a call the fields that it lacks; an empty id is made up later."""
    function = call.get("function")
    if isinstance(function, dict):
        arguments = function.get("arguments")
        if arguments is None:
            function["arguments"] = nothing
        elif not isinstance(arguments, str):
            function["arguments"] = json.dumps(arguments, ensure_ascii=False)
        if is_whole or "name" in function:
            name = function.get("name")
            function["name"] = name if isinstance(name, str) else ""
    if is_whole or call.get("id") is not None:
        call["id"] = "" if call.get("id") is None else str(call["id"])
    if is_whole:
        call["type"] = "function"


def _unpack_parts(candidate: object) -> None:
    content = candidate.get("content") if isinstance(candidate, dict) else None
    for part in _objects(content.get("parts") if isinstance(content, dict) else None):
        _unpack(part.get("functionCall"), "args")


def _unpack(call: object, field: str) -> None:
    """Read arguments that are an object written as text."""
    if isinstance(call, dict) and isinstance(call.get(field), str):
        try:
            call[field] = read_json(call[field] or "{}")
        except ValueError:
            return


def _complete(call: object) -> None:
    """Give a call of Bedrock's the fields that it lacks."""
    if isinstance(call, dict):
        if not isinstance(call.get("toolUseId"), str):
            call["toolUseId"] = ""
        if not isinstance(call.get("name"), str):
            call["name"] = ""
        if call.get("input") is None:
            call["input"] = {}


def _objects(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
