"""Merging keeps all that the parts of a run keep, once: trials, earlier tries, figures, scores, pages."""

import shutil
from pathlib import Path

import pytest

from research_eval.analysis.store import ScoreLines, read_scores, scores_path
from research_eval.errors import UsageError
from research_eval.journal import JournalWriter, RunFolder, write_manifest
from research_eval.runner.merge import merge_runs
from research_eval.schema import ConfigurationSummary, RunRecord, Scored, TrialKey, TrialRecord

MANIFEST = RunRecord(
    experiment="e", experiment_sha256="0", dataset="d", dataset_sha256="0", dataset_is_synthetic=True,
    cassettes_sha256=None, code_version="1", packages={}, model_mode="live", web_mode="live", seed=0,
    trials=1, case_ids=("a", "b", "c"),
    configurations=(
        ConfigurationSummary(
            name="x", model="m", is_reference_agent=False, gate="default@1", max_retries=0, max_turns=1,
            search="none", tools=("fetch",), settings={},
        ),
    ),
)  # fmt: skip


def part(path: Path, **tries: tuple[str, ...]) -> RunFolder:
    """Return a run that holds, by case, the last of some tries of each trial, and the others beside it."""
    folder = RunFolder(path)
    path.mkdir()
    folder.cases_path.write_text('{"id":"a","question":"?"}\n', encoding="utf-8")
    write_manifest(folder, MANIFEST)
    for case_id, statuses in tries.items():
        for number, status in enumerate(statuses):
            add(folder, case_id, status, number)
    return folder


def add(folder: RunFolder, case_id: str, status: str, number: int = 0) -> None:
    journal = JournalWriter(folder)
    record = TrialRecord(case_id=case_id, configuration="x", trial=1, question="?", status=status)
    page = (case_id * 64)[:64]
    journal.add(record, {page: f"of {case_id}"}, {"case_id": case_id, "wall_s": number})
    journal.finish([])
    journal.close()


def score(folder: RunFolder, case_id: str, value: float) -> None:
    line = ScoreLines().of(TrialKey(case_id, "x", 1), {"mine": [Scored(name="mine", value=value)]})
    with scores_path(folder).open("ab") as scores:
        scores.write(line)


def endings(folder: RunFolder) -> list[tuple[str, str]]:
    return [(trial.case_id, trial.status) for trial in (*folder.superseded(), *folder.trials())]


def figures(folder: RunFolder) -> list[bytes]:
    return folder.timing_path.read_bytes().splitlines()


def test_everything_that_the_parts_hold_is_in_the_merged_run(tmp_path):
    one = part(tmp_path / "1", c=("error", "error", "completed"))
    two = part(tmp_path / "2", a=("rejected",), b=("error", "refused"))
    score(one, "c", 1)
    score(two, "a", 0.5)

    assert merge_runs([one.path, two.path], tmp_path / "all") == (3, 3)

    merged = RunFolder(tmp_path / "all")
    assert endings(merged) == [
        ("c", "error"), ("c", "error"), ("b", "error"),
        ("a", "rejected"), ("b", "refused"), ("c", "completed"),
    ]  # fmt: skip
    assert figures(merged) == figures(one) + figures(two)
    assert [row.case_id for row in read_scores(merged)] == ["c", "a"]
    assert [merged.page(case_id * 64) for case_id in "abc"] == ["of a", "of b", "of c"]
    names = {path.name for folder in (one, two) for path in folder.path.iterdir()}
    assert {path.name for path in merged.path.iterdir()} == names, "no file of a run is left out"


def test_what_a_copy_brings_with_it_counts_once(tmp_path):
    one = part(tmp_path / "1", a=("error", "error"), b=("completed",))
    score(one, "b", 1)
    two = RunFolder(shutil.copytree(one.path, tmp_path / "2"))
    three = RunFolder(shutil.copytree(one.path, tmp_path / "3"))
    add(two, "c", "completed", 9)

    assert merge_runs([one.path, two.path, three.path], tmp_path / "all") == (3, 3)

    assert endings(RunFolder(tmp_path / "all")) == endings(two)
    assert figures(RunFolder(tmp_path / "all")) == figures(two)
    assert len(list(read_scores(RunFolder(tmp_path / "all")))) == 1


def test_a_copy_that_failed_once_more_brings_that_try(tmp_path):
    one = part(tmp_path / "1", a=("error", "error"))
    two = RunFolder(shutil.copytree(one.path, tmp_path / "2"))
    add(two, "a", "error", 2)

    merge_runs([one.path, two.path], tmp_path / "all")

    assert endings(RunFolder(tmp_path / "all")) == [("a", "error")] * 3


def test_two_results_or_scores_of_one_trial_are_named_and_nothing_is_written(tmp_path):
    one, two = part(tmp_path / "1", a=("completed",)), part(tmp_path / "2", a=("rejected",))
    three, four = part(tmp_path / "3", a=("completed",)), part(tmp_path / "4", a=("completed",))
    score(three, "a", 0)
    score(four, "a", 1)

    with pytest.raises(UsageError, match=r"2: trial a/x/1 differs from another run's"):
        merge_runs([one.path, two.path], tmp_path / "all")
    with pytest.raises(UsageError, match=r"4: trial a/x/1, scored by mine, differs"):
        merge_runs([three.path, four.path], tmp_path / "all")

    assert not (tmp_path / "all").exists()


def test_tries_that_a_kill_left_beside_the_journal_are_not_left_out_in_silence(tmp_path):
    one = part(tmp_path / "1", a=("error",))
    journal = JournalWriter(one)
    again = TrialRecord(case_id="a", configuration="x", trial=1, question="?", status="completed")
    journal.add(again, {}, {})
    journal.close()

    with pytest.raises(UsageError, match="trials that ran again are not in its journal yet"):
        merge_runs([one.path], tmp_path / "all")

    JournalWriter(one).close()
    merge_runs([one.path], tmp_path / "all")
    assert endings(RunFolder(tmp_path / "all")) == [("a", "error"), ("a", "completed")]


def test_parts_of_different_experiments_are_not_merged(tmp_path):
    one, two = part(tmp_path / "1", a=("completed",)), part(tmp_path / "2", b=("completed",))
    write_manifest(two, MANIFEST.model_copy(update={"settings": {"record_from": "world"}}))
    write_manifest(one, MANIFEST.model_copy(update={"settings": {"record_from": "internet"}}))

    with pytest.raises(UsageError, match=r"differs from .*1: record_from: 'internet' -> 'world'"):
        merge_runs([one.path, two.path], tmp_path / "all")
