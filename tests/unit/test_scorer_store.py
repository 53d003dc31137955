"""Added scores stand beside the run and beside one another."""

import pytest

from research_eval.analysis.scoring import add_scores, score_piece
from research_eval.analysis.store import read_scores, registry_of, run_cases, stored_scores
from research_eval.errors import ConfigError, RecordError, UsageError
from research_eval.journal import RunFolder
from research_eval.journal.piece import Piece, pieces_of
from research_eval.schema import Scored
from research_eval.scorer import BUILT_IN, Measure, declares, registry

PAGE = "https://morvane.example/toll"


@pytest.fixture
def folder(story, tmp_path):
    trials = [story().fetch(PAGE, "Text.").answer(f"4 ({PAGE})").record(trial=n) for n in (1, 2)]
    lines = [trial.model_dump_json(exclude_none=True) for trial in trials]
    (tmp_path / "trials.jsonl").write_text("\n".join(lines) + "\n")
    return RunFolder(tmp_path)


def test_scores_are_kept_by_trial_and_scorer(folder):
    add_scores(folder, ["gate", "gate", "efficiency"])

    rows = list(read_scores(folder))
    assert [(row.trial, row.scorer) for row in rows] == [
        (1, "gate"),
        (1, "efficiency"),
        (2, "gate"),
        (2, "efficiency"),
    ]
    assert stored_scores(folder, ["turns"])[rows[0].key] == (Scored(name="turns", value=2.0),)
    assert stored_scores(folder)[rows[0].key][0] == Scored(name="first_attempt_passed", value=1.0)


def test_new_scores_stand_beside_old_ones_and_replace_their_own(folder):
    add_scores(folder, ["gate"])
    add_scores(folder, ["efficiency"])
    once = (folder.path / "scores.jsonl").read_bytes()
    add_scores(folder, ["efficiency"])

    assert (folder.path / "scores.jsonl").read_bytes() == once
    assert [row.scorer for row in read_scores(folder)] == ["gate"] * 2 + ["efficiency"] * 2


def test_the_caller_is_shown_each_piece_and_its_sums(folder):
    pieces = []
    add_scores(folder, ["gate"], seen=pieces.append)

    (piece,) = pieces
    assert piece.trials == 2
    assert piece.end >= folder.trials_path.stat().st_size
    assert piece.table.column("final_passed").sums[0].sum() == 2
    assert {row.trial for row in piece.table.rows} == {0}


def test_a_line_is_what_its_record_is_written_as(folder):
    add_scores(folder, [*BUILT_IN, f"{__name__}:odd"])
    with (folder.path / "scores.jsonl").open("rb") as lines:
        written = list(lines)

    assert [row.model_dump_json().encode() + b"\n" for row in read_scores(folder)] == written
    assert len(written) == 2 * (len(BUILT_IN) + 1)


@declares(Measure('of "my" own \u20ac\x01', "points", "higher", "odd", "For tests."))
def odd(case, trial, pages):
    yield Scored(name='of "my" own \u20ac\x01', value=0.1 + 0.2)


def test_pieces_give_what_the_whole_journal_gives(folder):
    add_scores(folder, BUILT_IN)
    chunks = list(pieces_of(folder, size=10))
    pieces = [score_piece(chunk, tuple(BUILT_IN)) for chunk in chunks]

    assert len(pieces) == 2
    assert b"".join(one.lines for one in pieces) == (folder.path / "scores.jsonl").read_bytes()


def test_a_process_that_lacks_a_scorer_says_so(folder):
    (chunk,) = pieces_of(folder)

    with pytest.raises(ConfigError, match=r"a worker lacks a scorer.*no_such_module"):
        score_piece(chunk, ("no_such_module:mine",))


def test_a_last_line_that_was_cut_is_no_trial(folder):
    with folder.trials_path.open("a") as journal:
        journal.write('{"schema_version":1,"case')
    (chunk,) = pieces_of(folder)

    assert score_piece(chunk, ("gate",)).trials == 2


