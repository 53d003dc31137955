"""The commands of `research-eval cassette` that take recordings elsewhere, or from there."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from research_eval.cli.cassette_place import OUT, PLACE, find_place, known_redactor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from research_eval.cassette.foreign import ForeignExchange, ImportCount, NotKept
    from research_eval.cassette.place import NamedStore

__all__ = [
    "export_vcr",
    "export_warc",
    "import_har",
    "import_vcr",
    "import_warc",
    "pack",
    "unpack",
]

REFUSED = 1
"""Exit status of an import that could not keep a response."""

_TRIAL = click.option(
    "--trial", metavar="CASE/NUMBER", help="Keep it as the model exchanges of one trial."
)


@click.command("export-warc")
@PLACE
@OUT
def export_warc(place: Path, out: Path) -> None:
    """Write the recorded web at PLACE as a compressed WARC file."""
    from research_eval.cassette.warc import write_warc

    exported = write_warc(_the_web(place).store, out)
    click.echo(f"{exported.written} exchanges written to {out}")
    if exported.failures:
        click.echo(f"{exported.failures} recorded failures have no response and were left out")


@click.command("import-warc")
@click.argument("warc", type=click.Path(path_type=Path))
@PLACE
def import_warc(warc: Path, place: Path) -> int:
    """Take over the crawl in the file WARC.

    It becomes part of the recorded web in the folder PLACE.
    Says what was kept, skipped and refused; exits 1 if a response was refused.
    """
    from research_eval.cassette.warc_reading import read_warc

    return _import(warc, read_warc(warc), place, None)


@click.command("export-vcr")
@PLACE
@OUT
@click.option("--name", default="", help="Only cassettes whose name starts with it.")
def export_vcr(place: Path, out: Path, name: str) -> None:
    """Write recordings as one ordinary vcrpy cassette.

    JSON or YAML, by the name of OUT.
    """
    from research_eval.cassette.place import find_cassette
    from research_eval.cassette.vcrpy import write_vcrpy

    cassettes = (
        (cassette, named.store.body)
        for named, cassette_name in find_cassette(find_place(place).stores, name)
        if (cassette := named.store.read(cassette_name)) is not None
    )
    click.echo(f"{write_vcrpy(cassettes, out)} exchanges written to {out}")


@click.command("import-vcr")
@click.argument("source", type=click.Path(path_type=Path))
@PLACE
@_TRIAL
def import_vcr(source: Path, place: Path, trial: str | None) -> int:
    """Take over the cassette SOURCE of vcrpy or a relative of it.

    As part of a recorded web, or with --trial as one trial of a configuration.
    Says what was kept, skipped and refused; exits 1 if a response was refused.
    """
    from research_eval.cassette.vcrpy_reading import read_vcrpy

    return _import(source, read_vcrpy(source), place, trial)


@click.command("import-har")
@click.argument("har", type=click.Path(path_type=Path))
@PLACE
@_TRIAL
def import_har(har: Path, place: Path, trial: str | None) -> int:
    """Take over the file HAR, which a browser or a proxy saved.

    As part of a recorded web, or with --trial as one trial of a configuration.
    Says what was kept, skipped and refused; exits 1 if a response was refused.
    """
    from research_eval.cassette.har import read_har

    return _import(har, read_har(har), place, trial)


@click.command()
@PLACE
def pack(place: Path) -> None:
    """Pack each folder of recordings into one file.

    The file stands in the folder's place.
    """
    from research_eval.cassette.opening import PACK_SUFFIX
    from research_eval.cassette.pack import PackStore
    from research_eval.cassette.store import FolderStore

    moved = False
    for named in find_place(place).stores:
        if isinstance(named.store, FolderStore):
            folder = named.store.folder
            part = folder.with_name(f".{folder.name}{PACK_SUFFIX}.part")
            part.unlink(missing_ok=True)
            packed = PackStore(part, known_redactor())
            packed.create()
            count = _copy(named.store, packed)
            part.replace(folder.with_name(folder.name + PACK_SUFFIX))
        elif (folder := Path(named.store.place).with_suffix("")).is_dir():
            # it was stopped after the file was whole and before the folder was gone
            is_web = named.channel == "web"
            left = FolderStore(folder, known_redactor(), has_shared_bodies=is_web)
            count = _copy(left, named.store)
        else:
            continue
        _remove_folder(folder)
        moved = True
        click.echo(f"{named.label}: {count} cassettes moved to {folder}{PACK_SUFFIX}")
    if not moved:
        click.echo(f"{place}: is packed already")


@click.command()
@PLACE
def unpack(place: Path) -> None:
    """Unpack each packed file into a folder of readable files.

    The folder stands in the file's place.
    """
    from research_eval.cassette.pack import PackStore
    from research_eval.cassette.store import FolderStore

    moved = False
    for named in find_place(place).stores:
        if isinstance(named.store, PackStore):
            moved = True
            folder = Path(named.store.place).with_name(named.label)
            is_web = named.channel == "web"
            target = FolderStore(folder, known_redactor(), has_shared_bodies=is_web)
            count = _copy(named.store, target)
            Path(named.store.place).unlink()
            click.echo(f"{named.label}: {count} cassettes moved to {folder}")
    if not moved:
        click.echo(f"{place}: nothing here is packed")


def _copy(source: Any, target: Any) -> int:  # noqa: ANN401  # either kind of store
    from research_eval.cassette.transfer import copy_cassettes

    count = copy_cassettes(source, target)
    target.close()
    source.close()
    return count


def _remove_folder(folder: Path) -> None:
    import shutil

    if folder.is_symlink():  # a person named it; what it leads to is not ours to remove
        folder.unlink()
    else:
        shutil.rmtree(folder)


def _the_web(place: Path) -> "NamedStore":
    from research_eval.errors import CassetteError

    for named in find_place(place).stores:
        if named.channel == "web":
            return named
    raise CassetteError(f"{place}: holds no recorded web")


def _import(
    source: Path, parts: "Iterable[ForeignExchange | NotKept]", place: Path, trial: str | None
) -> int:
    """Keep the parts of a foreign file, say what became of them, and return the exit status."""
    from research_eval.cassette.foreign import keep_as_trial, keep_as_web
    from research_eval.cassette.opening import open_store
    from research_eval.errors import CassetteError

    redactor = known_redactor()
    if trial is None:
        store = open_store(place, redactor, has_shared_bodies=True, is_named=True)
        count = keep_as_web(parts, store, redactor)
    else:
        case, _, number = trial.rpartition("/")
        if not case or not (number.isascii() and number.isdecimal() and len(number) < 10):
            raise click.BadParameter("expected CASE/NUMBER, for instance capital-of-france/1")
        store = open_store(place, redactor, is_named=True)
        count = keep_as_trial(parts, store, redactor, case, int(number))
    store.close()
    if count.is_empty and not count.skipped:
        raise CassetteError(f"{source}: holds no exchange that could be taken over")
    _print_count(count, place)
    return REFUSED if count.refused or not (count.kept or count.known) else 0


def _print_count(count: "ImportCount", place: Path) -> None:
    from research_eval.schema.display import one_line

    also = f", {count.known} were there already" if count.known else ""
    click.echo(f"{count.kept} exchanges kept in {place}{also}")
    for what, number in sorted(count.skipped.items()):
        click.echo(f"skipped: {number} {one_line(what, 200)}")
    for reason in count.reasons:
        click.echo(f"refused: {one_line(reason, 400)}")
    if count.refused > len(count.reasons):
        click.echo(f"refused: … and {count.refused - len(count.reasons)} more")
    click.echo(
        f"{count.kept + count.known} kept, {count.skipped.total()} skipped, {count.refused} refused"
    )
