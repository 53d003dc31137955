"""Foreign recordings: one exchange as somebody else kept it in, an interaction of ours out."""

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import httpx

from research_eval.cassette.asking import asked_request
from research_eval.cassette.body import body_bytes
from research_eval.cassette.exchange import trial_name
from research_eval.cassette.interaction import TapedInteraction, TapeMetadata
from research_eval.cassette.key import PROFILE, Asked
from research_eval.cassette.recording import Recording
from research_eval.cassette.redact import Channel, Redactor
from research_eval.cassette.store import Store
from research_eval.cassette.web import web_name
from research_eval.clock import VirtualClock
from research_eval.errors import CassetteError
from research_eval.schema import TrialKey

__all__ = [
    "ForeignExchange",
    "ask_again",
    "keep_as_trial",
    "keep_as_web",
    "taped",
    "taped_in_order",
]


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


def ask_again(
    method: str,
    uri: str,
    headers: Iterable[tuple[str, str]],
    body: bytes,
    redactor: Redactor,
    channel: Channel,
) -> Asked:
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
    return asked_request(method, parts, content_type, body, redactor, channel)


def taped(
    exchange: ForeignExchange, ordinal: int, redactor: Redactor, channel: Channel
) -> tuple[Asked, TapedInteraction]:
    """Return an exchange as a tape keeps it: scrubbed, readable, under its key.

    Raises:
        SecretOnTapeError: If a known secret is still in it.
        CassetteError: If its URL is none.
    """
    asked = ask_again(
        exchange.method,
        exchange.uri,
        exchange.request_headers,
        exchange.request_body,
        redactor,
        channel,
    )
    done: list[TapedInteraction | None] = []
    recording = Recording(
        asked,
        lane="",
        ordinal=ordinal,
        request_headers=exchange.request_headers,
        read_timeout_s=None,
        stopwatch=VirtualClock(),
        redactor=redactor,
        channel=channel,
        recorded_at=exchange.recorded_at,
        save=done.append,
    )
    recording.respond(exchange.status, exchange.reason, exchange.headers)
    if exchange.body:
        recording.add(exchange.body)
    recording.finish("complete")
    if done[0] is None:
        raise CassetteError(f"{exchange.uri[:200]!r} could not be kept")
    return asked, done[0]


def taped_in_order(
    exchanges: Iterable[ForeignExchange], redactor: Redactor, channel: Channel
) -> list[TapedInteraction]:
    """Return exchanges as one tape keeps them; equal requests are numbered.

    Raises:
        SecretOnTapeError: If a known secret is still in one of them.
        CassetteError: If a URL is none.
    """
    ordinals: dict[str, int] = {}
    records = []
    for exchange in exchanges:
        asked, record = taped(exchange, 0, redactor, channel)
        ordinal = ordinals.get(asked.key, 0)
        ordinals[asked.key] = ordinal + 1
        slot = record.tape.model_copy(update={"ordinal": ordinal})
        records.append(record.model_copy(update={"tape": slot}))
    return records


def keep_as_trial(
    exchanges: Iterable[ForeignExchange], store: Store, redactor: Redactor, case_id: str, trial: int
) -> int:
    """Keep exchanges as what one trial of a configuration said to its model.

    Raises:
        SecretOnTapeError: If a known secret is still in one of them.
        CassetteError: If a URL is none, or the store cannot be written.
    """
    records = taped_in_order(exchanges, redactor, "model")
    configuration = Path(store.place).name
    name = trial_name(TrialKey(case_id, configuration, trial))
    metadata = TapeMetadata(profile=PROFILE, trial=(case_id, configuration, trial))
    store.write(name, records, metadata)
    return len(records)


def keep_as_web(
    exchanges: Iterable[ForeignExchange], store: Store, redactor: Redactor
) -> tuple[int, int]:
    """Add exchanges to a shared web; equal requests become answers one after another.

    What is there already is not added again, so that an import which was stopped can be run again.

    Returns:
        How many were added, and how many were there already.

    Raises:
        SecretOnTapeError: If a known secret is still in one of them.
        CassetteError: If a URL is none, or the store cannot be written.
    """
    added = known = 0
    seen: Counter[tuple[str, str]] = Counter()
    for exchange in exchanges:
        asked, record = taped(exchange, 0, redactor, "web")
        name = web_name(asked)
        tape = store.read(name)
        records = tape.records() if tape else []
        own = _outcome(record, store)
        seen[name, own] += 1
        if [_outcome(other, store) for other in records].count(own) >= seen[name, own]:
            known += 1
            continue
        slot = record.tape.model_copy(update={"ordinal": len(records)})
        record = record.model_copy(update={"tape": slot})  # the same, numbered
        store.write(name, [*records, record], TapeMetadata(profile=PROFILE))
        added += 1
    return added, known


def _outcome(record: TapedInteraction, store: Store) -> str:
    """Return the digest of what came of a request."""
    content = body_bytes(record.response.body, store.body)
    head = f"{record.response.status!r} {record.response.headers!r} {record.tape.recorded_at!r}"
    return sha256(head.encode("utf-8", "surrogatepass") + content).hexdigest()
