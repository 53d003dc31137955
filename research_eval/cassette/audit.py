"""Audits: a store of recordings in, what is wrong with it out."""

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Literal, NamedTuple

from research_eval.cassette.body import body_bytes
from research_eval.cassette.file import Cassette
from research_eval.cassette.foreign import as_canonical
from research_eval.cassette.playback import Interaction
from research_eval.cassette.redact import Channel, Redactor
from research_eval.cassette.store import Store
from research_eval.errors import CassetteError, SecretInCassetteError
from research_eval.secret import shapes_in

__all__ = ["Finding", "FindingKind", "prune", "verify"]

FindingKind = Literal[
    "unreadable",
    "unsealed",
    "duplicate",
    "misfiled",
    "wrong_key",
    "orphan",
    "orphan_body",
    "unplayed",
    "secret",
    "looks_secret",
]
"""What can be wrong: a file that cannot be read back; one without a checksum, whose damage nobody
would notice; the same slot twice; a cassette under another's
name; a key that is not the request's; a cassette of no trial; a body of no cassette; a recording that no
trial plays; a known secret; something that has the shape of a key."""


class Finding(NamedTuple):
    """One thing that is wrong."""

    kind: FindingKind
    name: str
    """The cassette or body."""
    detail: str


def verify(
    store: Store,
    redactor: Redactor,
    channel: Channel,
    *,
    expected: Collection[str] | None = None,
    played: Collection[str] | None = None,
) -> Iterator[Finding]:
    """Return everything that is wrong with a store.

    Args:
        store: The recordings.
        redactor: Knows the secrets to look for.
        channel: Whose traffic it is.
        expected: Names of the cassettes that some trial has; without it none is an orphan.
        played: What a whole replay played, as `name#ordinal`; without it nothing is unplayed.
    """
    referred: set[str] = set()
    for words in store.damage():
        yield Finding("unreadable", "", words)
    for name in list(store.names()):
        if expected is not None and name not in expected:
            yield Finding("orphan", name, "no trial of the experiment has it")
        try:
            cassette = store.read(name)
            if cassette is None:
                continue
            referred.update(_bodies(cassette))
            if played is not None:
                yield from _unplayed(name, cassette, played)
            yield from _verify_cassette(store, name, cassette, redactor, channel)
        except SecretInCassetteError as exc:
            yield Finding("secret", name, str(exc))
        except CassetteError as exc:
            yield Finding("unreadable", name, str(exc))
    for body in store.body_names():
        if body not in referred:
            yield Finding("orphan_body", f"bodies/{body}", "no cassette refers to it")


def prune(store: Store, orphans: Collection[str], *, is_dry: bool = False) -> list[str]:
    """Remove the cassettes `orphans`, and bodies that no other cassette refers to; return their names.

    Raises:
        CassetteCorruptError: If a cassette that stays cannot be read: what it refers to is unknown then.
    """
    gone = set(orphans)
    staying = [name for name in store.names() if name not in gone]
    referred = {
        body for name in staying if (cassette := store.read(name)) for body in _bodies(cassette)
    }
    loose = [body for body in store.body_names() if body not in referred]
    if not is_dry:
        for name in gone:
            store.remove(name)
        for body in loose:
            store.remove_body(body)
    return [*sorted(gone), *(f"bodies/{body}" for body in loose)]


def _verify_cassette(
    store: Store, name: str, cassette: Cassette, redactor: Redactor, channel: Channel
) -> Iterator[Finding]:
    if not cassette.is_sealed:
        yield Finding("unsealed", name, "no checksum: add it with `cassette seal`")
    slots = Counter(
        (record.recording.task_id, record.recording.key, record.recording.ordinal)
        for record in cassette.records()
    )
    for (_, key, ordinal), count in slots.items():
        if count > 1:
            yield Finding("duplicate", name, f"{count} recordings for key {key}, number {ordinal}")
    if cassette.metadata.trial is None and any(not name.endswith(f".{key}") for _, key, _ in slots):
        yield Finding("misfiled", name, "its name is not that of its requests")
    for number, record in enumerate(cassette.records()):
        interaction = Interaction.of(record, store.body)
        interaction.pieces()
        headers = [
            (field, value) for field, values in record.request.headers.items() for value in values
        ]
        request = record.request
        canonical = as_canonical(
            request.method,
            request.uri,
            headers,
            body_bytes(request.body, store.body),
            Redactor(),
            channel,
        )
        if canonical.key != record.recording.key:
            yield Finding(
                "wrong_key", name, f"interaction {number}: its key is not that of its request"
            )
        text = f"{record.model_dump_json()}\n{interaction.content.decode('utf-8', 'replace')}"
        redactor.check(text, f"interaction {number}")
        redactor.check_bytes(interaction.content, f"interaction {number}")
        for shape in (
            *shapes_in(text.encode("utf-8", "surrogatepass")),
            *shapes_in(interaction.content),
        ):
            yield Finding(
                "looks_secret",
                name,
                f"interaction {number}: {shape[:8]}… has the shape of a key",
            )


def _unplayed(name: str, cassette: Cassette, played: Collection[str]) -> Iterator[Finding]:
    for record in cassette.records():
        if f"{name}#{record.recording.ordinal}" not in played:
            yield Finding(
                "unplayed", name, f"recording {record.recording.ordinal} was played by no trial"
            )


def _bodies(cassette: Cassette) -> Iterator[str]:
    for record in cassette.records():
        file = record.response.body.file
        if file is not None:
            yield file
