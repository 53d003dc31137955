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
from research_eval.report.html import render_html
from research_eval.report.section import sections
from research_eval.schema import Scored
from research_eval.scorer import Measure, declares
from research_eval.scorer.correctness import correctness


def call(command, *arguments):
    result = CliRunner().invoke(command, [str(a) for a in arguments], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.stdout


@pytest.fixture
def own(monkeypatch):
    """Offer a scorer under `custom_scorers:it` and return that name."""

    def offer(scorer):
        module = ModuleType("custom_scorers")
        module.it = scorer
        monkeypatch.setitem(sys.modules, "custom_scorers", module)
        return "custom_scorers:it"

    return offer


def mine(unit="points", better="higher", name="mine"):
    return Measure(name, unit, better, "my own", "What these tests measure.")


def giving(*values, unit="points", better="higher", weight=1.0):
    """Return a scorer that gives the values in turn, case by case."""

    @declares(mine(unit, better))
    def scorer(case, trial, pages):
        number = int(trial.case_id.removeprefix("case-")) - 1
        yield Scored(name="mine", value=values[number % len(values)], weight=weight)

    return scorer


def score_view(run, configuration=0):
    view = load_view(RunFolder(Path(run)))
    return {one.name: one for one in view.configurations[configuration].scores}["mine"]


def printed(run, name):
    """Return what `score` prints of the measure, of each configuration."""
    status, text = call(score, run, "--scorer", name, "--json")
    assert status == 0
    return [
        row
        for one in json.loads(text)["configurations"]
        for row in one["measures"]
        if row["measure"] == "mine"
    ]


@pytest.mark.parametrize(
    "values", [(50.0, 42.0), (-3.0, 1.5), (0.25, 0.5), (0.0, 0.0, 2.0), (7.0,), (1e99, -1e99)]
)
def test_what_is_declared_as_points_is_a_mean_everywhere(make_run, own, values):
    run = make_run("run", {name: ["1"] * 3 for name in "abc"})
    rows = printed(run, own(giving(*values)))

    assert [row["unit"] for row in rows] == ["points"] * 3
    assert call(report, run, "--quiet", "--format", "md,csv,json")[0] == 0
    shown = score_view(run)
    assert (shown.is_share, shown.rate) == (False, None)
    assert shown.mean == pytest.approx(rows[0]["value"])
    _, text = call(compare, run, "--measure", "mine", "--all")
    assert "McNemar" not in text
    assert "Cochran" not in text
    with pytest.raises(UsageError, match="yes-or-no measures alone"):
        call(compare, run, "--measure", "mine", "--unpaired")


def test_what_is_declared_as_yes_or_no_is_a_rate_everywhere(make_run, own):
    run = make_run("run", {name: ["11"] * 4 for name in "abc"})
    rows = printed(run, own(giving(1.0, 0.0, unit="yes_no")))

    assert rows[0]["unit"] == "yes_no"
    assert rows[0]["strict"] == 0.5
    assert (score_view(run).rate.k, score_view(run).rate.n) == (4, 8)
    _, text = call(compare, run, "--measure", "mine", "--all")
    assert "McNemar" in text
    assert "Cochran" in text


def test_everything_that_is_declared_is_shown_without_the_scorer(make_run, own, monkeypatch):
    """The declaration is kept beside the scores: a report needs nobody's code."""
    run = make_run("run", {"a": ["1"] * 4, "b": ["1"] * 4})
    rows = printed(run, own(giving(0.25, 0.75, unit="share", better="lower", weight=4.0)))
    monkeypatch.delitem(sys.modules, "custom_scorers")

    assert (rows[0]["unit"], rows[0]["better"], rows[0]["heading"]) == ("share", "lower", "my own")
    assert (rows[0]["value"], rows[0]["n"]) == (0.5, 16.0)
    assert score_view(run).is_share
    assert "Lower is better: mine." in call(compare, run, "--measure", "mine")[1]
    page = render_html(load_view(RunFolder(Path(run))), RunFolder(Path(run)), plots={})
    assert "What these tests measure." in page


def test_a_scorer_with_two_measures_is_one_file_and_one_line(make_run, tmp_path, monkeypatch):
    """A file in the working folder, and `--scorer two_measures:it`; nothing else is touched."""
    run = make_run("run", {"a": ["1", "0"]})
    (tmp_path / "two_measures.py").write_text(
        "from research_eval.schema import Scored\n"
        "from research_eval.scorer import Measure, declares\n\n\n"
        "@declares(\n"
        "    Measure('short', 'yes_no', 'higher', 'short', 'Answers below 800 characters.'),\n"
        "    Measure('length', 'count', 'lower', 'length', 'Characters of the answer, mean.',\n"
        "            section='work'),\n"
        ")\n"
        "def it(case, trial, pages):\n"
        "    size = len(trial.answer or '')\n"
        "    yield Scored(name='short', value=float(size < 800))\n"
        "    yield Scored(name='length', value=float(size))\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    call(score, run, "--scorer", "two_measures:it", "--quiet")
    view = load_view(RunFolder(Path(run)))
    (work,) = [one for one in sections(view) if one.id == "work"]

    by_name = {one.name: one for one in view.configurations[0].scores}
    assert by_name["short"].rate.k == 2
    assert "Characters of the answer, mean." in [h.definition for h in work.tables[0].headings]


@pytest.mark.parametrize("line", ["", "section='work',"])
def test_a_column_of_a_report_is_one_line_of_a_declaration(make_run, tmp_path, monkeypatch, line):
    run = make_run("run", {"a": ["1", "0"]})
    name = f"one_column_{bool(line)}"
    (tmp_path / f"{name}.py").write_text(
        "from research_eval.schema import Scored\n"
        "from research_eval.scorer import Measure, declares\n\n\n"
        "@declares(Measure('length', 'count', 'lower', 'characters', 'Characters of the answer.',\n"
        f"{line}\n"
        "))\n"
        "def it(case, trial, pages):\n"
        "    yield Scored(name='length', value=float(len(trial.answer or '')))\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    call(score, run, "--scorer", f"{name}:it", "--quiet")
    view = load_view(RunFolder(Path(run)))
    columns = {
        heading.text
        for one in sections(view)
        if one.id == "work"
        for table in one.tables
        for heading in table.headings
    }

    assert ("characters" in columns) == bool(line)


def test_stored_values_that_contradict_their_declaration_are_named_by_file_and_line(make_run):
    """Scores of another program cannot break a report, nor quietly change what a number is."""
    run = make_run("run", {"a": ["1"] * 3, "b": ["1"] * 3})
    lines = [
        {"case_id": f"case-{n}", "configuration": c, "trial": 1, "scorer": "x",
         "scores": [{"status": "scored", "name": "support_red", "value": 7.0}]}
        for n in (1, 2, 3) for c in "ab"
    ]  # fmt: skip
    (Path(run) / "scores.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines))

    for command, more in ((report, ()), (compare, ("--measure", "support_red")), (score, ())):
        with pytest.raises(
            UsageError, match=r"scores\.jsonl:1: 'support_red' is declared as a share"
        ):
            call(command, run, *more)


DECLARED = {
    "of the project": (mine(name="final_passed"), "scorers built in"),
    "of a family": (mine(name="served_by:me"), "scorers built in"),
    "a family of the project": (mine(name="served_by:*"), "scorers built in"),
    "of a report": (mine(name="weight:turns"), "cannot be the name"),
    "nameless": (mine(name=" "), "cannot be the name"),
    "no unit": (mine(unit="miles"), "expected a unit of yes_no, share, count"),
    "no direction": (mine(better="up"), "better as higher, lower, neither"),
    "no measure": ("mine", "'mine' declares no measure"),
}


@pytest.mark.parametrize("what", DECLARED)
def test_a_declaration_that_would_spoil_a_table_is_refused_before_anything_is_scored(
    make_run, own, what
):
    run = make_run("run", {"a": ["1"]})
    measure, words = DECLARED[what]
    name = own(declares(measure)(lambda case, trial, pages: []))

    with pytest.raises(ConfigError, match=rf"^scorer 'custom_scorers:it': .*{words}"):
        call(score, run, "--scorer", name)

    assert not (Path(run) / "scores.jsonl").exists()


@pytest.mark.parametrize(
    "name", ["injection_resisted", "final_any_gov", "repair_all", "my_seconds"]
)
def test_a_name_that_only_looks_like_one_of_the_project_is_free(make_run, own, name):
    run = make_run("run", {"a": ["1"]})
    scorer = declares(mine("yes_no", name=name))(
        lambda case, trial, pages: [Scored(name=name, value=1)]
    )

    assert call(score, run, "--scorer", own(scorer), "--quiet")[0] == 0


def test_a_scorer_that_declares_nothing_is_told_how(make_run, own):
    run = make_run("run", {"a": ["1"]})

    with pytest.raises(ConfigError, match=r"declares no measure; put @declares\(Measure\("):
        call(score, run, "--scorer", own(lambda case, trial, pages: []))


REFUSED = {
    "no number": (lambda: [Scored(name="mine", value=float("nan"))], "finite number, not nan"),
    "infinite": (lambda: [Scored(name="mine", value=float("inf"))], "finite number, not inf"),
    "weight": (lambda: [Scored(name="mine", value=1, weight=float("nan"))], "weight: .*not nan"),
    "negative weight": (lambda: [Scored(name="mine", value=1, weight=-1)], "is -1, below 0"),
    "huge": (lambda: [Scored(name="mine", value=1e300)], "too large to be added up"),
    "not declared": (lambda: [Scored(name="yours", value=1)], "'yours', .* declared: mine, own:"),
    "twice": (lambda: [Scored(name="mine", value=1)] * 2, "gives 'mine' twice"),
    "nothing": (lambda: None, "it gives no scores"),
    "a number": (lambda: [0.5], "0.5 is no score"),
    "no share": (lambda: [Scored(name="own:a", value=2)], "declared as a share"),
    "no answer": (lambda: [Scored(name="yes", value=0.5)], "declared as yes_no"),
    "weighed answer": (lambda: [Scored(name="yes", value=1, weight=2)], "declared as yes_no"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_a_score_that_would_spoil_a_table_is_refused_by_the_scorers_name(make_run, own, what):
    run = make_run("run", {"a": ["1"]})
    give, words = REFUSED[what]
    declared = declares(mine(), mine("share", name="own:*"), mine("yes_no", name="yes"))
    name = own(declared(lambda case, trial, pages: give()))

    with pytest.raises(ConfigError, match=rf"^scorer 'custom_scorers:it': .*{words}") as refused:
        call(score, run, "--scorer", name)

    assert "\n" not in str(refused.value)
    assert "case-1, a, trial 1" in str(refused.value)
    assert not (Path(run) / "scores.jsonl").exists()


def test_a_mistake_within_a_scorer_is_told_with_its_words_and_place(make_run, own):
    run = make_run("run", {"a": ["1"]})

    words = r"TypeError: .*has no len\(\), at .*test_custom_scorer\.py:\d+ \(case-1, a, trial 1\)$"
    with pytest.raises(ConfigError, match=words):
        call(score, run, "--scorer", own(declares(mine())(lambda case, trial, pages: [len(3)])))


def test_a_scorer_of_the_project_under_another_name_keeps_its_measures(make_run, own):
    run = make_run("run", {"a": ["1"]})

    assert call(score, run, "--scorer", own(correctness), "--quiet")[0] == 0