def test_a_damaged_line_of_a_later_piece_is_named_by_its_number(folder):
    size = folder.trials_path.stat().st_size
    with folder.trials_path.open("a") as journal:
        journal.write("{}\n")

    with pytest.raises(RecordError, match=r"trials\.jsonl:3: "):
        score_piece(Piece(str(folder.path), size, size + 3), ("gate",))


def test_the_cases_are_read_again_when_they_changed(folder):
    (chunk,) = pieces_of(folder)
    cases = folder.cases_path
    found = []
    for answerable in ("true", "false"):
        cases.write_text(f'{{"id": "toll", "question": "q", "answerable": {answerable}}}\n')
        found.append(score_piece(chunk, ("correctness",)).lines)

    assert found[0] != found[1]


def test_a_run_without_scores_has_none(folder):
    assert list(read_scores(folder)) == []
    assert stored_scores(folder) == {}


def test_an_unknown_scorer_leaves_everything_as_it_was(folder):
    with pytest.raises(ConfigError, match="no-such"):
        add_scores(folder, ["gate", "no-such"])

    assert not (folder.path / "scores.jsonl").exists()


def test_a_damaged_journal_leaves_the_old_scores(folder):
    add_scores(folder, ["gate"])
    before = (folder.path / "scores.jsonl").read_bytes()
    folder.trials_path.write_text("{}\n")

    with pytest.raises(RecordError, match=r"trials\.jsonl:1"):
        add_scores(folder, ["efficiency"])
    assert (folder.path / "scores.jsonl").read_bytes() == before
    assert sorted(p.name for p in folder.path.iterdir()) == ["scores.jsonl", "trials.jsonl"]


def test_a_damaged_score_is_named_by_file_and_line(folder):
    (folder.path / "scores.jsonl").write_text('{"schema_version": 7}\n')

    with pytest.raises(RecordError, match=r"scores\.jsonl:1: "):
        list(read_scores(folder))


def test_a_place_that_cannot_be_written_is_a_usage_error(folder, tmp_path):
    (tmp_path / "scores.jsonl").mkdir()
    (tmp_path / "scores.jsonl" / "in the way").touch()

    with pytest.raises(UsageError, match="cannot be written"):
        add_scores(folder, ["gate"])


def test_a_run_may_have_kept_its_cases(folder, tmp_path):
    assert run_cases(folder) == {}
    (tmp_path / "cases.jsonl").write_text('{"id": "toll", "question": "q"}\n')

    assert set(run_cases(folder)) == {"toll"}


@pytest.mark.parametrize(
    ("name", "better", "unit"),
    [
        ("final_passed", "higher", "yes_no"),
        ("final_any_fabricated", "lower", "yes_no"),
        ("final_cited_opened", "higher", "share"),
        ("final_cited_fabricated", "lower", "share"),
        ("support_red", "lower", "share"),
        ("repair_gave_up", "neither", "share"),
        ("turns", "lower", "count"),
        ("cost_usd", "lower", "usd"),
        ("virtual_seconds", "lower", "seconds"),
        ("passed_despite:timeout", "higher", "yes_no"),
        ("of_my_own", "neither", "points"),
    ],
)
def test_a_measure_has_a_direction_and_a_unit(name, better, unit):
    found = registry().of(name)

    assert (found.name, found.better, found.unit) == (name, better, unit)


def test_what_a_scorer_of_ones_own_declares_is_kept_beside_its_scores(folder):
    add_scores(folder, [f"{__name__}:odd"])
    add_scores(folder, ["gate"])
    (mine,) = [one for one in registry_of(folder) if one.heading == "odd"]

    assert (mine.unit, mine.better, mine.meaning) == ("points", "higher", "For tests.")


def test_a_declaration_that_cannot_be_read_is_named_by_its_file(folder):
    (folder.path / "measures.json").write_text('[{"name": "x", "unit": "miles"}]')

    with pytest.raises(RecordError, match=r"measures\.json: 0\.unit"):
        registry_of(folder)
