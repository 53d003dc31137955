"""What judging reads of a journal is what the whole records say, in pieces of any size."""

import json

import pytest

from research_eval.errors import RecordError
from research_eval.journal import JournalWriter, RunFolder
from research_eval.journal.piece import pieces_of
from research_eval.journal.stored import read_piece, told_by
from tests.story import Story


def run_of(folder, number=7):
    run = RunFolder(folder)
    journal = JournalWriter(run)
    for trial in range(number):
        story = Story()
        story.search("https://a.example/1", "https://a.example/ü", served_by="serper")
        story.fetch("https://a.example/1", "text " * trial)
        story.fetch("https://a.example/2", error="http_404")
        story.answer("It is so (https://a.example/1).").answer("Or (https://b.example/2).")
        journal.add(story.record(trial=trial + 1), {}, {})
    journal.close()
    return run


@pytest.mark.parametrize("size", [1, 1000, 5000, 10**7])
def test_pieces_hold_every_trial_once_and_all_that_judging_needs(tmp_path, size):
    run = run_of(tmp_path)

    read = [trial for chunk in pieces_of(run, size) for trial in read_piece(chunk)]

    assert read == [told_by(record) for record in run.trials()]


def test_a_last_line_that_was_cut_is_left_out(tmp_path):
    run = run_of(tmp_path)
    whole = run.trials_path.read_bytes()
    run.trials_path.write_bytes(whole[:-20])

    read = [trial for chunk in pieces_of(run, 4000) for trial in read_piece(chunk)]

    assert len(read) == 6


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"schema_version": 99}, "schema_version 99 is not one that this version reads"),
        ({"transcript": [{"kind": "gate", "attempt": "x"}]}, "transcript.0.gate"),
        ({"transcript": [{"kind": "fetch", "url": 1, "ok": True}]}, "transcript.0.fetch.url"),
        ({"transcript": [{"kind": "search", "hits": [{}]}]}, "transcript.0.search"),
    ],
)
def test_a_faulty_line_is_named_with_its_number(tmp_path, change, says):
    run = run_of(tmp_path)
    lines = run.trials_path.read_text("utf-8").splitlines()
    lines[4] = json.dumps(json.loads(lines[4]) | change)
    run.trials_path.write_text("\n".join(lines) + "\n", "utf-8")

    with pytest.raises(RecordError) as caught:
        [list(read_piece(chunk)) for chunk in pieces_of(run, 3000)]

    assert f"{run.trials_path}:5: " in str(caught.value)
    assert says in str(caught.value)


def test_a_line_that_is_nested_without_end_is_refused_in_one_line(tmp_path):
    run = run_of(tmp_path)
    lines = run.trials_path.read_text("utf-8").splitlines()
    lines[2] = lines[2][:-1] + ', "more": ' + "[" * 200_000 + "]" * 200_000 + "}"
    run.trials_path.write_text("\n".join(lines) + "\n", "utf-8")

    with pytest.raises(RecordError) as caught:
        [list(read_piece(chunk)) for chunk in pieces_of(run)]

    assert str(caught.value).startswith(f"{run.trials_path}:3: ")


def test_no_journal_is_said_in_one_line(tmp_path):
    with pytest.raises(RecordError, match="No such file"):
        list(pieces_of(RunFolder(tmp_path)))
