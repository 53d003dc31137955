"""Put the shards of one experiment together into one run folder."""

import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from research_eval.analysis.store import read_scores, scores_path
from research_eval.errors import UsageError
from research_eval.journal import JournalWriter, RunFolder, write_manifest, write_whole
from research_eval.journal.lines import lines_of
from research_eval.journal.rerun import find_reruns
from research_eval.runner.manifest import differences
from research_eval.runner.plan import plan_of
from research_eval.schema import Record, RunRecord, TrialKey

__all__ = ["merge_runs"]


def merge_runs(sources: Sequence[Path], out: Path) -> tuple[int, int]:
    """Merge runs of the same experiment into the new folder `out`.

    Returns:
        How many trials were planned, and how many the merged run holds.

    Raises:
        UsageError: If the runs differ in a setting, two disagree about a trial, or `out` is in use.
    """
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise UsageError(f"{out}: is not an empty folder; give another --out")
    folders = [RunFolder(path) for path in sources]
    manifest = _common_manifest(folders)
    out = out.absolute()
    draft = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        merged = _merge_into(RunFolder(draft), folders, manifest)
        draft.replace(out)
    except OSError as exc:
        raise UsageError(f"{exc.filename or out}: cannot be merged: {exc.strerror}") from exc
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return merged


def _merge_into(
    target: RunFolder, folders: Sequence[RunFolder], manifest: RunRecord
) -> tuple[int, int]:
    """Write the merged run; a reader finds it under its own name only when it is whole."""
    target.path.mkdir(parents=True)
    write_whole(target.cases_path, folders[0].cases_path.read_bytes())
    write_manifest(target, manifest)
    plan = plan_of(manifest)
    journal = JournalWriter(target)
    try:
        _add_all(journal, folders, target)
        journal.finish(plan)
    finally:
        journal.close()
    write_whole(target.timing_path, _every_line([folder.timing_path for folder in folders]))
    if any(folder.executions_path.exists() for folder in folders):
        executions = [folder.executions_path for folder in folders]
        write_whole(target.executions_path, _every_line(executions))
    if any(folder.superseded_path.exists() for folder in folders):
        earlier = [folder.superseded_path for folder in folders]
        write_whole(target.superseded_path, _every_line(earlier))
    if any(scores_path(folder).exists() for folder in folders):
        write_whole(scores_path(target), _scores(folders))
    return len(plan), len(journal.done.intersection(plan))


def _add_all(journal: JournalWriter, folders: Sequence[RunFolder], target: RunFolder) -> None:
    seen: dict[TrialKey, bytes] = {}
    for folder in folders:
        for record in folder.trials():
            if _is_new(record.key, record, seen, folder):
                journal.add(record, {}, {})
        _copy_pages(folder, target)


def _every_line(paths: Iterable[Path]) -> Iterator[bytes]:
    """Yield the lines of all files; those that a copy of a run brings with it count once."""
    most = Counter[bytes]()
    for path in paths:
        here = Counter[bytes]()
        for _, line in lines_of(path):
            content = sha256(line).digest()
            here[content] += 1
            if here[content] > most[content]:
                yield line
        most |= here


def _scores(folders: Iterable[RunFolder]) -> Iterator[bytes]:
    """Yield the scores that were added to the runs."""
    seen: dict[tuple[TrialKey, str], bytes] = {}
    for folder in folders:
        for row in read_scores(folder):
            if _is_new((row.key, row.scorer), row, seen, folder):
                yield row.model_dump_json().encode() + b"\n"


def _common_manifest(folders: Sequence[RunFolder]) -> RunRecord:
    first = folders[0].manifest()
    for folder in folders:
        changed = differences(first, folder.manifest())
        if changed:
            raise UsageError(f"{folder.path}: differs from {folders[0].path}: {changed[0]}")
        if find_reruns(folder.path):
            raise UsageError(
                f"{folder.path}: trials that ran again are not in its journal yet, for the run was "
                "killed: go on with the same command first"
            )
    return first


Name = TypeVar("Name", TrialKey, tuple[TrialKey, str])


def _is_new(name: Name, record: Record, seen: dict[Name, bytes], folder: RunFolder) -> bool:
    """Return whether no run before had it.

    Raises:
        UsageError: If one had it and it was another.
    """
    content = sha256(record.model_dump_json().encode()).digest()
    known = seen.setdefault(name, content)
    if known != content:
        raise UsageError(f"{folder.path}: {_words(record)} differs from another run's")
    return known is content


def _words(record: Record) -> str:
    data = record.model_dump(include={"case_id", "configuration", "trial", "scorer"})
    scorer = f", scored by {data.pop('scorer')}," if "scorer" in data else ""
    return f"trial {'/'.join(map(str, data.values()))}{scorer}"


def _copy_pages(source: RunFolder, target: RunFolder) -> None:
    for path in sorted((source.path / "pages").glob("*/*.txt")):
        copy = target.page_path(path.stem)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists():
            shutil.copyfile(path, copy)
