"""`research-eval cassette`: look at recordings, check them, repair them, and exchange them with other tools."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from research_eval.cli.cassette_place import PLACE, FoundPlace, find_place, known_redactor
from research_eval.cli.cassette_transfer import (
    export_vcr,
    export_warc,
    import_har,
    import_vcr,
    import_warc,
    pack,
    unpack,
)

if TYPE_CHECKING:
    from research_eval.cassette.interaction import RecordedInteraction
    from research_eval.cassette.place import NamedStore
    from research_eval.cassette.playback import Interaction
    from research_eval.cassette.store import Store

__all__ = ["cassette"]

_DRY = click.option("--dry-run", is_flag=True, help="Say what would change, and change nothing.")
_SHOWN_BYTES = 4000


@click.group()
def cassette() -> None:
    """Look at recordings, check them, repair them, and exchange them with other tools.

    PLACE is an experiment's TOML file, `bundled`, `calibration`, a folder of recordings, one of the folders in it,
    or a packed file.
    """


@cassette.command()
@PLACE
@click.option("--host", help="Only requests to this host.")
def ls(place: Path, host: str | None) -> None:
    """Print one line an exchange: name, request, outcome, bytes."""
    for named, name, interaction in _interactions(find_place(place)):
        if host is None or f"://{host}/" in f"{interaction.uri}/":
            words = (
                f"{named.label}/{name}#{interaction.ordinal}",
                f"{interaction.method} {interaction.uri}",
                _outcome(interaction),
                str(len(interaction.content)),
            )
            click.echo("\t".join(words))


@cassette.command()
@PLACE
@click.argument("name")
@click.option("--whole", is_flag=True, help="Print whole bodies.")
def show(place: Path, name: str, whole: bool) -> None:
    """Print the exchanges whose name, as `ls` prints it, starts with NAME."""
    from research_eval.cassette.place import find_cassette
    from research_eval.errors import CassetteError

    found = False
    for named, cassette_name in find_cassette(find_place(place).stores, name.partition("#")[0]):
        file = named.store.read(cassette_name)
        for number, record in enumerate(file.records() if file else ()):
            ordinal = name.partition("#")[2]
            if ordinal in {"", str(record.recording.ordinal)}:
                found = True
                click.echo(f"=== {named.label}/{cassette_name}, exchange {number + 1}")
                _show(record, named.store, None if whole else _SHOWN_BYTES)
    if not found:
        raise CassetteError(f"{place}: holds no recording called {name!r}")


@cassette.command()
@PLACE
@click.option(
    "--played",
    type=click.Path(path_type=Path),
    help="A file from `replay --played`: what a replay used, one `name#number` a line.",
)
def verify(place: Path, played: Path | None) -> int:
    """Find damaged and unused recordings, and secrets.

    Also duplicated, misfiled and unplayed ones. Exits 1 if there are any.

    Secrets are looked for by value (those in the environment) and by shape.
    Unused recordings are found only if PLACE is an experiment.
    """
    from research_eval.cassette.audit import verify as verify_store

    found = find_place(place)
    lines = None if played is None else set(_read_lines(played))
    count = cassettes = 0
    for named in found.stores:
        cassettes += sum(1 for _ in named.store.names())
        findings = verify_store(
            named.store,
            known_redactor(),
            named.channel,
            expected=None if found.expected is None else found.expected.get(named.label),
            played=lines if named.channel == "web" else None,
        )
        for finding in findings:
            count += 1
            click.echo(f"{finding.kind}\t{named.label}/{finding.name}\t{finding.detail}")
    click.echo(f"{cassettes} cassettes, {count} findings")
    return 1 if count else 0


@cassette.command()
@PLACE
@click.argument("name", default="")
def seal(place: Path, name: str) -> int:
    """Write a new checksum into recordings that you changed on purpose, or that have none.

    Only those whose name, as `ls` prints it, starts with NAME. Exits 1 if one is damaged.
    """
    from research_eval.cassette.place import find_cassette
    from research_eval.errors import CassetteCorruptError

    count = damaged = 0
    for named, cassette_name in find_cassette(find_place(place).stores, name):
        try:
            if named.store.seal(cassette_name):
                count += 1
                click.echo(f"{named.label}/{cassette_name}")
        except CassetteCorruptError as exc:
            damaged += 1
            click.echo(f"{exc}", err=True)
    click.echo(f"{count} sealed, {damaged} damaged")
    return 1 if damaged else 0


@cassette.command()
@PLACE
@click.option("--pattern", "patterns", multiple=True, metavar="REGEX", help="Scrub what matches.")
@click.option(
    "--field", "fields", multiple=True, metavar="NAME", help="Scrub JSON and query fields."
)
@_DRY
def scrub(place: Path, patterns: tuple[str, ...], fields: tuple[str, ...], dry_run: bool) -> None:
    """Remove secrets from existing recordings.

    Secrets are values of the environment, known fields, and your own patterns.
    """
    from research_eval.cassette.transfer import scrub_cassettes

    find_place(place)  # an experiment names its variables
    redactor = known_redactor(patterns, fields)
    count = 0
    for named in find_place(place, redactor).stores:
        for name in scrub_cassettes(named.store, redactor, named.channel, is_dry=dry_run):
            count += 1
            click.echo(f"{named.label}/{name}")
        if not dry_run:
            _prune(named, set())
    click.echo(f"{count} cassettes {'would change' if dry_run else 'changed'}")


@cassette.command()
@PLACE
@_DRY
def prune(place: Path, dry_run: bool) -> None:
    """Remove recordings that nothing uses.

    These are recordings of trials that the experiment no longer has, and bodies without a recording.
    """
    found = find_place(place)
    count = 0
    for named in found.stores:
        expected = None if found.expected is None else found.expected.get(named.label)
        names = set(named.store.names())
        orphans = names - expected if expected is not None else set()
        for name in _prune(named, orphans, is_dry=dry_run):
            count += 1
            click.echo(f"{named.label}/{name}")
    click.echo(f"{count} {'would be removed' if dry_run else 'removed'}")


@cassette.command()
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
def diff(before: Path, after: Path) -> int:
    """Say which recorded exchanges differ between two places.

    Folders are compared by name, and the recorded web with the recorded web; a single folder left
    over in each place is compared with the other, whatever they are called. Exits 1 if any differs.
    """
    from research_eval.cassette.comparison import compare_stores, paired_stores

    count = 0
    for label, old, new in paired_stores(find_place(before).stores, find_place(after).stores):
        for change in compare_stores(old, new):
            count += 1
            click.echo(f"{change.kind}\t{label}/{change.place}\t{change.request}\t{change.detail}")
    return 1 if count else 0


@cassette.command()
@PLACE
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def stats(place: Path, as_json: bool) -> None:
    """Count files, exchanges, bytes, hosts and statuses.

    Requests with more than one answer are named.
    """
    import json

    from research_eval.cassette.comparison import figures

    all_figures = {
        named.label: figures(named.store)._asdict() for named in find_place(place).stores
    }
    if as_json:
        click.echo(json.dumps(all_figures, ensure_ascii=False, sort_keys=True))
        return
    for label, values in all_figures.items():
        click.echo(label)
        for name, value in values.items():
            shown = (
                ", ".join(f"{key} {n}" for key, n in value.items())
                if isinstance(value, dict)
                else value
            )
            click.echo(
                f"  {name.replace('_', ' ')}: {'; '.join(shown) if isinstance(shown, list) else shown}"
            )


def _interactions(found: FoundPlace) -> "Iterator[tuple[NamedStore, str, Interaction]]":
    for named in found.stores:
        for name in named.store.names():
            file = named.store.read(name)
            for interaction in file.interactions if file else ():
                yield named, name, interaction


def _prune(named: "NamedStore", orphans: set[str], *, is_dry: bool = False) -> list[str]:
    from research_eval.cassette.audit import prune as prune_store

    return prune_store(named.store, orphans, is_dry=is_dry)


def _read_lines(path: Path) -> list[str]:
    from research_eval.errors import CassetteError

    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as exc:
        raise CassetteError(f"{path}: cannot be read: {exc}") from exc


def _outcome(interaction: "Interaction") -> str:
    if interaction.error is not None:
        return interaction.error.type
    end = "" if interaction.end == "complete" else f" ({interaction.end.replace('_', ' ')})"
    return f"{interaction.status}{end}"


def _show(record: "RecordedInteraction", store: "Store", limit: int | None) -> None:
    from research_eval.cassette.body import body_bytes
    from research_eval.cassette.playback import Interaction

    slot = record.recording
    click.echo(f"{record.request.method} {record.request.uri}")
    _show_part(record.request.headers, body_bytes(record.request.body, store.body), limit)
    outcome = _outcome(Interaction.of(record, store.body))
    click.echo(f"--- {outcome} after {slot.latency_s:g} s, key {slot.key}")
    _show_part(record.response.headers, body_bytes(record.response.body, store.body), limit)
    if slot.error is not None:
        click.echo(f"--- {slot.error.type}: {slot.error.message}")


def _show_part(headers: dict[str, tuple[str, ...]], body: bytes, limit: int | None) -> None:
    for name, values in headers.items():
        for value in values:
            click.echo(f"{name}: {value}")
    try:
        text = _pretty(body.decode("utf-8"))
    except UnicodeDecodeError:
        text = f"({len(body)} bytes that are no text)"
    shown = text if limit is None else text[:limit]
    click.echo(
        f"\n{_visible(shown)}{'' if len(shown) == len(text) else f' … ({len(text)} characters)'}"
    )


def _pretty(text: str) -> str:
    import json

    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    except (ValueError, RecursionError):
        return text


def _visible(text: str) -> str:
    """Return text that cannot steer a terminal."""
    keep: Callable[[str], bool] = lambda sign: sign in "\n\t" or sign.isprintable()  # noqa: E731  # one line says it
    return "".join(sign if keep(sign) else f"\\x{ord(sign):02x}" for sign in text)


for _command in (export_warc, import_warc, export_vcr, import_vcr, import_har, pack, unpack):
    cassette.add_command(_command)
