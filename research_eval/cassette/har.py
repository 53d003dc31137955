"""HAR: what a browser or a proxy saved of its traffic in, its exchanges out."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from research_eval.cassette.foreign import (
    MAX_IMPORT_BYTES,
    ForeignExchange,
    NotKept,
    RefusedError,
    settled,
)
from research_eval.errors import CassetteCorruptError
from research_eval.schema.outside import read_json

__all__ = ["read_har"]

_BODILESS = frozenset({204, 205})
_REDIRECTS = range(300, 400)
_CHARSET = re.compile(r"(?i);\s*charset\s*=\s*(\"[^\"]*\"|[^;\s]*)")


class _SkippedError(Exception):
    """An entry is no exchange over HTTP; the message says what it is."""


def read_har(path: Path) -> Iterator[ForeignExchange | NotKept]:
    """Yield the exchanges of an HTTP archive (HAR 1.1 or 1.2).

    Raises:
        CassetteCorruptError: If it cannot be read, or is no HAR file.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_IMPORT_BYTES + 1)
        if len(content) > MAX_IMPORT_BYTES:
            raise CassetteCorruptError(f"{path}: larger than {MAX_IMPORT_BYTES} bytes")
        values = read_json(content.decode("utf-8-sig"))
    except (OSError, ValueError) as exc:
        raise CassetteCorruptError(f"{path}: no HAR file: {str(exc)[:200]}") from exc
    log = values.get("log") if isinstance(values, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    if not isinstance(entries, list):
        raise CassetteCorruptError(f"{path}: no HAR file: it has no list log.entries")
    return _exchanges(entries)


def _exchanges(entries: list[Any]) -> Iterator[ForeignExchange | NotKept]:
    for number, entry in enumerate(entries, start=1):
        where = f"entry {number}"
        try:
            yield _exchange(entry)
        except _SkippedError as exc:
            yield NotKept(where, str(exc), is_refused=False)
        except RefusedError as exc:
            yield NotKept(where, str(exc), is_refused=True)


def _exchange(entry: Any) -> ForeignExchange:  # noqa: ANN401  # from a file
    entry = _table(entry, "it is no entry")
    request = _table(entry.get("request"), "it has no request")
    response = _table(entry.get("response"), "it has no response")
    uri, method = request.get("url"), request.get("method")
    if not isinstance(uri, str) or not isinstance(method, str):
        raise RefusedError("its request has no method and url")
    scheme = uri.partition(":")[0].lower()
    if scheme not in {"http", "https"}:
        raise _SkippedError(f"entries of the scheme {scheme[:20]!r}")
    status = response.get("status")
    if status in {0, -1, None}:
        raise _SkippedError("requests without a response (blocked, aborted or failed)")
    if not isinstance(status, int) or not 100 <= status <= 999:
        raise RefusedError("its status is no number from 100 to 999")
    if status == 101:
        raise _SkippedError("WebSocket connections")
    headers, body = _response(method, status, response)
    started, reason = entry.get("startedDateTime"), response.get("statusText")
    return ForeignExchange(
        method=method.upper(),
        uri=uri,
        request_headers=_headers(request),
        request_body=_request_body(request),
        status=status,
        reason=reason if isinstance(reason, str) else "",
        headers=headers,
        body=body,
        recorded_at=started if isinstance(started, str) else None,
    )


def _table(value: Any, otherwise: str) -> dict[str, Any]:  # noqa: ANN401  # from a file
    if not isinstance(value, dict):
        raise RefusedError(otherwise)
    return value


def _headers(part: dict[str, Any]) -> list[tuple[str, str]]:
    """Return headers without those that HTTP/2 makes of the request line."""
    found = part.get("headers") or []
    if not isinstance(found, list):
        raise RefusedError("its headers are no list")
    pairs = [(item.get("name"), item.get("value")) for item in found if isinstance(item, dict)]
    return [
        (name, value)
        for name, value in pairs
        if isinstance(name, str) and isinstance(value, str) and not name.startswith(":")
    ]


def _request_body(request: dict[str, Any]) -> bytes:
    posted = request.get("postData")
    if posted is None:
        if _size(request, "bodySize") > 0:
            raise RefusedError("the body of its request was not saved")
        return b""
    posted = _table(posted, "its postData is no table")
    text = posted.get("text")
    if isinstance(text, str) and (text or not posted.get("params")):
        return _decoded(posted, text, "request")
    params = posted.get("params")
    if not isinstance(params, list) or "multipart" in str(posted.get("mimeType")):
        raise RefusedError("the body of its request was not saved")
    fields: list[tuple[str, str]] = []
    for item in params:
        name, value = (item.get("name"), item.get("value")) if isinstance(item, dict) else (0, 0)
        if not isinstance(name, str) or not isinstance(value, str):
            raise RefusedError("a field of its request has no name and value")
        fields.append((name, value))
    return urlencode(fields, errors="replace").encode("ascii")


def _response(
    method: str, status: int, response: dict[str, Any]
) -> tuple[list[tuple[str, str]], bytes]:
    headers = _headers(response)
    content = _table(response.get("content") or {}, "its content is no table")
    text = content.get("text")
    if status == 304 and not text:
        raise RefusedError("304: the page itself is in the cache of the browser alone")
    if text is None:
        is_bodiless = method.upper() == "HEAD" or status in _BODILESS or status in _REDIRECTS
        size = _size(content, "size")
        if not is_bodiless and (size if size >= 0 else _size(response, "bodySize")):
            raise RefusedError("its body was not saved")
        return settled(method, status, headers, b"")
    if not isinstance(text, str):
        raise RefusedError("its body is no text")
    body = _decoded(content, text, "response")
    if content.get("encoding") != "base64" or len(body) == _size(content, "size"):
        # the format keeps bodies decoded
        headers = [pair for pair in headers if pair[0].lower() != "content-encoding"]
    if content.get("encoding") != "base64" and not body.isascii():
        headers = [_as_utf8(name, value) for name, value in headers]
    return settled(method, status, headers, body)


def _decoded(part: dict[str, Any], text: str, side: str) -> bytes:
    encoding = part.get("encoding")
    if encoding in {None, ""}:
        try:
            return text.encode("utf-8")
        except UnicodeEncodeError:
            raise RefusedError(
                f"the {side}'s body holds half a character, a lone surrogate"
            ) from None
    if encoding != "base64":
        raise RefusedError(f"the {side}'s body is encoded as {str(encoding)[:20]!r}, not base64")
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except ValueError:
        raise RefusedError(f"the {side}'s body is no base64") from None


def _as_utf8(name: str, value: str) -> tuple[str, str]:
    """Return a header of a text that is UTF-8 now, whatever its page was sent in."""
    if name.lower() != "content-type" or "json" in value.lower():
        return name, value
    return name, f"{_CHARSET.sub('', value)}; charset=utf-8"


def _size(part: dict[str, Any], name: str) -> int:
    """Return a size that the file tells; -1 where it does not know."""
    size = part.get(name, -1)
    return size if isinstance(size, int) else -1
