"""`research-eval report`: files, exit statuses and messages."""

import json

import pytest
from click.testing import CliRunner

from research_eval.analysis.store import StoredScores, scores_path
from research_eval.cli.main import cli
from research_eval.errors import RecordError, UsageError
from research_eval.schema import Scored

GOOD = "See https://a.example/ there"


@pytest.fixture
def folder(made, make_folder):
    record = made.manifest([made.configuration()], ["case-1"])
    return make_folder(record, [made.trial([made.checked(1, GOOD)])])


def call(*arguments: object):
    runner = CliRunner(env={"COLUMNS": "80"})
    words = ["report", *map(str, arguments)]
    return runner.invoke(cli, words, standalone_mode=False, catch_exceptions=True)


def test_it_writes_the_files_that_were_asked_for(folder, tmp_path) -> None:
    result = call(folder.path, "--format", "md,csv", "--out", tmp_path / "made" / "here")

    assert result.return_value == 0
    assert sorted(path.name for path in (tmp_path / "made" / "here").iterdir()) == [
        "report.md",
        "scores.csv",
    ]
    assert "wrote" in result.output
    assert "100.0 %" in result.output


def test_quiet_prints_no_table(folder) -> None:
    assert "100.0 %" not in call(folder.path, "--format", "csv", "--quiet").output


def test_a_run_with_too_few_judged_trials_exits_3(made, make_folder) -> None:
    record = made.manifest([made.configuration()], ["case-1", "case-2"])
    folder = make_folder(record, [made.trial([made.checked(1, GOOD)])])

    assert call(folder.path, "--format", "md").return_value == 3
    assert "INCONCLUSIVE" in (folder.path / "report.md").read_text(encoding="utf-8")
    assert call(folder.path, "--format", "md", "--coverage-floor", "0.5").return_value == 0
    assert "INCONCLUSIVE" not in (folder.path / "report.md").read_text(encoding="utf-8")


def test_json_holds_what_score_prints_and_the_manifest(folder) -> None:
    call(folder.path, "--format", "json")
    found = json.loads((folder.path / "report.json").read_bytes())
    (alpha,) = found["scores"]["configurations"]
    by_name = {one["measure"]: one for one in alpha["measures"]}

    assert found["schema_version"] == 1
    assert found["manifest"]["experiment"] == found["scores"]["experiment"]
    assert (by_name["final_passed"]["value"], by_name["final_passed"]["n"]) == (1.0, 1.0)
    assert by_name["final_passed"]["better"] == "higher"


def test_an_unknown_format_is_one_line(folder) -> None:
    result = call(folder.path, "--format", "pdf")

    assert isinstance(result.exception, UsageError)
    assert (
        str(result.exception)
        == "--format: unknown 'pdf'; known: md, html, csv, junit, json, parquet, latex, svg, png, zip"
    )
    assert not (folder.path / "report.md").exists()


def test_a_folder_that_is_no_run_is_one_line(tmp_path) -> None:
    result = call(tmp_path / "nothing")

    assert isinstance(result.exception, RecordError)
    assert "manifest.json" in str(result.exception)


def test_a_damaged_journal_names_its_line(folder) -> None:
    with folder.trials_path.open("a", encoding="utf-8") as file:
        file.write("{}\n")
    result = call(folder.path)

    assert isinstance(result.exception, RecordError)
    assert "trials.jsonl:2" in str(result.exception)


def test_an_unwritable_folder_is_one_line_and_leaves_nothing(folder, tmp_path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    result = call(folder.path, "--format", "md", "--out", tmp_path / "file")

    assert isinstance(result.exception, UsageError)
    assert "cannot be written" in str(result.exception)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "in the way"


def test_scores_that_were_added_later_are_shown(folder) -> None:
    row = StoredScores(
        case_id="case-1", configuration="alpha", trial=1, scorer="own",
        scores=(Scored(name="own_words", value=1.0),),
    )  # fmt: skip
    scores_path(folder).write_text(row.model_dump_json() + "\n", encoding="utf-8")
    call(folder.path, "--format", "csv")

    head, line = (folder.path / "scores.csv").read_text(encoding="utf-8").splitlines()
    assert dict(zip(head.split(","), line.split(","), strict=True))["own_words"] == "1"
