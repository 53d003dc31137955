"""WARC: the recorded web of an experiment in, a file that crawlers and archives read out."""

import uuid
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from research_eval.cassette.body import body_bytes
from research_eval.cassette.interaction import RecordedInteraction
from research_eval.cassette.recording import NO_RESPONSE
from research_eval.cassette.store import Store
from research_eval.errors import CassetteError

__all__ = ["Exported", "warcio_modules", "write_warc"]

_UNDATED = "1970-01-01T00:00:00Z"
_HOP_HEADERS = frozenset({"connection", "content-encoding", "content-length", "transfer-encoding"})
_NAMESPACE = uuid.UUID("5f4b1c1e-7f3a-5d0e-9c37-2b8f6f1f6a10")


class Exported(NamedTuple):
    """How many exchanges were written, and how many have no response to write."""

    written: int
    failures: int


def write_warc(store: Store, path: Path) -> Exported:
    """Write everything in a store as a compressed WARC file; the same store gives the same bytes.

    Raises:
        CassetteError: If the file cannot be written, or a recording cannot be read.
    """
    warcio = warcio_modules()
    out = BytesIO()
    writer = warcio["warcwriter"].WARCWriter(out, gzip=True)
    written = failures = 0
    for name in store.names():
        cassette = store.read(name)
        for number, record in enumerate(cassette.records() if cassette else ()):
            if record.response.status.code == NO_RESPONSE and record.recording.error is not None:
                failures += 1
                continue
            _write_pair(warcio, writer, record, store, f"{name}#{number}")
            written += 1
    from research_eval.cassette.growing import write_whole  # noqa: PLC0415

    write_whole(path, out.getvalue())
    return Exported(written, failures)


def _write_pair(
    warcio: dict[str, Any],
    writer: Any,  # noqa: ANN401  # warcio ships no types
    record: RecordedInteraction,
    store: Store,
    place: str,
) -> None:
    content = body_bytes(record.response.body, store.body)
    headers = [
        (name, value)
        for name, values in record.response.headers.items()
        if name not in _HOP_HEADERS
        for value in values
    ]
    status = record.response.status
    make_headers = warcio["statusandheaders"].StatusAndHeaders
    answer = make_headers(
        f"{status.code} {status.message}".strip(),
        [*headers, ("Content-Length", str(len(content)))],
        protocol="HTTP/1.1",
    )
    ids = [
        f"<urn:uuid:{uuid.uuid5(_NAMESPACE, f'{side} {place}')}>" for side in ("answer", "request")
    ]
    date = record.recording.recorded_at or _UNDATED
    response = writer.create_warc_record(
        record.request.uri,
        "response",
        payload=BytesIO(content),
        http_headers=answer,
        warc_headers_dict={"WARC-Record-ID": ids[0], "WARC-Date": _warc_date(date)},
    )
    sent = [(name, value) for name, values in record.request.headers.items() for value in values]
    target = record.request.uri.partition("://")[2].partition("/")[2]
    request = writer.create_warc_record(
        record.request.uri,
        "request",
        payload=BytesIO(body_bytes(record.request.body, store.body)),
        http_headers=make_headers(
            f"{record.request.method} /{target} HTTP/1.1", sent, is_http_request=True
        ),
        warc_headers_dict={
            "WARC-Record-ID": ids[1],
            "WARC-Date": _warc_date(date),
            "WARC-Concurrent-To": ids[0],
        },
    )
    # Requests go first, so that one pass over the file can pair them.
    writer.write_record(request)
    writer.write_record(response)


def _warc_date(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return _UNDATED
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def warcio_modules() -> dict[str, Any]:
    """Import warcio, which is an extra.

    Raises:
        CassetteError: If it is not installed.
    """
    from importlib import import_module  # noqa: PLC0415  # an optional extra

    names = ("archiveiterator", "exceptions", "statusandheaders", "warcwriter")
    try:
        return {name: import_module(f"warcio.{name}") for name in names}
    except ImportError as exc:
        raise CassetteError("WARC files need the extra: pip install 'research-eval[warc]'") from exc
