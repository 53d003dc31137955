"""Foreign recordings: one exchange as somebody else kept it in, an interaction of ours out."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import httpx

from research_eval.cassette.body import body_bytes
from research_eval.cassette.canonical_request import canonical_request
from research_eval.cassette.exchange import trial_name
from research_eval.cassette.file import MAX_BYTES
from research_eval.cassette.interaction import CassetteMetadata, RecordedInteraction
from research_eval.cassette.key import PROFILE, CanonicalRequest
from research_eval.cassette.recording import Recording
from research_eval.cassette.redact import Channel, Redactor
from research_eval.cassette.store import Store
from research_eval.cassette.web import web_name
from research_eval.cassette.wire import decoded_chunks
from research_eval.clock import VirtualClock
from research_eval.errors import CassetteError, SecretInCassetteError
from research_eval.schema import TrialKey
from research_eval.schema.outside import safe_text

__all__ = [
    "MAX_IMPORT_BYTES",
    "ForeignExchange",
    "ImportCount",
    "NotKept",
    "RefusedError",
    "as_canonical",
    "keep_as_trial",
    "keep_as_web",
    "recorded_in_order",
    "recorded_interaction",
    "settled",
]


MAX_IMPORT_BYTES = 256 * 1024 * 1024
"""Largest file of another tool that is read whole, and most bytes of a file that are held at a time."""

_SHOWN = 10
_BODILESS = frozenset({204, 205, 304})
_MAGIC = {"gzip": b"\x1f\x8b", "x-gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}


class RefusedError(Exception):
    """One exchange cannot be taken over; the message says why."""


class ForeignExchange(NamedTuple):
    """One request and response, whatever kept them."""

    method: str
    uri: str
    request_headers: list[tuple[str, str]]
    request_body: bytes
    status: int
    reason: str
    headers: list[tuple[str, str]]
    body: bytes
    recorded_at: str | None = None


class NotKept(NamedTuple):
    """A part of a foreign file that is not taken over."""

    where: str
    """Which part, in the words of its format."""
    why: str
    is_refused: bool
    """Whether a response is lost with it; anything else is skipped, because it is no exchange."""


@dataclass
class ImportCount:
    """What became of everything in a foreign file."""

    kept: int = 0
    known: int = 0
    """Exchanges that were there already."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Parts that are no exchange, by what they are."""
    refused: int = 0
    """Responses that could not be taken over."""
    reasons: list[str] = field(default_factory=list)
    """Where the first of them are, and why."""

    def leave(self, part: NotKept) -> None:
        """Count a part that is not taken over."""
        if not part.is_refused:
            self.skipped[part.why] += 1
            return
        self.refused += 1
        if len(self.reasons) < _SHOWN:
            self.reasons.append(f"{part.where}: {part.why}")

    @property
    def is_empty(self) -> bool:
        """Whether the file held no response at all."""
        return not (self.kept or self.known or self.refused)


def settled(
    method: str, status: int, headers: list[tuple[str, str]], body: bytes
) -> tuple[list[tuple[str, str]], bytes]:
    """Return headers and body that fit each other, whatever other tools did to one of them alone.

    Many tools keep a decoded body under the header of the encoded one. A body in one coding stays
    as it was on the wire, so that it is recorded like any other.

    Raises:
        RefusedError: If the body is not what its headers say, and no plain text either.
    """
    codings = [
        coding
        for name, value in headers
        if name.lower() == "content-encoding"
        for coding in value.lower().replace(" ", "").split(",")
        if coding not in {"", "identity"}
    ]
    is_wire = bool(codings and body) and len(codings) == 1
    plain = body
    for coding in reversed(codings if body else []):
        decoded = decoded_chunks(coding, [plain], is_complete=True)
        if decoded is None:
            _require_plain(coding, plain)
            is_wire = False
            break
        plain = b"".join(decoded)
    if len(plain) > MAX_BYTES:
        raise RefusedError(f"its body is larger than {MAX_BYTES} bytes")
    if is_wire:
        return headers, body
    is_head = method.upper() == "HEAD" or status in _BODILESS
    dropped = {"content-encoding"} if is_head else {"content-encoding", "content-length"}
    return [pair for pair in headers if pair[0].lower() not in dropped], plain


def _require_plain(coding: str, body: bytes) -> None:
    """Refuse a body that cannot be decoded, unless somebody has decoded it before.

    Raises:
        RefusedError: If it is damaged, cut, a bomb, or in a coding that nobody here knows.
    """
    magic = _MAGIC.get(coding)
    is_plain = not body.startswith(magic) if magic else _is_text(body)
    if is_plain:
        return
    if coding == "br" and find_spec("brotli") is None:
        raise RefusedError("its body is brotli: pip install 'research-eval[warc]' to read it")
    raise RefusedError(f"its body is not {coding[:20]}, or is cut, or unpacks to too much")


def _is_text(body: bytes) -> bool:
    try:
        return "\0" not in body.decode("utf-8")
    except UnicodeDecodeError:
        return False


