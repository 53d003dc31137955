"""The results of a run as one file that others can check: records, reports, and a digest of each.

The texts of pages are left out, since nobody may be free to hand them on; their digests stay in the
records.
"""

import hashlib
import io
import re
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from research_eval.errors import RecordError
from research_eval.journal import RunFolder
from research_eval.report.aggregate import load_view
from research_eval.report.output import ReportOutput, report_output
from research_eval.report.view import ReportSettings

__all__ = ["Checked", "check_bundle", "make_bundle"]

DIGESTS = "SHA256SUMS"
"""Names every other file with its digest, in the form that `sha256sum --check` reads."""
RECORDS = ("manifest.json", "trials.jsonl", "cases.jsonl", "scores.jsonl", "measures.json")
REPORTS = ("report.html", "report.md", "report.json", "scores.csv")
NAMES = frozenset((*RECORDS, *REPORTS))
"""What a bundle may hold beside the digests."""
MAX_BYTES = 20_000_000_000
"""Of all files together, unpacked."""
_LINE = re.compile(r"([0-9a-f]{64})  ([a-z.]+)")
_BLOCK = 1_000_000
_LONG_AGO = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Checked:
    """What came of checking a bundle."""

    problems: tuple[str, ...]
    """What does not agree; empty where everything does."""
    files: int
    """Files whose digest agrees."""
    trials: int
    """Trials in the journal."""


def make_bundle(folder: RunFolder, reports: Mapping[str, Iterable[bytes]]) -> Iterator[bytes]:
    """Yield the file's bytes; the same records give the same bytes.

    Args:
        folder: The run.
        reports: The reports by their names, made without the texts of pages.
    """
    digests = {}
    with tempfile.TemporaryFile() as held:
        with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as bundle:
            for name in RECORDS:
                path = folder.path / name
                if path.is_file():
                    with path.open("rb") as file:
                        digests[name] = _add(bundle, name, _blocks(file))
            for name, content in reports.items():
                digests[name] = _add(bundle, name, content)
            lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items()))
            _add(bundle, DIGESTS, [lines.encode()])
        held.seek(0)
        yield from _blocks(held)


def _add(bundle: zipfile.ZipFile, name: str, content: Iterable[bytes]) -> str:
    """Add a file and return its digest."""
    digest = hashlib.sha256()
    entry = zipfile.ZipInfo(name, _LONG_AGO)
    entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
    with bundle.open(entry, "w", force_zip64=True) as file:
        for block in content:
            digest.update(block)
            file.write(block)
    return digest.hexdigest()


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        yield block


def check_bundle(path: Path, out: Path) -> Checked:
    """Unpack a bundle, hold each file to its digest, and compute its scores again from its records.

    Args:
        path: The file.
        out: A folder for what is in it, which must be empty or not there.

    Raises:
        RecordError: If the file is no bundle, or its records cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as bundle:
            wanted = _digests(path, bundle)
            problems = [*_unpack(bundle, wanted, out)]
    except (zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError) as exc:
        raise RecordError(f"{path}: not a results bundle: {exc}") from exc
    except OSError as exc:
        raise RecordError(f"{exc.filename or path}: {exc.strerror}") from exc
    if problems:
        return Checked(tuple(problems), len(wanted) - len(problems), 0)
    view = load_view(RunFolder(out), settings=_settings(out / "report.json"))
    made = report_output(view).model_dump_json(indent=1).encode(errors="replace") + b"\n"
    if made != (out / "report.json").read_bytes():
        problems.append(
            "report.json: other values than its records give here; "
            f"made with research_eval {view.manifest.code_version}"
        )
    ran = sum(one.run.value for one in view.configurations)
    return Checked(tuple(problems), len(wanted), ran)


def _settings(report: Path) -> ReportSettings:
    """Return how the report in the bundle was made, as it says itself."""
    try:
        return ReportOutput.model_validate_json(report.read_bytes()).settings
    except ValueError as exc:
        raise RecordError(f"{report}: not a report of this version") from exc


def _digests(path: Path, bundle: zipfile.ZipFile) -> dict[str, str]:
    """Return the digest of each file, by its name.

    Raises:
        RecordError: If files and digests do not go together.
    """
    entries = {entry.filename: entry.file_size for entry in bundle.infolist()}
    if DIGESTS not in entries or entries[DIGESTS] > _BLOCK:
        raise RecordError(f"{path}: not a results bundle: no {DIGESTS}")
    lines = io.TextIOWrapper(bundle.open(DIGESTS), encoding="ascii", errors="replace")
    found = {m[2]: m[1] for line in lines if (m := _LINE.fullmatch(line.rstrip("\n")))}
    given = entries.keys() - {DIGESTS}
    if (
        found.keys() != given
        or not {"manifest.json", "trials.jsonl", "report.json"} <= given <= NAMES
    ):
        raise RecordError(f"{path}: not a results bundle: its files are not those of {DIGESTS}")
    if sum(entries.values()) > MAX_BYTES or len(bundle.infolist()) != len(entries):
        raise RecordError(f"{path}: not a results bundle: too large, or a name stands twice")
    return found


def _unpack(bundle: zipfile.ZipFile, wanted: Mapping[str, str], out: Path) -> Iterator[str]:
    """Write each file and yield what is wrong with it."""
    out.mkdir(parents=True, exist_ok=True)
    if any(out.iterdir()):
        raise RecordError(f"{out}: is not empty")
    for name, digest in sorted(wanted.items()):
        found, left = hashlib.sha256(), bundle.getinfo(name).file_size
        with bundle.open(name) as packed, (out / name).open("wb") as file:
            for block in _blocks(packed):
                left -= len(block)
                if left < 0:
                    raise RecordError(f"{name}: larger than the bundle says")
                found.update(block)
                file.write(block)
        if found.hexdigest() != digest:
            yield f"{name}: its digest is not the one in {DIGESTS}"
