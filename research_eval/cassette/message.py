"""Bytes of one HTTP/1 message as an archive keeps it in, its parts out; what is not whole is refused."""

import re
from typing import NamedTuple

from research_eval.cassette.foreign import RefusedError

__all__ = ["HttpMessage", "read_message", "status_of", "whole_body"]

_STATUS_LINE = re.compile(r"HTTP/\d(?:\.\d)? +([1-9]\d\d)(?: +(.*))?")
_CHUNK_SIZE = re.compile(rb"([0-9a-fA-F]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")
_LINE_END = re.compile(rb"\r?\n")
_BODILESS = frozenset({204, 205, 304})


class HttpMessage(NamedTuple):
    """A request or response in its parts; a body may be in a transfer coding still."""

    start: str
    headers: list[tuple[str, str]]
    body: bytes


def status_of(http: HttpMessage) -> tuple[int, str]:
    """Return status and reason.

    Raises:
        RefusedError: If it does not begin with a status line.
    """
    found = _STATUS_LINE.fullmatch(http.start.strip())
    if found is None:
        raise RefusedError("it does not begin with a status line of HTTP")
    return int(found[1]), found[2] or ""


def read_message(block: bytes) -> HttpMessage:
    """Return a block of HTTP in its parts."""
    found = re.search(rb"\r?\n\r?\n", block)
    head, body = (block, b"") if found is None else (block[: found.start()], block[found.end() :])
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError:
        text = head.decode("latin-1")
    start, *lines = re.sub(r"\r?\n[ \t]+", " ", text).replace("\r\n", "\n").split("\n")
    pairs = [line.partition(":") for line in lines]
    return HttpMessage(
        start, [(name.strip(), value.strip()) for name, sign, value in pairs if sign], body
    )


def whole_body(http: HttpMessage, method: str, status: int) -> bytes:
    """Return a response's body without its transfer coding.

    Raises:
        RefusedError: If it is not whole.
    """
    values = {name.lower(): value.lower() for name, value in http.headers}
    if "chunked" in values.get("transfer-encoding", ""):
        return _without_chunks(http.body)
    announced = values.get("content-length", "")
    is_bodiless = method == "HEAD" or status in _BODILESS
    if announced.isdecimal() and len(announced) < 16 and not is_bodiless:
        size = int(announced)
        if len(http.body) < size:
            raise RefusedError(f"its body has {len(http.body)} of {size} bytes")
    return http.body


def _without_chunks(body: bytes) -> bytes:
    """Return the content of a chunked body; one whose chunks a crawler has joined stays as it is."""
    parts: list[bytes] = []
    at = 0
    while found := _CHUNK_SIZE.match(body, at):
        size, start = int(found[1], 16), found.end()
        if size == 0:
            return b"".join(parts)
        parts.append(body[start : start + size])
        end = _LINE_END.match(body, start + size)
        if len(parts[-1]) < size or end is None:
            break
        at = end.end()
    if not parts:
        return body
    raise RefusedError("its chunked body is cut or damaged")
