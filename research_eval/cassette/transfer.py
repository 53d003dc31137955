"""Transfer: the tapes of one store in, the same tapes in another store out."""

from collections.abc import Iterator

from research_eval.cassette.asking import asked_request
from research_eval.cassette.body import body_bytes, readable_body
from research_eval.cassette.interaction import TapedInteraction, TapeMetadata
from research_eval.cassette.pack import PackStore
from research_eval.cassette.redact import Channel, Redactor
from research_eval.cassette.store import Store
from research_eval.cassette.tape import Tape
from research_eval.cassette.web import name_of_tape

__all__ = ["copy_tapes", "scrub_tapes"]

_BATCH = 500


def copy_tapes(source: Store, target: Store) -> int:
    """Copy every tape, and return how many there were.

    Raises:
        CassetteCorruptError: If one of them cannot be read.
        CassetteError: If the target cannot be written.
    """
    batch: list[tuple[str, list[TapedInteraction], TapeMetadata]] = []
    count = 0
    for name, tape in _tapes(source):
        batch.append((name, _with_bodies(tape, source), tape.metadata))
        count += 1
        if len(batch) >= _BATCH:
            _flush(batch, target)
    _flush(batch, target)
    return count


def scrub_tapes(
    store: Store, redactor: Redactor, channel: Channel, *, is_dry: bool = False
) -> list[str]:
    """Scrub every tape again, with today's secrets and patterns; return the names of those that change.

    A tape of the shared web whose request changes gets the name that belongs to its new key.

    Raises:
        CassetteCorruptError: If one of them cannot be read.
        SecretOnTapeError: If a secret cannot be taken out.
    """
    changed = []
    for name, tape in _tapes(store):
        before = _with_bodies(tape, store)
        after = [_scrubbed(record, redactor, channel) for record in before]
        if after == before:
            continue
        changed.append(name)
        if not is_dry:
            new_name = _renamed(name, tape, after)
            if new_name == name:
                store.write(name, after, tape.metadata)
            else:
                store.write(new_name, _joined(store, new_name, after), tape.metadata)
                store.remove(name)
    return changed


def _tapes(store: Store) -> Iterator[tuple[str, Tape]]:
    for name in list(store.names()):
        tape = store.read(name)
        if tape is not None:
            yield name, tape


def _flush(batch: list[tuple[str, list[TapedInteraction], TapeMetadata]], target: Store) -> None:
    if isinstance(target, PackStore):
        target.write_many(batch)
    else:
        for name, records, metadata in batch:
            target.write(name, records, metadata)
    batch.clear()


def _with_bodies(tape: Tape, store: Store) -> list[TapedInteraction]:
    """Return the interactions with nothing kept apart from them."""
    records = []
    for record in tape.records():
        body = record.response.body
        if body.file is None:
            records.append(record)
        else:
            whole = readable_body(body_bytes(body, store.body))
            filled_in = {"response": record.response.model_copy(update={"body": whole})}
            records.append(record.model_copy(update=filled_in))
    return records


def _scrubbed(record: TapedInteraction, redactor: Redactor, channel: Channel) -> TapedInteraction:
    request, response, slot = record.request, record.response, record.tape
    kind = "; ".join(request.headers.get("content-type", ()))
    content = body_bytes(request.body, _nowhere)
    scheme, _, rest = request.uri.partition("://")
    netloc, slash, target = rest.partition("/")
    asked = asked_request(
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
    is_same_request = asked.key == slot.key
    sent = asked.content.encode() if isinstance(asked.content, str) else asked.content
    return record.model_copy(
        update={
            "request": request
            if is_same_request
            else request.model_copy(
                update={"uri": asked.uri, "body": readable_body(sent) if sent else None}
            ),
            "response": response.model_copy(
                update={
                    "headers": headers,
                    "body": response.body if same_body else readable_body(clean),
                }
            ),
            "tape": slot.model_copy(
                update={
                    "key": asked.key,
                    "error": error,
                    "chunks": slot.chunks if same_body else None,
                }
            ),
        }
    )


def _renamed(name: str, tape: Tape, after: list[TapedInteraction]) -> str:
    """Return the name for a tape whose requests have new keys; a trial's tape keeps its own."""
    if not after or tape.metadata.trial is not None:
        return name
    uri, key = after[0].request.uri, after[0].tape.key
    if tape.interactions[0].key == key:
        return name
    return name_of_tape(uri.partition("://")[2].partition("/")[0], uri, key)


def _joined(store: Store, name: str, records: list[TapedInteraction]) -> list[TapedInteraction]:
    """Return what is under `name` already and the records that are not there, as answers one after another.

    Two requests that differed in a secret alone are equal without it.
    """
    tape = store.read(name)
    joined = _with_bodies(tape, store) if tape else []
    for record in records:
        numbered = [_numbered(record, other.tape.ordinal) for other in joined]
        if not any(same == other for same, other in zip(numbered, joined, strict=True)):
            joined.append(_numbered(record, len(joined)))
    return joined


def _numbered(record: TapedInteraction, ordinal: int) -> TapedInteraction:
    return record.model_copy(update={"tape": record.tape.model_copy(update={"ordinal": ordinal})})


def _nowhere(name: str) -> bytes:
    raise AssertionError(name)
