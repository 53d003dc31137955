"""A run's folder at the start of an execution: a new one, or one that is brought up to its experiment.

What is done stays. New cases, configurations and trials are added to the plan; whatever else would make
the numbers of one run speak of two things is refused.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from research_eval.cassette import Mode
from research_eval.dataset import Case, load_cases
from research_eval.errors import UsageError
from research_eval.experiment import Configuration, Experiment
from research_eval.journal import JournalWriter, RunFolder, write_manifest, write_whole
from research_eval.runner.manifest import differences, make_manifest
from research_eval.runner.options import RunOptions
from research_eval.runner.pricing import today
from research_eval.schema import RunRecord, TrialKey
from research_eval.secret import clean_json

__all__ = [
    "Whole",
    "find_other_run",
    "manifest_of",
    "open_journal",
    "require_same",
    "whole_run",
    "write_plan",
]

MOST_NAMED = 3
ADVICE = "give another --out, or --overwrite to replace it"


class Whole(NamedTuple):
    """What a folder holds or is to hold, whatever part of it runs now."""

    cases: Sequence[Case]
    configurations: Sequence[Configuration]
    earlier: RunRecord | None = None
    """What the run in the folder says of itself; `None` where there is none to go on with."""


def whole_run(
    experiment: Experiment,
    cases: Sequence[Case],
    configurations: Sequence[Configuration],
    options: RunOptions,
) -> Whole:
    """Return what was selected together with what the folder holds, in the experiment's order.

    Raises:
        UsageError: If the experiment lacks something that the folder holds.
    """
    folder = RunFolder(options.out)
    if options.overwrite or not (folder.path / "manifest.json").exists():
        return Whole(cases, configurations)
    earlier = folder.manifest()
    held, chosen = set(earlier.case_ids), {case.id for case in cases}
    names, picked = {one.name for one in earlier.configurations}, {c.name for c in configurations}
    every = load_cases(experiment.dataset_path)
    gone = [id_ for id_ in earlier.case_ids if id_ not in {case.id for case in every}]
    known = {one.name for one in experiment.settings.configuration}
    lacks = [one.name for one in earlier.configurations if one.name not in known]
    for what, missing in (("cases", gone), ("configurations", lacks)):
        if missing:
            raise UsageError(
                f"{folder.path}: holds {what} that the experiment lacks: {_named(missing)}; {ADVICE}"
            )
    return Whole(
        [case for case in every if case.id in held | chosen],
        [one for one in experiment.settings.configuration if one.name in names | picked],
        earlier,
    )


def manifest_of(
    experiment: Experiment,
    whole: Whole,
    options: RunOptions,
    digest: Callable[[Sequence[str]], str | None],
) -> tuple[RunRecord, list[str]]:
    """Return the manifest of the whole run, and what it changes of the one in the folder, in words.

    Args:
        experiment: The settings.
        whole: What the run holds.
        options: How to run.
        digest: Gives the digest of the recordings that configurations of these names replay.

    Raises:
        UsageError: If the folder holds a run of something else.
    """

    def made(cases: Sequence[Case], configurations: Sequence[Configuration]) -> RunRecord:
        modes: tuple[Mode, Mode] = (options.model_mode, options.web_mode)
        return make_manifest(
            experiment,
            cases,
            configurations,
            model_mode=modes[0],
            web_mode=modes[1],
            cassettes_sha256=digest([one.name for one in configurations]),
            on=today(),
        )

    manifest, earlier = made(whole.cases, whole.configurations), whole.earlier
    if earlier is None:
        return manifest, []
    names = {one.name for one in earlier.configurations}
    held = [case for case in whole.cases if case.id in set(earlier.case_ids)]
    then = made(held, [one for one in whole.configurations if one.name in names])
    if then.trials > earlier.trials:
        then = then.model_copy(update={"trials": earlier.trials})
    _refuse_changes(RunFolder(options.out), then, held, may_record_more=options.is_replay)
    same = {"code_version": earlier.code_version, "packages": earlier.packages}
    return manifest.model_copy(update=same), list(_growth(earlier, manifest, then))


def find_other_run(
    experiment: Experiment,
    cases: Sequence[Case],
    configurations: Sequence[Configuration],
    options: RunOptions,
) -> str | None:
    """Return why the run in the folder cannot be gone on with; `None` where it can, or there is none."""
    try:
        whole = whole_run(experiment, cases, configurations, options)
        if whole.earlier is not None:
            manifest_of(experiment, whole, options, lambda _: None)
    except UsageError as exc:
        return str(exc)
    return None


def _refuse_changes(
    folder: RunFolder, now: RunRecord, held: Sequence[Case], *, may_record_more: bool
) -> None:
    changed = differences(folder.manifest(), now)
    if may_record_more:  # what is done is replayed then, to see whether it is the same
        changed = [line for line in changed if not line.startswith("cassettes_sha256: ")]
    changed = [_with_name(line, now) for line in changed]
    changed = [
        _changed_cases(folder, held) or line if line.startswith("dataset_sha256: ") else line
        for line in changed
    ]
    if changed:
        more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
        raise UsageError(
            f"{folder.path}: holds a run of something else: {changed[0]}{more}; {ADVICE}"
        )


def _with_name(line: str, now: RunRecord) -> str:
    """Return a difference with a configuration's name in place of its number."""
    found = re.match(r"configurations\.(\d+)\.(.*)", line, re.DOTALL)
    return f"configuration {now.configurations[int(found[1])].name}: {found[2]}" if found else line


