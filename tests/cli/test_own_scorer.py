"""A scorer of one's own goes through `score`, `report` and `compare` as what it is, or is refused."""

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from research_eval.cli.compare import compare
from research_eval.cli.report import report
from research_eval.cli.score import score
from research_eval.errors import ConfigError, UsageError
from research_eval.journal import RunFolder
from research_eval.report import load_view
from research_eval.schema import Scored, Unscored
from research_eval.scorer.correctness import correctness


def call(command, *arguments):
    result = CliRunner().invoke(command, [str(a) for a in arguments], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.output


@pytest.fixture
def own(monkeypatch):
    """Offer a scorer under `own_scorers:it` and return that name."""

    def offer(scorer):
        module = ModuleType("own_scorers")
        module.it = scorer
        monkeypatch.setitem(sys.modules, "own_scorers", module)
        return "own_scorers:it"

    return offer


def giving(*values, **fields):
    """Return a scorer that gives the values in turn, case by case."""

    def scorer(case, trial, pages):
        number = int(trial.case_id.removeprefix("case-")) - 1
        yield Scored(name="mine", value=values[number % len(values)], **fields)

    return scorer


def score_view(run, configuration=0):
    view = load_view(RunFolder(Path(run)))
    return {one.name: one for one in view.configurations[configuration].scores}["mine"]


@pytest.mark.parametrize(
    "values",
    [(50.0, 42.0), (-3.0, 1.5), (0.25, 0.5), (0.0, 0.0, 2.0), (7.0,), (1e99, -1e99)],
)
def test_what_is_not_a_yes_or_no_throughout_is_a_mean_everywhere(make_run, own, values):
    run = make_run("run", {name: ["1"] * 3 for name in "abc"})
    name = own(giving(*values))

    status, text = call(score, run, "--scorer", name, "--json")
    rows = [json.loads(line) for line in text.splitlines()]
    assert status == 0
    assert [(row["unit"], row["wilson"]) for row in rows] == [("points", None)] * 3

    assert call(report, run, "--quiet", "--format", "md,csv,json")[0] == 0
    shown = score_view(run)
    assert (shown.is_share, shown.rate) == (False, None)
    assert shown.mean == pytest.approx(rows[0]["value"])

    _, text = call(compare, run, "--measure", "mine")
    assert "McNemar" not in text
    assert "Cochran" not in text
    with pytest.raises(UsageError, match="yes-or-no measures alone"):
        call(compare, run, "--measure", "mine", "--unpaired")


def test_what_is_0_or_1_throughout_is_a_rate_everywhere(make_run, own):
    run = make_run("run", {name: ["11"] * 4 for name in "abc"})
    _, text = call(score, run, "--scorer", own(giving(1.0, 0.0)), "--json")

    assert json.loads(text.splitlines()[0])["unit"] == "yes_no"
    assert (score_view(run).rate.k, score_view(run).rate.n) == (4, 8)
    _, text = call(compare, run, "--measure", "mine")
    assert "McNemar" in text
    assert "Cochran" in text


def test_all_configurations_agree_on_what_a_measure_is(make_run, own):
    """One that happens to have zeros and ones alone is not a rate beside one that counts further."""

    def scorer(case, trial, pages):
        yield Scored(name="mine", value=1.0 if trial.configuration == "a" else 3.0)

    run = make_run("run", {"a": ["1"] * 3, "b": ["1"] * 3})
    _, text = call(score, run, "--scorer", own(scorer), "--json")

    assert {json.loads(line)["unit"] for line in text.splitlines()} == {"points"}
    assert score_view(run).rate is None
    assert "McNemar" not in call(compare, run, "--measure", "mine")[1]


def test_a_scorer_may_say_what_it_measures(make_run, own):
    run = make_run("run", {"a": ["1"] * 4, "b": ["1"] * 4})
    name = own(giving(0.25, 0.75, unit="share", better="lower"))
    _, text = call(score, run, "--scorer", name, "--json")

    row = json.loads(text.splitlines()[0])
    assert row["unit"] == "share"
    assert row["wilson"] is not None
    assert score_view(run).is_share
    assert "(lower is better)" in call(compare, run, "--measure", "mine")[1]


def test_a_count_of_zeros_and_ones_that_says_so_is_no_rate(make_run, own):
    run = make_run("run", {"a": ["1"] * 4, "b": ["1"] * 4})
    call(score, run, "--scorer", own(giving(0.0, 1.0, unit="count")), "--quiet")

    assert score_view(run).rate is None
    assert "McNemar" not in call(compare, run, "--measure", "mine")[1]


def test_what_nobody_said_is_not_written(make_run, own):
    run = make_run("run", {"a": ["1"]})
    call(score, run, "--scorer", own(giving(1.0)), "--quiet")

    (line,) = (Path(run) / "scores.jsonl").read_text().splitlines()
    assert set(json.loads(line)["scores"][0]) == {"status", "name", "value", "weight", "detail"}


def test_stored_values_beyond_0_and_1_make_no_rate_whatever_their_name(make_run):
    """Scores of an earlier version, or of another program, cannot break a report."""
    run = make_run("run", {"a": ["1"] * 3, "b": ["1"] * 3})
    lines = [
        {"case_id": f"case-{n}", "configuration": c, "trial": 1, "scorer": "x",
         "scores": [{"status": "scored", "name": "support_red", "value": 7.0}]}
        for n in (1, 2, 3) for c in "ab"
    ]  # fmt: skip
    (Path(run) / "scores.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines))

    assert call(report, run, "--quiet", "--format", "md,csv,json")[0] == 0
    assert "support_red: 7.000 -> 7.000" in call(compare, run, "--measure", "support_red")[1]


REFUSED = {
    "no number": (lambda: [Scored(name="mine", value=float("nan"))], "finite number, not nan"),
    "infinite": (lambda: [Scored(name="mine", value=float("inf"))], "finite number, not inf"),
    "weight": (lambda: [Scored(name="mine", value=1, weight=float("nan"))], "weight: .*not nan"),
    "negative weight": (lambda: [Scored(name="mine", value=1, weight=-1)], "is -1, below 0"),
    "huge": (lambda: [Scored(name="mine", value=1e300)], "too large to be added up"),
    "of the project": (lambda: [Scored(name="final_passed", value=1)], "scorers built in"),
    "of a family": (lambda: [Unscored(name="served_by:me", reason="no")], "scorers built in"),
    "of a report": (lambda: [Scored(name="weight:turns", value=1)], "cannot be the name"),
    "nameless": (lambda: [Scored(name=" ", value=1)], "cannot be the name"),
    "twice": (lambda: [Scored(name="mine", value=1)] * 2, "gives 'mine' twice"),
    "nothing": (lambda: None, "it gives no scores"),
    "a number": (lambda: [0.5], "0.5 is no score"),
    "no share": (lambda: [Scored(name="mine", value=2, unit="share")], "said to be a share"),
    "no answer": (lambda: [Scored(name="mine", value=0.5, unit="yes_no")], "said to be a yes or no"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_a_score_that_would_spoil_a_table_is_refused_by_the_scorers_name(make_run, own, what):
    run = make_run("run", {"a": ["1"]})
    give, words = REFUSED[what]
    name = own(lambda case, trial, pages: give())

    with pytest.raises(ConfigError, match=rf"^scorer 'own_scorers:it': .*{words}") as refused:
        call(score, run, "--scorer", name)

    assert "\n" not in str(refused.value)
    assert "case-1, a, trial 1" in str(refused.value)
    assert not (Path(run) / "scores.jsonl").exists()


def test_a_mistake_within_a_scorer_is_told_with_its_words_and_place(make_run, own):
    run = make_run("run", {"a": ["1"]})

    words = r"TypeError: .*has no len\(\), at .*test_own_scorer\.py:\d+ \(case-1, a, trial 1\)$"
    with pytest.raises(ConfigError, match=words):
        call(score, run, "--scorer", own(lambda case, trial, pages: [len(3)]))


def test_a_scorer_of_the_project_under_another_name_keeps_its_measures(make_run, own):
    run = make_run("run", {"a": ["1"]})

    assert call(score, run, "--scorer", own(correctness), "--quiet")[0] == 0
