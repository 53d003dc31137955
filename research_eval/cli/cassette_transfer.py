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

    _import_web(read_warc(warc), place)


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
        _import_web(read_vcrpy(source), place)
        return
    redactor = known_redactor()
    case, _, number = trial.rpartition("/")
    if not case or not number.isdecimal():
        raise click.BadParameter("expected CASE/NUMBER, for instance capital-of-france/1")
    count = keep_as_trial(
        read_vcrpy(source), open_store(place, redactor), redactor, case, int(number)
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

    for named in find_place(place).stores:
        if isinstance(named.store, FolderStore):
            folder = named.store.folder
            _move(named, PackStore(folder.with_name(folder.name + PACK_SUFFIX), known_redactor()))


@click.command()
@PLACE
def unpack(place: Path) -> None:
    """Unpack each packed file into a folder of readable files.

    The folder stands in the file's place.
    """
    from research_eval.cassette.pack import PackStore
    from research_eval.cassette.store import FolderStore

    for named in find_place(place).stores:
        if isinstance(named.store, PackStore):
            folder = named.store.path.with_name(named.label)
            is_web = named.channel == "web"
            _move(named, FolderStore(folder, known_redactor(), has_shared_bodies=is_web))


def _move(named: "NamedStore", target: Any) -> None:  # noqa: ANN401  # either kind of store
    import shutil

    from research_eval.cassette.transfer import copy_tapes

    count = copy_tapes(named.store, target)
    target.close()
    named.store.close()
    old = Path(named.store.place)
    if old.is_dir():
        shutil.rmtree(old)
    else:
        old.unlink()
    click.echo(f"{named.label}: {count} cassettes moved to {target.place}")


def _the_web(place: Path) -> "NamedStore":
    from research_eval.errors import CassetteError

    for named in find_place(place).stores:
        if named.channel == "web":
            return named
    raise CassetteError(f"{place}: holds no recorded web")


def _import_web(exchanges: Any, place: Path) -> None:  # noqa: ANN401  # an iterator of exchanges
    from research_eval.cassette.foreign import keep_as_web
    from research_eval.cassette.opening import open_store

    redactor = known_redactor()
    count = keep_as_web(exchanges, open_store(place, redactor, has_shared_bodies=True), redactor)
    click.echo(f"{count} exchanges kept in {place}")
