"""Replies in their provider's own form, where a server takes liberties with it."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["mended_event", "mended_reply"]

_MARKS = (
    b'"error"',
    b'"tool_calls"',
    b'"function_call"',
    b'"functionCall"',
    b'"toolUse"',
    b'"__type"',
)
"""What a body holds at least, if there is something to mend."""

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


def mended_reply(body: bytes) -> tuple[int, bytes]:
    """Return the status and the body that an answer with status 200 should have had.

    >>> mended_reply(b'{"error": {"message": "slow down", "code": 429}}')[0]
    429
    """
    if not any(mark in body for mark in _MARKS):
        return 200, body
    try:
        value = json.loads(body)
    except ValueError:
        return 200, body
    error = _error_in(value)
    if error is not None:
        return _status(error), body
    if not isinstance(value, dict) or not any(list(_mends(value))):
        return 200, body
    return 200, json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def mended_event(line: bytes) -> bytes:
    """Return one line of an event stream; what holds no call of a chat completion is left alone."""
    if not line.startswith(b"data:") or not any(
        mark in line for mark in (b'"tool_calls"', b'"function_call"')
    ):
        return line
    try:
        value = json.loads(line[len(b"data:") :])
    except ValueError:
        return line
    if not isinstance(value, dict) or not any(list(_mends_of_chat(value, "delta", nothing=""))):
        return line
    ending = line[len(line.rstrip(b"\r\n")) :]
    return b"data: " + json.dumps(value).encode() + ending


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


def _mends(value: dict[str, Any]) -> Iterator[bool]:
    """Mend a reply in place; tell of each place whether there was something to mend."""
    yield from _mends_of_chat(value, "message", nothing="{}")
    for candidate in _objects(value.get("candidates")):
        content = candidate.get("content")
        for part in _objects(content.get("parts") if isinstance(content, dict) else None):
            yield _unpack(part.get("functionCall"), "args")
    output = value.get("output")
    message = output.get("message") if isinstance(output, dict) else None
    for part in _objects(message.get("content") if isinstance(message, dict) else None):
        yield _complete(part.get("toolUse"))


def _mends_of_chat(value: dict[str, Any], field: str, *, nothing: str) -> Iterator[bool]:
    for choice in _objects(value.get("choices")):
        message = choice.get(field)
        if isinstance(message, dict):
            yield _modernise(message)
            for call in _objects(message.get("tool_calls")):
                yield _write_out(call, nothing, is_whole=field == "message")
        if choice.get("finish_reason") == "function_call":
            choice["finish_reason"] = "tool_calls"
            yield True


def _modernise(message: dict[str, Any]) -> bool:
    """Turn the one call of the older form into a list of calls."""
    call = message.pop("function_call", None)
    if not isinstance(call, dict) or message.get("tool_calls"):
        return call is not None
    message["tool_calls"] = [{"index": 0, "type": "function", "function": call}]
    return True


def _write_out(call: dict[str, Any], nothing: str, *, is_whole: bool) -> bool:
    """Write arguments as text, and give a call the fields that it lacks; an empty id is made up later."""
    before = json.dumps(call)
    function = call.get("function")
    if isinstance(function, dict):
        arguments = function.get("arguments")
        if arguments is None:
            function["arguments"] = nothing
        elif not isinstance(arguments, str):
            function["arguments"] = json.dumps(arguments, ensure_ascii=False)
    if is_whole or call.get("id") is not None:
        call["id"] = "" if call.get("id") is None else str(call["id"])
    if is_whole:
        call["type"] = call.get("type") or "function"
    return json.dumps(call) != before


def _unpack(call: object, field: str) -> bool:
    """Read arguments that are an object written as text."""
    if not isinstance(call, dict) or not isinstance(call.get(field), str):
        return False
    try:
        value = json.loads(call[field] or "{}")
    except ValueError:
        return False
    call[field] = value
    return True


def _complete(call: object) -> bool:
    """Give a call of Bedrock's the fields that it lacks."""
    if not isinstance(call, dict):
        return False
    lacks = [name for name in ("toolUseId", "input") if call.get(name) is None]
    call.update({name: "" if name == "toolUseId" else {} for name in lacks})
    return bool(lacks)


def _objects(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