def _changed_cases(folder: RunFolder, held: Sequence[Case]) -> str | None:
    """Say which cases are not what they were; `None` where nobody knows."""
    try:
        lines = set(folder.cases_path.read_bytes().splitlines(keepends=True))
    except OSError:
        return None
    changed = [case.id for case in held if _line_of(case) not in lines]
    return f"cases changed: {_named(changed)}" if changed else None


def _growth(earlier: RunRecord, now: RunRecord, then: RunRecord) -> Iterator[str]:
    ids = [id_ for id_ in now.case_ids if id_ not in set(earlier.case_ids)]
    had = {one.name for one in earlier.configurations}
    names = [one.name for one in now.configurations if one.name not in had]
    for what, added in (("cases", ids), ("configurations", names)):
        if added:
            yield f"adds {len(added)} {what}: {_named(added)}"
    if now.trials != earlier.trials:
        yield f"trials of each case: {earlier.trials} -> {now.trials}"
    if then.cassettes_sha256 != earlier.cassettes_sha256:
        yield "the recordings changed: trials that are done are replayed, to see whether they are the same"


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_NAMED]) + (", \u2026" if len(names) > MOST_NAMED else "")


def open_journal(folder: RunFolder, whole: Whole, manifest: RunRecord) -> JournalWriter:
    """Open the journal of a run, new or gone on with; nothing of an earlier run is written yet.

    Raises:
        UsageError: If the folder holds something else, or another process writes it.
    """
    if whole.earlier is None:
        if (folder.path / "manifest.json").exists():
            raise UsageError(f"{folder.path}: holds a run already; {ADVICE}")
        _start_folder(folder, whole, manifest)
    return JournalWriter(folder)


def require_same(folder: RunFolder, found: Mapping[TrialKey, str]) -> None:
    """Refuse trials that ended otherwise when they were replayed.

    Raises:
        UsageError: With the first of them.
    """
    unlike: list[TrialKey] = []
    with folder.open_trials() as lines:
        for line in lines:
            key = folder.trial_in(line, 0).key
            if key in found and clean_json(found[key]).encode() + b"\n" != line:
                unlike.append(key)
    if unlike:
        raise UsageError(
            f"{folder.path}: holds a run of something else: by the recordings of today {len(unlike)} "
            f"trials end otherwise, the first {'/'.join(map(str, unlike[0]))}; {ADVICE}"
        )


def write_plan(folder: RunFolder, whole: Whole, manifest: RunRecord) -> None:
    """Write what a run holds, once all that was done is known to belong to it."""
    if whole.earlier is None or folder.manifest() == manifest:
        return
    if whole.earlier.case_ids != manifest.case_ids:
        write_whole(folder.cases_path, map(_line_of, whole.cases))
    write_manifest(folder, manifest)


def _start_folder(folder: RunFolder, whole: Whole, manifest: RunRecord) -> None:
    """Write what stands in a run's folder before the first trial; the manifest says that it does."""
    path = folder.path
    if path.exists() and not all(map(_is_leftover, path.iterdir())):
        raise UsageError(f"{path}: is not empty and holds no run; give another --out")
    path.mkdir(parents=True, exist_ok=True)
    write_whole(folder.cases_path, map(_line_of, whole.cases))
    write_manifest(folder, manifest)


def _line_of(case: Case) -> bytes:
    return clean_json(case.model_dump_json(exclude_none=True)).encode() + b"\n"


def _is_leftover(path: Path) -> bool:
    """Return whether a start that was killed left this behind."""
    return path.name == "cases.jsonl" or (path.name.startswith(".") and path.suffix == ".tmp")


def take_back_start(folder: RunFolder, *, keeps_folder: bool) -> None:
    """Remove what stands in a run's folder before the first trial, if no trial followed."""
    before = (
        folder.path / "manifest.json",
        folder.cases_path,
        folder.executions_path,
        folder.spending_path,
    )
    empty = (folder.trials_path, folder.timing_path)
    if not all(map(_is_empty, empty)):
        return
    for path in (*before, *empty):
        path.unlink(missing_ok=True)
    if not keeps_folder and not any(folder.path.iterdir()):
        folder.path.rmdir()


def _is_empty(path: Path) -> bool:
    return not path.exists() or path.stat().st_size == 0