def as_canonical(
    method: str,
    uri: str,
    headers: Iterable[tuple[str, str]],
    body: bytes,
    redactor: Redactor,
    channel: Channel,
) -> CanonicalRequest:
    """Return what a client of ours would ask with this request.

    Raises:
        CassetteError: If its URL is none.
    """
    try:
        url = httpx.URL(uri)
        parts = (url.scheme, url.netloc.decode("ascii"), url.raw_path.decode("ascii"))
    except (httpx.InvalidURL, UnicodeError, ValueError) as exc:
        raise CassetteError(f"{uri[:200]!r} is not a URL: {exc}") from exc
    content_type = next((value for name, value in headers if name.lower() == "content-type"), "")
    return canonical_request(method, parts, content_type, body, redactor, channel)


def recorded_interaction(
    exchange: ForeignExchange, ordinal: int, redactor: Redactor, channel: Channel
) -> tuple[CanonicalRequest, RecordedInteraction]:
    """Return an exchange as a cassette keeps it: scrubbed, readable, under its key.

    Raises:
        SecretInCassetteError: If a known secret is still in it.
        CassetteError: If its URL is none.
    """
    canonical = as_canonical(
        exchange.method,
        exchange.uri,
        exchange.request_headers,
        exchange.request_body,
        redactor,
        channel,
    )
    done: list[RecordedInteraction | None] = []
    recording = Recording(
        canonical,
        task_id="",
        ordinal=ordinal,
        request_headers=exchange.request_headers,
        read_timeout_s=None,
        stopwatch=VirtualClock(),
        redactor=redactor,
        channel=channel,
        recorded_at=exchange.recorded_at,
        save=done.append,
    )
    headers = [(safe_text(name), safe_text(value)) for name, value in exchange.headers]
    recording.respond(exchange.status, safe_text(exchange.reason), headers)
    if exchange.body:
        recording.add(exchange.body)
    recording.finish("complete")
    if done[0] is None:
        raise CassetteError(f"{exchange.uri[:200]!r} could not be kept")
    return canonical, done[0]


def _taken(
    parts: Iterable[ForeignExchange | NotKept],
    redactor: Redactor,
    channel: Channel,
    count: ImportCount,
) -> Iterator[tuple[CanonicalRequest, RecordedInteraction]]:
    """Yield what can be kept of a foreign file, and count what cannot.

    Raises:
        SecretInCassetteError: If a known secret is still in one of them.
    """
    for part in parts:
        if isinstance(part, NotKept):
            count.leave(part)
            continue
        try:
            yield recorded_interaction(part, 0, redactor, channel)
        except SecretInCassetteError:
            raise
        except CassetteError as exc:
            count.leave(NotKept(f"{part.method} {redactor.uri(part.uri)[:100]}", str(exc), True))


def recorded_in_order(
    parts: Iterable[ForeignExchange | NotKept],
    redactor: Redactor,
    channel: Channel,
    count: ImportCount | None = None,
) -> list[RecordedInteraction]:
    """Return exchanges as one cassette keeps them; equal requests are numbered.

    Raises:
        SecretInCassetteError: If a known secret is still in one of them.
    """
    ordinals: dict[str, int] = {}
    records = []
    for canonical, record in _taken(parts, redactor, channel, count or ImportCount()):
        ordinal = ordinals.get(canonical.key, 0)
        ordinals[canonical.key] = ordinal + 1
        slot = record.recording.model_copy(update={"ordinal": ordinal})
        records.append(record.model_copy(update={"recording": slot}))
    return records


def keep_as_trial(
    parts: Iterable[ForeignExchange | NotKept],
    store: Store,
    redactor: Redactor,
    case_id: str,
    trial: int,
) -> ImportCount:
    """Keep exchanges as what one trial of a configuration said to its model.

    Raises:
        SecretInCassetteError: If a known secret is still in one of them.
        CassetteError: If the store cannot be written.
    """
    count = ImportCount()
    records = recorded_in_order(parts, redactor, "model", count)
    count.kept = len(records)
    if not records:
        return count
    configuration = Path(store.place).name
    name = trial_name(TrialKey(case_id, configuration, trial))
    metadata = CassetteMetadata(profile=PROFILE, trial=(case_id, configuration, trial))
    store.write(name, records, metadata)
    return count


def keep_as_web(
    parts: Iterable[ForeignExchange | NotKept], store: Store, redactor: Redactor
) -> ImportCount:
    """Add exchanges to a shared web; equal requests become answers one after another.

    What is there already is not added again, so that an import which was stopped can be run again.

    Raises:
        SecretInCassetteError: If a known secret is still in one of them.
        CassetteError: If the store cannot be read or written.
    """
    count = ImportCount()
    seen: Counter[tuple[str, str]] = Counter()
    for canonical, record in _taken(parts, redactor, "web", count):
        name = web_name(canonical)
        cassette = store.read(name)
        records = cassette.records() if cassette else []
        own = _outcome(record, store)
        seen[name, own] += 1
        if [_outcome(other, store) for other in records].count(own) >= seen[name, own]:
            count.known += 1
            continue
        slot = record.recording.model_copy(update={"ordinal": len(records)})
        numbered = record.model_copy(update={"recording": slot})
        store.write(name, [*records, numbered], CassetteMetadata(profile=PROFILE))
        count.kept += 1
    return count


def _outcome(record: RecordedInteraction, store: Store) -> str:
    """Return the digest of what came of a request."""
    content = body_bytes(record.response.body, store.body)
    head = (
        f"{record.response.status!r} {record.response.headers!r} {record.recording.recorded_at!r}"
    )
    return sha256(head.encode("utf-8", "surrogatepass") + content).hexdigest()
