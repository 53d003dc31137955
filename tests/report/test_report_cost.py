"""What a trial cost, in a report, a score and a comparison alike: as the provider said, else by the manifest's price."""

import json

import pytest
from click.testing import CliRunner

from research_eval.analysis.side import read_sides
from research_eval.cli.score import score
from research_eval.report.aggregate import load_view
from research_eval.schema import ModelCalled, Price, Usage
from tests.report.conftest import configuration, manifest, trial

PRICE = Price(input=2, output=10)


def call(**usage: object) -> ModelCalled:
    """A call of a thousand tokens in and a hundred out."""
    values = {"requests": 1, "input_tokens": 1000, "output_tokens": 100, **usage}
    return ModelCalled(
        turn=1, attempt=1, text="", finish_reason="stop", usage=Usage.model_validate(values)
    )


CASES = [
    (PRICE, [{}, {}], 0.006),
    (None, [{}], None),
    (PRICE, [{}, {"unmeasured_requests": 1}], None),
    (PRICE, [{"reported_cost_usd": 0.5}], 0.5),
    (PRICE, [{"reported_cost_usd": 0.5}, {}], 0.503),
    (PRICE, [{"reported_cost_usd": 0.0}], 0.0),
    (None, [{"reported_cost_usd": 0.5}, {}], None),
    (None, [{"reported_cost_usd": 0.5}, {"reported_cost_usd": 0.25}], 0.75),
]


@pytest.fixture
def run(make_folder):
    def make(price, usages):
        calls = [call(**usage) for usage in usages]
        whole = sum((one.usage for one in calls), Usage())
        return make_folder(
            manifest([configuration(price=price)], ["case-1"]), [trial(events=calls, usage=whole)]
        )

    return make


def rows(folder, *words):
    """Return what `score` prints of the run."""
    words = (str(folder.path), "--scorer", "efficiency", "--json", *words)
    result = CliRunner().invoke(score, list(words), standalone_mode=False, catch_exceptions=False)
    (one,) = json.loads(result.stdout)["configurations"]
    return {row["measure"]: row for row in one["measures"]}


@pytest.mark.parametrize(("price", "usages", "dollars"), CASES)
def test_a_cost_is_reported_or_calculated_or_missing(run, price, usages, dollars) -> None:
    (shown,) = load_view(run(price, usages)).configurations

    total = shown.totals["cost_usd"]
    assert total.trials == (0 if dollars is None else 1)
    assert total.value == pytest.approx(dollars or 0)


@pytest.mark.parametrize(("price", "usages", "dollars"), CASES)
def test_scores_and_comparisons_know_the_cost_that_a_report_shows(
    run, price, usages, dollars
) -> None:
    folder = run(price, usages)

    summary = rows(folder)["cost_usd"]
    assert summary["scored"] == (0 if dollars is None else 1)
    assert summary["value"] == (None if dollars is None else pytest.approx(dollars))
    (folder.path / "scores.jsonl").unlink()
    (side,) = read_sides(folder, None, ["cost_usd"])
    assert list(side.case_means("cost_usd").values()) == ([] if dollars is None else [dollars])


def test_usage_that_was_not_measured_is_unscored_and_never_nothing(run) -> None:
    folder = run(PRICE, [{}, {"unmeasured_requests": 1, "input_tokens": 0, "output_tokens": 0}])
    found = rows(folder)

    for name in ("input_tokens", "output_tokens", "cost_usd"):
        assert (found[name]["scored"], found[name]["undecided"]) == (0, 1)
        assert found[name]["is_conclusive"] is False
    assert found["model_requests"]["value"] == 2.0
    lines = (folder.path / "scores.jsonl").read_text()
    assert lines.count("1 of 2 replies came without usage") == 3
