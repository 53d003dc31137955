"""The journal holds every trial that was reported as done, whole, once, in plan order."""

import json

import pytest
from hypothesis import given, strategies as st

from research_eval.errors import RecordError, UsageError
from research_eval.journal import JournalWriter, RunFolder, write_whole
from research_eval.schema import TrialKey, TrialRecord


def record(case_id: str, trial: int = 1, status: str = "completed") -> TrialRecord:
    return TrialRecord(
        case_id=case_id, configuration="c", trial=trial, question="Où? 日本", status=status
    )


def add_all(folder: RunFolder, records: list[TrialRecord]) -> JournalWriter:
    journal = JournalWriter(folder)
    for item in records:
        journal.add(item, {}, {})
    return journal


def test_lines_end_up_in_plan_order_whatever_order_trials_ended_in(tmp_path):
    folder = RunFolder(tmp_path)
    plan = [TrialKey(name, "c", 1) for name in "abc"]

    add_all(folder, [record("c"), record("a"), record("b")]).finish(plan)

    assert [trial.key for trial in folder.trials()] == plan


@given(st.permutations("abcde"), st.integers(0, 400))
def test_a_journal_cut_anywhere_keeps_every_whole_line(tmp_path_factory, order, cut):
    folder = RunFolder(tmp_path_factory.mktemp("run"))
    add_all(folder, [record(name) for name in order]).close()
    data = folder.trials_path.read_bytes()
    cut = min(cut, len(data))
    folder.trials_path.write_bytes(data[: len(data) - cut])

    journal = JournalWriter(folder)
    done = journal.done
    for name in order:
        if TrialKey(name, "c", 1) not in done:
            journal.add(record(name), {}, {})
    journal.finish([TrialKey(name, "c", 1) for name in order])

    assert folder.trials_path.read_bytes() == data


def test_a_page_is_written_before_the_trial_that_points_at_it(tmp_path):
    folder = RunFolder(tmp_path)

    JournalWriter(folder).add(record("a"), {"ab" * 32: "text é"}, {})

    assert folder.page("ab" * 32) == "text é"
    assert folder.page("cd" * 32) is None


def test_dropped_trials_stay_on_record_elsewhere(tmp_path):
    folder = RunFolder(tmp_path)
    journal = add_all(folder, [record("a"), record("b", status="error")])

    journal.drop([TrialKey("b", "c", 1)], tmp_path / "superseded.jsonl")
    journal.add(record("b"), {}, {})
    journal.finish([TrialKey("a", "c", 1), TrialKey("b", "c", 1)])

    assert [trial.status for trial in folder.trials()] == ["completed", "completed"]
    kept = (tmp_path / "superseded.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["status"] for line in kept] == ["error"]


def test_a_line_that_is_no_trial_is_named(tmp_path):
    folder = RunFolder(tmp_path)
    folder.trials_path.write_text('{"case_id": 1}\nnonsense\n', encoding="utf-8")

    with pytest.raises(RecordError, match=r"trials\.jsonl:1"):
        list(folder.trials())
    with pytest.raises(RecordError, match=r"trials\.jsonl:1"):
        JournalWriter(folder)


def test_another_schema_version_is_refused_by_name(tmp_path):
    folder = RunFolder(tmp_path)
    line = record("a").model_dump() | {"schema_version": 99}
    folder.trials_path.write_text(json.dumps(line) + "\n", encoding="utf-8")

    with pytest.raises(RecordError, match="schema_version 99"):
        list(folder.trials())


def test_a_folder_without_manifest_is_no_run(tmp_path):
    with pytest.raises(RecordError, match="not a run folder"):
        RunFolder(tmp_path).manifest()


def test_a_file_is_replaced_whole_or_left_alone(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def broken():
        yield b"new"
        raise ValueError("broken off")

    with pytest.raises(ValueError, match="broken off"):
        write_whole(path, broken())

    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_run_has_one_writer(tmp_path):
    folder = RunFolder(tmp_path)
    first = JournalWriter(folder)

    with pytest.raises(UsageError, match="another process writes this run"):
        JournalWriter(folder)

    first.close()
    JournalWriter(folder).close()


def test_a_journal_is_locked_until_it_is_in_order(tmp_path):
    folder = RunFolder(tmp_path)
    journal = add_all(folder, [record("b"), record("a")])
    journal.finish([TrialKey(name, "c", 1) for name in "ab"])

    with pytest.raises(UsageError):
        JournalWriter(folder)

    journal.close()


def test_what_a_killed_writer_left_half_written_is_cleared_away(tmp_path):
    left = tmp_path / ".trials.jsonl.77.tmp"
    left.write_bytes(b"half")

    add_all(RunFolder(tmp_path), [record("a")]).close()

    assert not left.exists()
