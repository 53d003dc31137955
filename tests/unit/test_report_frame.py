"""A run opens in one line: typed records, and pandas tables of trials and what is in them."""

import pandas as pd
import pytest

from research_eval import load_run
from research_eval.errors import RecordError
from research_eval.report.aggregate import load_view
from research_eval.schema import TrialRecord
from tests.replay.conftest import research_eval


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path = tmp_path_factory.mktemp("frame")
    research_eval("run", "calibration", "--limit", "2", "--configuration", "honest", "--configuration",
                  "fabricator-fetch-only", "--no-report", "--out", "run", cwd=path)  # fmt: skip
    return load_run(path / "run")


def test_a_run_is_a_table_with_one_row_a_trial(run):
    assert len(run.trials) == 2 * 2 * 3
    passed = run.trials.groupby("configuration")["first_attempt_passed"].mean()
    assert passed.to_dict() == {"honest": 1.0, "fabricator-fetch-only": 0.0}


def test_every_trial_has_question_answer_and_expected_facts(run):
    records = {one.key: one for one in run.records()}
    for row in run.trials.itertuples():
        record = records[row.case_id, row.configuration, row.trial]
        assert isinstance(record, TrialRecord)
        assert (row.question, row.answer) == (record.question, record.answer or "")
        expected = run.cases[row.case_id].expected
        assert row.expected == "; ".join(fact.value for fact in expected)


def test_attempts_citations_and_events_are_those_of_the_records(run):
    records = list(run.records())
    attempts = [(one.key, each) for one in records for each in one.attempts]

    assert len(run.attempts) == len(attempts)
    assert list(run.attempts.answer) == [each.answer for _, each in attempts]
    cited = [c.url for _, each in attempts for c in each.verdict.citations]
    assert list(run.citations.url) == cited
    bad = run.citations[run.citations.configuration == "fabricator-fetch-only"]
    assert set(bad.violation) == {"unknown_url"}
    assert len(run.events) == sum(len(one.transcript) for one in records)


def test_scores_say_the_same_as_the_report(run):
    scores = run.scores
    scored = scores[scores.value.notna()]
    for configuration in load_view(run.folder).configurations:
        mine = scored[scored.configuration == configuration.name]
        for score in configuration.scores:
            found = mine[mine.measure == score.name]
            assert len(found) == score.scored.value, score.name
            if score.mean is not None:
                mean = (found.value * found.weight).sum() / found.weight.sum()
                assert mean == pytest.approx(score.mean)
    assert scores[scores.value.isna()].unscored.isin(["error", "not_applicable", "undecided"]).all()


def test_tables_without_rows_have_their_columns(tmp_path, run):
    for name in ("manifest.json",):
        (tmp_path / name).write_bytes((run.folder.path / name).read_bytes())
    (tmp_path / "trials.jsonl").touch()
    empty = load_run(tmp_path)

    assert isinstance(empty.citations, pd.DataFrame)
    assert list(empty.attempts.columns[:4]) == ["case_id", "configuration", "trial", "attempt"]
    assert len(empty.trials) == empty.manifest.planned


def test_a_folder_that_is_no_run_is_a_plain_error(tmp_path):
    with pytest.raises(RecordError, match=r"manifest\.json: not a run folder"):
        load_run(tmp_path)
