"""Put the shards of one experiment together into one run folder."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from research_eval.errors import UsageError
from research_eval.journal import JournalWriter, RunFolder, write_manifest, write_whole
from research_eval.runner.manifest import differences
from research_eval.runner.plan import plan_trials
from research_eval.schema import RunRecord, TrialKey, TrialRecord

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
    plan = plan_trials(
        manifest.case_ids, [item.name for item in manifest.configurations], manifest.trials
    )
    journal = JournalWriter(target)
    try:
        _add_all(journal, folders, target)
        journal.finish(plan)
    finally:
        journal.close()
    return len(plan), len(journal.done)


def _add_all(journal: JournalWriter, folders: Sequence[RunFolder], target: RunFolder) -> None:
    seen: dict[TrialKey, TrialRecord] = {}
    for folder in folders:
        for record in folder.trials():
            if _is_new(record, seen, folder):
                journal.add(record, {}, {})
        _copy_pages(folder, target)


def _common_manifest(folders: Sequence[RunFolder]) -> RunRecord:
    first = folders[0].manifest()
    for folder in folders[1:]:
        changed = differences(first, folder.manifest())
        if changed:
            raise UsageError(f"{folder.path}: differs from {folders[0].path}: {changed[0]}")
    return first


def _is_new(record: TrialRecord, seen: dict[TrialKey, TrialRecord], folder: RunFolder) -> bool:
    known = seen.setdefault(record.key, record)
    if known is not record and known != record:
        name = "/".join(map(str, record.key))
        raise UsageError(f"{folder.path}: trial {name} differs from another run's")
    return known is record


def _copy_pages(source: RunFolder, target: RunFolder) -> None:
    for path in sorted((source.path / "pages").glob("*/*.txt")):
        copy = target.page_path(path.stem)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists():
            shutil.copyfile(path, copy)
