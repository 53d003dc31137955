"""Transfer: the cassettes of one store in, the same cassettes in another store out."""

from collections.abc import Iterator

from research_eval.cassette.body import body_bytes, readable_body
from research_eval.cassette.canonical_request import canonical_request
from research_eval.cassette.file import Cassette
from research_eval.cassette.interaction import CassetteMetadata, RecordedInteraction
from research_eval.cassette.pack import PackStore
from research_eval.cassette.redact import Channel, Redactor
from research_eval.cassette.store import Store
from research_eval.cassette.web import name_of_cassette

__all__ = ["copy_cassettes", "scrub_cassettes"]

_BATCH = 500


def copy_cassettes(source: Store, target: Store) -> int:
    """Copy every cassette, and return how many there were.

    Raises:
        CassetteCorruptError: If one of them cannot be read.
        CassetteError: If the target cannot be written.
    """
    batch: list[tuple[str, list[RecordedInteraction], CassetteMetadata]] = []
    count = 0
    for name, cassette in _cassettes(source):
        batch.append((name, _with_bodies(cassette, source), cassette.metadata))
        count += 1
        if len(batch) >= _BATCH:
            _flush(batch, target)
    _flush(batch, target)
    return count


def scrub_cassettes(
    store: Store, redactor: Redactor, channel: Channel, *, is_dry: bool = False
) -> list[str]:
    """Scrub every cassette again, with today's secrets and patterns; return the names of those that change.

    A cassette of the shared web whose request changes gets the name that belongs to its new key.

    Raises:
        CassetteCorruptError: If one of them cannot be read.
        SecretInCassetteError: If a secret cannot be taken out.
    """
    changed = []
    for name, cassette in _cassettes(store):
        before = _with_bodies(cassette, store)
        after = [_scrubbed(record, redactor, channel) for record in before]
        if after == before:
            continue
        changed.append(name)
        if not is_dry:
            new_name = _renamed(name, cassette, after)
            if new_name == name:
                store.write(name, after, cassette.metadata)
            else:
                store.write(new_name, _joined(store, new_name, after), cassette.metadata)
                store.remove(name)
    return changed


def _cassettes(store: Store) -> Iterator[tuple[str, Cassette]]:
    for name in list(store.names()):
        cassette = store.read(name)
        if cassette is not None:
            yield name, cassette


def _flush(
    batch: list[tuple[str, list[RecordedInteraction], CassetteMetadata]], target: Store
) -> None:
    if isinstance(target, PackStore):
        target.write_many(batch)
    else:
        for name, records, metadata in batch:
            target.write(name, records, metadata)
    batch.clear()


def _with_bodies(cassette: Cassette, store: Store) -> list[RecordedInteraction]:
    """Return the interactions with nothing kept apart from them."""
    records = []
    for record in cassette.records():
        body = record.response.body
        if body.file is None:
            records.append(record)
        else:
            whole = readable_body(body_bytes(body, store.body))
            filled_in = {"response": record.response.model_copy(update={"body": whole})}
            records.append(record.model_copy(update=filled_in))
    return records


def _scrubbed(
    record: RecordedInteraction, redactor: Redactor, channel: Channel
) -> RecordedInteraction:
    request, response, slot = record.request, record.response, record.recording
    kind = "; ".join(request.headers.get("content-type", ()))
    content = body_bytes(request.body, _nowhere)
    scheme, _, rest = request.uri.partition("://")
    netloc, slash, target = rest.partition("/")
    canonical = canonical_request(
        request.method, (scheme, netloc, f"{slash}{target}"), kind, content, redactor, channel
    )
    body = body_bytes(response.body, _nowhere)
    response_kind = "; ".join(response.headers.get("content-type", ()))
    clean = redactor.content(body, response_kind, channel)
    same_body = clean == body
    headers = {name: tuple(map(redactor.uri, values)) for name, values in response.headers.items()}
    if not same_body:
        headers.pop("content-length", None)
    error = slot.error and slot.error.model_copy(
        update={"message": redactor.uri(slot.error.message)}
    )
    is_same_request = canonical.key == slot.key
    sent = canonical.content.encode() if isinstance(canonical.content, str) else canonical.content
    return record.model_copy(
        update={
            "request": request
            if is_same_request
            else request.model_copy(
                update={"uri": canonical.uri, "body": readable_body(sent) if sent else None}
            ),
            "response": response.model_copy(
                update={
                    "headers": headers,
                    "body": response.body if same_body else readable_body(clean),
                }
            ),
            "recording": slot.model_copy(
                update={
                    "key": canonical.key,
                    "error": error,
                    "chunks": slot.chunks if same_body else None,
                }
            ),
        }
    )


def _renamed(name: str, cassette: Cassette, after: list[RecordedInteraction]) -> str:
    """Return the name for a cassette whose requests have new keys; a trial's cassette keeps its own."""
    if not after or cassette.metadata.trial is not None:
        return name
    uri, key = after[0].request.uri, after[0].recording.key
    if cassette.interactions[0].key == key:
        return name
    return name_of_cassette(uri.partition("://")[2].partition("/")[0], uri, key)


def _joined(
    store: Store, name: str, records: list[RecordedInteraction]
) -> list[RecordedInteraction]:
    """Return what is under `name` already and the records that are not there, as answers one after another.

    Two requests that differed in a secret alone are equal without it.
    """
    cassette = store.read(name)
    joined = _with_bodies(cassette, store) if cassette else []
    for record in records:
        numbered = [_numbered(record, other.recording.ordinal) for other in joined]
        if not any(same == other for same, other in zip(numbered, joined, strict=True)):
            joined.append(_numbered(record, len(joined)))
    return joined


def _numbered(record: RecordedInteraction, ordinal: int) -> RecordedInteraction:
    return record.model_copy(
        update={"recording": record.recording.model_copy(update={"ordinal": ordinal})}
    )


def _nowhere(name: str) -> bytes:
    raise AssertionError(name)
