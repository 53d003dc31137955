"""The journal holds every trial that was reported as done, whole, once, in plan order."""

import itertools
import json
import os
import sys

import pytest
from hypothesis import given, strategies as st

from research_eval.errors import RecordError, UsageError
from research_eval.journal import JournalWriter, RunFolder, write_whole
from research_eval.schema import Searched, SearchHit, TrialKey, TrialRecord


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


def superseded(folder: RunFolder) -> list[str]:
    return [trial.status for trial in folder.superseded()]


def test_a_trial_that_ran_again_takes_the_place_of_the_earlier_record_which_is_kept(tmp_path):
    folder = RunFolder(tmp_path)
    plan = [TrialKey(name, "c", 1) for name in "ab"]
    add_all(folder, [record("b", status="error"), record("a")]).close()

    journal = add_all(folder, [record("b")])
    assert [trial.status for trial in folder.trials()] == ["error", "completed"]
    journal.finish(plan)
    journal.close()

    assert [trial.key for trial in folder.trials()] == plan
    assert [trial.status for trial in folder.trials()] == ["completed", "completed"]
    assert superseded(folder) == ["error"]
    assert {path.name for path in tmp_path.iterdir()} == {"trials.jsonl", "timing.jsonl", "superseded.jsonl"}  # fmt: skip


def test_a_trial_that_failed_twice_in_the_same_way_is_kept_twice(tmp_path):
    folder = RunFolder(tmp_path)
    for status in ("error", "error", "completed"):
        journal = add_all(folder, [record("a", status=status)])
        journal.finish([])
        journal.close()

    assert [trial.status for trial in folder.trials()] == ["completed"]
    assert superseded(folder) == ["error", "error"]


def test_trials_that_the_order_does_not_name_stay(tmp_path):
    folder = RunFolder(tmp_path)
    journal = add_all(folder, [record(name) for name in "xbya"])

    journal.finish([TrialKey(name, "c", 1) for name in "abc"])

    assert [trial.case_id for trial in folder.trials()] == ["a", "b", "x", "y"]


def test_cut_lines_of_other_files_than_the_journal_go_too(tmp_path):
    folder = RunFolder(tmp_path)
    folder.timing_path.write_bytes(b'{"wall_s": 1}\n{"wal')
    folder.superseded_path.write_bytes(b'{"case_id"')

    journal = JournalWriter(folder)
    journal.add(record("a"), {}, {"wall_s": 2})
    journal.close()

    assert folder.timing_path.read_bytes() == b'{"wall_s": 1}\n{"wall_s": 2}\n'
    assert folder.superseded_path.read_bytes() == b""


def test_a_line_that_stands_twice_counts_once_and_goes(tmp_path):
    folder = RunFolder(tmp_path)
    add_all(folder, [record("a"), record("b")]).close()
    whole = folder.trials_path.read_bytes()
    folder.trials_path.write_bytes(whole + whole)

    JournalWriter(folder).finish([])

    assert folder.trials_path.read_bytes() == whole


def test_a_trial_that_stands_there_twice_with_two_results_is_named(tmp_path):
    folder = RunFolder(tmp_path)
    add_all(folder, [record("a")]).close()
    with folder.trials_path.open("ab") as journal:
        journal.write(record("a", status="error").model_dump_json().encode() + b"\n")

    with pytest.raises(RecordError, match=r"trials\.jsonl:2: duplicate trial a/c/1 with"):
        JournalWriter(folder)
    folder.trials_path.unlink()
    JournalWriter(folder).close()  # no lock is left


SCRIPT = {
    "a": ["completed"],
    "b": ["error", "error", "completed"],  # fails twice in the same way
    "c": ["error", "rejected"],
    "d": ["limit"],
}
"""How the tries of each trial end, one after the other."""


def session(folder: RunFolder, tries: list[tuple[str, str]]) -> None:
    journal = add_all(folder, [record(name, status=status) for name, status in tries])
    journal.finish([TrialKey(name, "c", 1) for name in SCRIPT])
    journal.close()


def killed_session(folder: RunFolder, tries: list[tuple[str, str]], step: int) -> bool:
    """Have a session end without a word at that step; return whether it came to it."""
    child = os.fork()
    if child == 0:
        steps = itertools.count()

        def hook(event, args):
            if event in {"open", "os.rename", "os.remove", "os.truncate"} and next(steps) == step:
                os._exit(9)

        sys.addaudithook(hook)
        session(folder, tries)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def history(folder: RunFolder) -> dict[str, list[str]]:
    """Return how the tries of each trial ended, as far as they are kept."""
    found: dict[str, list[str]] = {name: [] for name in SCRIPT}
    for trial in itertools.chain(folder.superseded(), folder.trials()):
        found[trial.case_id].append(trial.status)
    return found


def test_killed_at_every_step_of_a_second_try_nothing_is_lost_or_doubled(tmp_path):
    first = [("b", "error"), ("a", "completed"), ("c", "error")]
    second = [("c", "rejected"), ("d", "limit"), ("b", "error")]
    for step in itertools.count():
        folder = RunFolder(tmp_path / str(step))
        folder.path.mkdir()
        session(folder, first)

        was_killed = killed_session(folder, second, step)
        assert {trial.case_id for trial in folder.trials()} >= {"a", "b", "c"}
        JournalWriter(folder).close()
        kept = history(folder)
        assert all(tries == SCRIPT[name][: len(tries)] for name, tries in kept.items()), step
        left = {name: tries[len(kept[name]) :] for name, tries in SCRIPT.items()}
        for _ in range(3):
            session(folder, [(name, tries.pop(0)) for name, tries in left.items() if tries])

        assert history(folder) == SCRIPT, step
        assert [trial.case_id for trial in folder.trials()] == list(SCRIPT)
        assert list(folder.path.glob(".*")) == []
        if not was_killed:
            break

    assert step > 10


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


def test_half_a_character_does_not_keep_a_trial_out_of_the_journal(tmp_path):
    folder = RunFolder(tmp_path)
    hit = SearchHit(url="https://a.example/\ud83d", title="port \ude00", rank=1)
    searched = Searched(query="q \ud83d", max_results=5, hits=(hit,), served_by="s")
    broken = record("a").model_copy(update={"transcript": (searched,), "answer": "nice \ud83d"})

    journal = JournalWriter(folder)
    journal.add(broken, {"ab" * 32: "text \ud83d"}, {})
    journal.add(record("b"), {}, {})
    journal.close()

    one, other = folder.trials()
    assert (one.answer, one.replaced_surrogates) == ("nice \N{REPLACEMENT CHARACTER}", True)
    assert one.transcript[0].hits[0].title == "port \N{REPLACEMENT CHARACTER}"
    assert other.replaced_surrogates is None
    assert folder.page("ab" * 32) == "text \N{REPLACEMENT CHARACTER}"
