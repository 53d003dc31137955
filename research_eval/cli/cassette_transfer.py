"""The commands of `research-eval cassette` that take recordings elsewhere, or from there."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from research_eval.cli.cassette_place import OUT, PLACE, find_place, known_redactor

if TYPE_CHECKING:
    from research_eval.cassette.place import NamedStore

__all__ = ["export_vcr", "export_warc", "import_vcr", "import_warc", "pack", "unpack"]


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
def import_warc(warc: Path, place: Path) -> None:
    """Take over the crawl in the file WARC.

    It becomes part of the recorded web in the folder PLACE.
    """
    from research_eval.cassette.warc import read_warc

    _import_web(warc, read_warc(warc), place)


@click.command("export-vcr")
@PLACE
@OUT
@click.option("--name", default="", help="Only tapes whose name begins so.")
def export_vcr(place: Path, out: Path, name: str) -> None:
    """Write recordings as one ordinary vcrpy cassette.

    JSON or YAML, by the name of OUT.
    """
    from research_eval.cassette.place import find_tape
    from research_eval.cassette.vcrpy import write_vcrpy

    tapes = (
        (tape, named.store.body)
        for named, tape_name in find_tape(find_place(place).stores, name)
        if (tape := named.store.read(tape_name)) is not None
    )
    click.echo(f"{write_vcrpy(tapes, out)} exchanges written to {out}")


@click.command("import-vcr")
@click.argument("source", type=click.Path(path_type=Path))
@PLACE
@click.option("--trial", metavar="CASE/NUMBER", help="Keep it as the model exchanges of one trial.")
def import_vcr(source: Path, place: Path, trial: str | None) -> None:
    """Take over the vcrpy cassette SOURCE.

    As part of a recorded web, or with --trial as one trial of a configuration.
    """
    from research_eval.cassette.foreign import keep_as_trial
    from research_eval.cassette.opening import open_store
    from research_eval.cassette.vcrpy import read_vcrpy

    if trial is None:
        _import_web(source, read_vcrpy(source), place)
        return
    redactor = known_redactor()
    case, _, number = trial.rpartition("/")
    if not case or not number.isdecimal():
        raise click.BadParameter("expected CASE/NUMBER, for instance capital-of-france/1")
    exchanges = list(read_vcrpy(source))
    _require_some(source, len(exchanges))
    count = keep_as_trial(
        exchanges, open_store(place, redactor, is_named=True), redactor, case, int(number)
    )
    click.echo(f"{count} exchanges kept in {place}")


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
    from research_eval.cassette.transfer import copy_tapes

    count = copy_tapes(source, target)
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


def _import_web(source: Path, exchanges: Any, place: Path) -> None:  # noqa: ANN401  # an iterator of exchanges
    from research_eval.cassette.foreign import keep_as_web
    from research_eval.cassette.opening import open_store

    redactor = known_redactor()
    store = open_store(place, redactor, has_shared_bodies=True, is_named=True)
    kept, known = keep_as_web(exchanges, store, redactor)
    store.close()
    _require_some(source, kept + known)
    also = f", {known} were there already" if known else ""
    click.echo(f"{kept} exchanges kept in {place}{also}")


def _require_some(source: Path, count: int) -> None:
    from research_eval.errors import CassetteError

    if not count:
        raise CassetteError(f"{source}: holds no exchange that could be taken over")
