"""A crawl that somebody already has in, as a WARC file, its exchanges out.

Two passes: the first pairs requests with responses by their record ids, wherever they stand; the
second reads the responses. HTTP is read here, so that what is cut or damaged is seen and not repaired.
"""

import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from research_eval.cassette.file import MAX_BYTES
from research_eval.cassette.foreign import (
    MAX_IMPORT_BYTES,
    ForeignExchange,
    NotKept,
    RefusedError,
    settled,
)
from research_eval.cassette.message import HttpMessage, read_message, status_of, whole_body
from research_eval.cassette.warc import warcio_modules
from research_eval.errors import CassetteCorruptError

__all__ = ["read_warc"]

_REQUEST_LINE = re.compile(r"([!-~]+) +\S+(?: +HTTP/\d(?:\.\d)?)?")
_OF_BODY = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_RESPONSES = frozenset({"response", "resource", "revisit"})
_STEP = 65_536
_BROKEN = (AttributeError, EOFError, TypeError, ValueError, IndexError, zlib.error)
"""What warcio lets out where a file breaks off, beside errors of its own."""


class _Sent(NamedTuple):
    """A request of the file."""

    record: str
    uri: str
    date: str
    method: str
    headers: list[tuple[str, str]]
    body: bytes


@dataclass
class _Index:
    """What the first pass found: requests, and how records refer to each other."""

    requests: dict[str, _Sent] = field(default_factory=dict)
    by_link: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Record id → requests that name it in `WARC-Concurrent-To`."""
    unlinked: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    """Address and date → requests that no record id leads to."""
    originals: set[str] = field(default_factory=set)
    """What revisits refer to: record ids, `address date`, payload digests."""
    used: set[str] = field(default_factory=set)
    bytes_held: int = 0


@dataclass
class _Originals:
    """Responses that revisits refer to, as far as they were read."""

    found: dict[str, ForeignExchange] = field(default_factory=dict)
    bytes_held: int = 0

    def of(self, revisit: "_Revisit") -> ForeignExchange | None:
        """Return the response that a revisit stands for, if it was read."""
        return next((self.found[name] for name in revisit.names if name in self.found), None)


def read_warc(path: Path) -> Iterator[ForeignExchange | NotKept]:
    """Yield the exchanges of a WARC file, compressed or not, and what of it is not taken over.

    Raises:
        CassetteCorruptError: If it is no WARC file, or asks for too much memory.
    """
    index = _Index()
    for record in _records(path):
        if not isinstance(record, NotKept):
            _enter(record, index, path)
    _unlink(index)
    originals, waiting = _Originals(), []
    number = 0
    for record in _records(path):
        if isinstance(record, NotKept):
            yield record
            continue
        number += 1
        where = f"record {number} ({_header(record, 'WARC-Target-URI')[:100]})"
        part = _part(record, where, index, originals)
        if not isinstance(part, _Revisit):
            yield part
        elif originals.of(part) is None:
            waiting.append((where, part))
        else:
            yield _resolved(part, where, originals)
    for where, revisit in waiting:
        yield _resolved(revisit, where, originals)
    for _ in index.requests.keys() - index.used:
        yield NotKept("", "requests without a response", is_refused=False)


def _records(path: Path) -> Iterator[Any]:
    """Yield the records as warcio finds them; where the file breaks off, say so and end."""
    warcio = warcio_modules()
    own = (
        warcio["exceptions"].ArchiveLoadFailed,
        warcio["statusandheaders"].StatusAndHeadersParserException,
    )
    count = end = 0
    try:
        with path.open("rb") as file:
            try:
                archive = warcio["archiveiterator"].ArchiveIterator(file, no_record_parse=True)
                archive.INC_RECORD = ""  # it is reported here, not on standard error
                archive.reader.readline = _bounded(archive.reader.readline)
                for record in archive:
                    count += 1
                    yield record
                    end = archive.get_record_offset() + archive.get_record_length()
                    damage = _damage_behind(record, archive)
                    if damage is not None:
                        yield NotKept(f"after record {count}", damage, is_refused=True)
                file.seek(end)
                if file.read(_STEP).strip():
                    raise EOFError("the file ends inside the head of a record")  # as warcio says it
            except (*own, *_BROKEN) as exc:
                words = " ".join(str(exc).split())[:200]
                if not count:
                    raise CassetteCorruptError(f"{path}: no WARC file: {words}") from exc
                rest = f"the rest cannot be read: {words}"
                yield NotKept(f"after record {count}", rest, is_refused=True)
    except OSError as exc:
        raise CassetteCorruptError(f"{path}: cannot be read: {exc}") from exc


def _bounded(read: Callable[[int], bytes]) -> Callable[..., bytes]:
    """Return `readline` without lines of any length, which warcio collects in quadratic time."""

    def readline(length: int | None = None) -> bytes:
        return read(min(length or _STEP, _STEP))

    return readline


def _damage_behind(record: Any, archive: Any) -> str | None:  # noqa: ANN401  # warcio ships no types
    """Return what is wrong with the file where a record ended that was read to its end."""
    is_wrong, archive.err_count = archive.err_count, 0
    if is_wrong:
        return "bytes that are no record"
    if record.rec_type is None or not _header(record, "Content-Length").isdecimal():
        return "a record whose head is cut or damaged"
    is_cut = record.raw_stream.limit > 0 and record.rec_type not in _RESPONSES
    return "the file ends inside a record" if is_cut else None


def _enter(record: Any, index: _Index, path: Path) -> None:  # noqa: ANN401  # warcio ships no types
    """Take from a record what pairing and revisits need."""
    kind, own = record.rec_type, _header(record, "WARC-Record-ID")
    if kind == "revisit":
        index.originals |= {name for name in _names_of_original(record) if name}
    if kind != "request":
        return
    try:
        http = _http(record)
    except RefusedError:
        return
    line = _REQUEST_LINE.fullmatch(http.start.strip())
    if line is None or own in index.requests:
        return
    index.bytes_held += len(http.body)
    if index.bytes_held > MAX_IMPORT_BYTES:
        raise CassetteCorruptError(f"{path}: requests are larger than {MAX_IMPORT_BYTES} bytes")
    place = (_uri(record), _header(record, "WARC-Date"))
    index.requests[own] = _Sent(own, *place, line[1].upper(), http.headers, http.body)
    for other in _links(record):
        index.by_link[other].append(own)


def _unlink(index: _Index) -> None:
    """List the requests that name no other record, for responses that name none either."""
    linked = set(chain.from_iterable(index.by_link.values()))
    for own, sent in index.requests.items():
        if own not in linked:
            index.unlinked[sent.uri, sent.date].append(own)


def _part(
    record: Any,  # noqa: ANN401  # warcio ships no types
    where: str,
    index: _Index,
    originals: _Originals,
) -> "ForeignExchange | NotKept | _Revisit":
    kind = record.rec_type
    what = _no_response(record, index)
    if what is not None:
        return NotKept(where, what, is_refused=False)
    try:
        if kind == "revisit":
            return _revisit(record, index)
        exchange = _resource(record) if kind == "resource" else _response(record, index)
    except RefusedError as exc:
        return NotKept(where, str(exc), is_refused=True)
    _hold(record, exchange, index, originals)
    return exchange


def _no_response(record: Any, index: _Index) -> str | None:  # noqa: ANN401  # warcio ships no types
    """Return what a record is that holds no response over HTTP."""
    kind = record.rec_type
    if kind == "request":
        is_read = _header(record, "WARC-Record-ID") in index.requests
        return "requests (taken over with their responses)" if is_read else "unreadable requests"
    if kind not in _RESPONSES:
        return f"records of the type {str(kind)[:20]!r}"
    is_web = re.match(r"(?i)https?:", _uri(record))
    return None if is_web else "records of other schemes than http and https"


def _response(record: Any, index: _Index) -> ForeignExchange:  # noqa: ANN401  # warcio ships no types
    sent = _sent_for(record, index)
    cut = _header(record, "WARC-Truncated")
    if cut:
        raise RefusedError(f"the crawler cut it (WARC-Truncated: {cut[:40]})")
    if _header(record, "WARC-Segment-Number"):
        raise RefusedError("it is one segment of a response")
    http = _http(record)
    status, reason = status_of(http)
    method = "GET" if sent is None else sent.method
    headers, body = settled(method, status, http.headers, whole_body(http, method, status))
    return ForeignExchange(
        method=method,
        uri=_uri(record),
        request_headers=[] if sent is None else sent.headers,
        request_body=b"" if sent is None else sent.body,
        status=status,
        reason=reason,
        headers=headers,
        body=body,
        recorded_at=_header(record, "WARC-Date") or None,
    )


def _resource(record: Any) -> ForeignExchange:  # noqa: ANN401  # warcio ships no types
    if _header(record, "WARC-Truncated"):
        raise RefusedError("the crawler cut it (WARC-Truncated)")
    kind = _header(record, "Content-Type") or "application/octet-stream"
    date = _header(record, "WARC-Date") or None
    body = _block(record)
    return ForeignExchange(
        "GET", _uri(record), [], b"", 200, "OK", [("Content-Type", kind)], body, date
    )


def _sent_for(record: Any, index: _Index) -> _Sent | None:  # noqa: ANN401  # warcio ships no types
    """Return the request of a response: by record ids, else by address and date.

    Raises:
        RefusedError: If there are requests for its address that are no GET, and none is its own.
    """
    own, uri = _header(record, "WARC-Record-ID"), _uri(record)
    linked = [*index.by_link.get(own, ())]
    for other in _links(record):
        linked += [other] if other in index.requests else index.by_link.get(other, ())
    for name in chain(linked, index.unlinked.get((uri, _header(record, "WARC-Date")), ())):
        if name not in index.used:
            index.used.add(name)
            return index.requests[name]
    left = [
        sent.method
        for (place, _), names in index.unlinked.items()
        if place == uri
        for name in names
        if name not in index.used and (sent := index.requests[name]).method != "GET"
    ]
    if left:
        raise RefusedError(f"its {left[0][:20]} request cannot be found")
    return None


class _Revisit(NamedTuple):
    """A response whose body is that of an earlier one."""

    names: tuple[str, ...]
    uri: str
    date: str
    sent: _Sent | None
    is_not_modified: bool
    http: HttpMessage | None


def _revisit(record: Any, index: _Index) -> _Revisit:  # noqa: ANN401  # warcio ships no types
    sent = _sent_for(record, index)
    block = _block(record)
    return _Revisit(
        _names_of_original(record),
        _uri(record),
        _header(record, "WARC-Date"),
        sent,
        "not-modified" in _header(record, "WARC-Profile"),
        read_message(block) if block.strip() else None,
    )


def _names_of_original(record: Any) -> tuple[str, ...]:  # noqa: ANN401  # warcio ships no types
    """Return what a revisit calls its original, the surest name first."""
    place = _header(record, "WARC-Refers-To-Target-URI").strip("<>")
    date = _header(record, "WARC-Refers-To-Date")
    return (
        _header(record, "WARC-Refers-To"),
        f"{place} {date}" if place and date else "",
        _header(record, "WARC-Payload-Digest"),
    )


def _hold(record: Any, exchange: ForeignExchange, index: _Index, originals: _Originals) -> None:  # noqa: ANN401  # warcio ships no types
    """Keep a response in memory that a revisit refers to."""
    names = {
        _header(record, "WARC-Record-ID"),
        f"{_uri(record)} {_header(record, 'WARC-Date')}",
        _header(record, "WARC-Payload-Digest"),
    }
    wanted = names & index.originals
    if wanted and originals.bytes_held + len(exchange.body) <= MAX_IMPORT_BYTES:
        originals.bytes_held += len(exchange.body)
        for name in wanted:
            originals.found.setdefault(name, exchange)


def _resolved(revisit: _Revisit, where: str, originals: _Originals) -> ForeignExchange | NotKept:
    """Return a revisit as the response that it stands for."""
    original = originals.of(revisit)
    if original is None:
        return NotKept(where, "the page that it is a revisit of is not in this file", True)
    status, reason, headers = original.status, original.reason, original.headers
    if revisit.http is not None and not revisit.is_not_modified:
        try:
            status, reason = status_of(revisit.http)
        except RefusedError as exc:
            return NotKept(where, str(exc), is_refused=True)
        about_body = {pair for pair in original.headers if pair[0].lower() in _OF_BODY}
        own = [pair for pair in revisit.http.headers if pair[0].lower() not in _OF_BODY]
        headers = [*own, *sorted(about_body)]
    sent = revisit.sent
    return original._replace(
        method="GET" if sent is None else sent.method,
        uri=revisit.uri,
        request_headers=[] if sent is None else sent.headers,
        request_body=b"" if sent is None else sent.body,
        status=status,
        reason=reason,
        headers=headers,
        recorded_at=revisit.date or None,
    )


def _http(record: Any) -> HttpMessage:  # noqa: ANN401  # warcio ships no types
    return read_message(_block(record))


def _block(record: Any) -> bytes:  # noqa: ANN401  # warcio ships no types
    """Return a record's block.

    Raises:
        RefusedError: If the file ends within it, or it is larger than is kept.
    """
    size = record.length
    if size is None or not 0 <= size <= MAX_BYTES:
        raise RefusedError(f"its length is not known, or is more than {MAX_BYTES} bytes")
    parts, left = [], size
    while left and (piece := record.raw_stream.read(min(left, _STEP))):
        parts.append(piece)
        left -= len(piece)
    if left:
        raise RefusedError("the file ends inside it")
    return b"".join(parts)


def _uri(record: Any) -> str:  # noqa: ANN401  # warcio ships no types
    return _header(record, "WARC-Target-URI").strip("<>")


def _header(record: Any, name: str) -> str:  # noqa: ANN401  # warcio ships no types
    value = record.rec_headers.get_header(name)
    return value.strip() if isinstance(value, str) else ""


def _links(record: Any) -> list[str]:  # noqa: ANN401  # warcio ships no types
    """Return the records that this one belongs to; the field may be repeated."""
    pairs = record.rec_headers.headers
    return [value.strip() for name, value in pairs if name.lower() == "warc-concurrent-to"]
