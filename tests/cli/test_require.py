"""Thresholds: every status of every command with its exit code, its last line and its JUnit file."""

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from research_eval.cli.closing import OUTCOMES, most_serious
from research_eval.cli.compare import compare
from research_eval.cli.report import report
from research_eval.cli.score import score
from research_eval.errors import ConfigError
from research_eval.experiment import load_experiment
from research_eval.schema import Requirement

ROOT = Path(__file__).resolve().parents[2]
HALF = {"a": ["1", "0", "1", "0"]}


def call(command, *arguments):
    result = CliRunner().invoke(command, [str(a) for a in arguments], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.stdout, result.stderr.splitlines()[-1]


def demand(run, *requirements):
    """Put requirements into a run's manifest, where `run` puts those of its experiment."""
    path = Path(run, "manifest.json")
    manifest = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**manifest, "requirements": list(requirements)}), encoding="utf-8")
    return run


def first(bound, **more):
    return {"measure": "first_attempt_passed", **bound, **more}


RULED = [
    ("holds", HALF, [first({"min": 0.5})], 0),
    ("fails", HALF, [first({"min": 0.6})], 1),
    ("fails at the bound alone", HALF, [first({"min": 0.5}, at="lower")], 1),
    ("fails from above", HALF, [first({"max": 0.4})], 1),
    ("fails at the upper bound", HALF, [first({"max": 0.5}, at="upper")], 1),
    ("one of two fails", HALF, [first({"min": 0.5}), first({"min": 0.9})], 1),
    ("holds for a case alone", HALF, [first({"min": 1.0}, case="case-1")], 0),
    ("fails for a pattern of cases", HALF, [first({"min": 1.0}, case="case-[12]")], 1),
    ("errors are allowed", {"a": ["1", "e", "1"]}, [{"max_errors": 1}], 0),
    ("too many errors", {"a": ["1", "e", "1"]}, [{"max_errors": 0}], 1),
    ("too few values", {"a": ["1", "e", "1"]}, [first({"min": 0.5})], 3),
    ("few values suffice", {"a": ["1", "e", "1"]}, [first({"min": 0.5}, min_coverage=0.6)], 0),
    ("a trial is missing", {"a": ["1", "-", "1"]}, [first({"min": 0.5}, min_coverage=0.5)], 3),
    ("nothing ran", {"a": ["-", "-"]}, [first({"min": 0.0})], 3),
    ("a failure outweighs a gap", {"a": ["0", "0", "-"]}, [{"max_errors": 0}, first({"min": 1}, min_coverage=0)], 1),
    ("left out on purpose", HALF, [first({"min": 1.0}, configuration="b"), first({"min": 0.5})], 0),
    ("all left out", HALF, [first({"min": 0.0}, configuration="b")], 3),
    ("flips need a base", HALF, [first({"max_flips": 0})], 3),
]  # fmt: skip


@pytest.mark.parametrize(("name", "outcomes", "wanted", "status"), RULED, ids=[r[0] for r in RULED])
def test_a_report_exits_as_its_requirements_say(make_run, name, outcomes, wanted, status):
    run = demand(make_run("run", outcomes), *wanted)

    code, _, last = call(report, run, "--format", "md,junit")

    assert code == status
    word = "holds" if status == 0 else OUTCOMES[status]
    assert last.startswith(f"result: {word} (exit {status}): ")
    stored = json.loads(Path(run, "requirements.json").read_text(encoding="utf-8"))
    assert {"failed": 1, "inconclusive": 3, "holds": 0}[stored["verdict"]] == status or status == 3


@pytest.mark.parametrize(("bound", "status"), [(0.5, 0), (0.6, 1)])
def test_score_and_compare_exit_as_the_requirements_say(make_run, bound, status):
    base = make_run("base", HALF)
    head = demand(make_run("head", HALF), first({"min": bound}))

    assert call(score, head, "--scorer", "gate")[0] == status
    code, text, last = call(compare, base, head)
    assert code == status
    assert f"require: {'FAILED' if status else 'HOLDS'} a: first_attempt_passed >= {bound}" in text
    assert f"(exit {status})" in last
    assert call(compare, head, base)[0] == 0  # the base's thresholds do not rule the head


@pytest.mark.parametrize(("allowed", "status"), [(1, 1), (2, 0)])
def test_compare_counts_flips_in_both_directions(make_run, tmp_path, allowed, status):
    base = make_run("base", {"a": ["1", "1", "0"]})
    head = demand(make_run("head", {"a": ["1", "0", "1"]}), first({"max_flips": allowed}))

    junit = tmp_path / "junit.xml"
    code, text, _ = call(compare, base, head, "--junit", junit)

    assert code == status
    assert ("2 flips" in text) is True
    suite = ET.parse(junit).getroot().find("testsuite[@name='requirements: a']")
    assert suite is not None
    assert suite.get("failures") == str(status)


def test_with_requirements_junit_has_one_test_a_requirement_and_no_rejected_answer(make_run):
    run = demand(make_run("run", HALF), first({"min": 0.5}), first({"min": 0.9}), {"max_errors": 0})

    call(report, run, "--format", "junit")

    root = ET.parse(Path(run, "junit.xml")).getroot()
    tests = {case.get("name"): case for case in root.iter("testcase")}
    assert len(tests) == 3
    assert [name for name, case in tests.items() if case.find("failure") is not None] == [
        "first_attempt_passed >= 0.9"
    ]
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "1", "0")


def test_the_report_shows_each_requirement(make_run):
    run = demand(make_run("run", HALF), first({"min": 0.9}))

    call(report, run, "--format", "md,html,json")

    assert "first\\_attempt\\_passed \\>= 0.9" in Path(run, "report.md").read_text(encoding="utf-8")
    assert "first_attempt_passed &gt;= 0.9" in Path(run, "report.html").read_text(encoding="utf-8")
    assert (
        json.loads(Path(run, "report.json").read_text(encoding="utf-8"))["requirements"]["verdict"]
        == "failed"
    )


@pytest.mark.parametrize(
    ("applying", "wins"),
    [((3, 1), 1), ((4, 1), 4), ((130, 4, 1), 130), ((3, 0), 3), ((), 0)],
)
def test_one_status_wins_where_several_apply(applying, wins):
    assert most_serious(*applying) == wins


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "demands nothing"),
        ({"min": 0.5}, "need a measure"),
        ({"measure": "x", "max": 0.5, "at": "lower"}, "goes with min alone"),
        ({"measure": "x", "min": 0.5, "at": "upper"}, "goes with max alone"),
        ({"measure": "x", "min": 0.5, "max": 0.4}, "above max"),
    ],
)
def test_a_requirement_that_says_nothing_is_refused(fields, words):
    with pytest.raises(ValueError, match=words):
        Requirement(**fields)


EXPERIMENT = """
name = "mine"
dataset = "{world}/datasets/world/cases.jsonl"
cassettes = "{world}/cassettes/world"
synthetic = true

[defaults]
search.chain = ["serper", "brave"]

[[configuration]]
name = "honest"
model = "reference:honest"

[[configuration]]
name = "fabricator"
model = "reference:fabricator"
{require}
"""


def write_experiment(folder, require):
    path = folder / "mine.toml"
    path.write_text(EXPERIMENT.format(world=ROOT, require=require))
    return path


def research_eval(folder, *words):
    command = [sys.executable, "-m", "research_eval", *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr.splitlines()[-1], done.stdout


REQUIRE = """
[[require]]
measure = "first_attempt_passed"
configuration = "{configuration}"
min = {bound}
"""


@pytest.mark.parametrize(
    ("configuration", "bound", "status", "words"),
    [
        ("honest", 1, 0, r"result: holds \(exit 0\): 6 of 6 trials are done; 1 of 1 requirements"),
        ("*", 0.9, 1, r"result: failed \(exit 1\): .*; 1 of 2 .* FAILED fabricator: first_at"),
        ("honst", 0.9, 2, r"require 1: configuration: 'honst' matches none; did you mean 'honest'"),
    ],
)
def test_run_exits_as_the_experiment_demands(tmp_path, configuration, bound, status, words):
    require = REQUIRE.format(configuration=configuration, bound=bound)
    write_experiment(tmp_path, require)

    code, last, text = research_eval(tmp_path, "run", "mine.toml", "--limit", 3)

    assert code == status
    assert re.search(words, last)
    assert text.count("result:") == 0


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ('measure = "first_atempt_passed"\nmin = 1', "did you mean 'first_attempt_passed'"),
        ('measure = "final_passed"\nmin = 1\ncase = "nothing-*"', "case: 'nothing-*' matches none"),
        ('measure = "final_passed"\nmin = 1\ntag = "nothing"', "tag: 'nothing' matches none"),
        ('measure = "mine"\nmin = 1\nscorer = "nowhere:Mine"', "cannot load scorer"),
    ],
)
def test_a_requirement_on_nothing_is_refused_before_anything_runs(tmp_path, field, words):
    write_experiment(tmp_path, f"[[require]]\n{field}")

    code, last, _ = research_eval(tmp_path, "run", "mine.toml", "--limit", 1)

    assert code == 2
    assert words in last
    assert not (tmp_path / "reports").exists()


def test_a_requirement_on_a_scorer_of_ones_own_is_ruled(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from research_eval.schema import Scored\n"
        "from research_eval.scorer import Measure, declares\n"
        "@declares(Measure('short', 'yes_no', 'higher', 'short', 'Whether it is short.'))\n"
        "def short(case, trial, pages):\n"
        "    yield Scored(name='short', value=float(len(trial.answer or '') < 1))\n"
    )
    write_experiment(tmp_path, '[[require]]\nmeasure = "short"\nmin = 1\nscorer = "mine:short"')

    code, last, _ = research_eval(tmp_path, "run", "mine.toml", "--limit", 1, "--no-report")
    assert code == 0
    code, last, _ = research_eval(tmp_path, "report", "reports/mine", "--format", "md")
    assert (code, "short >= 1" in last) == (1, True)


def test_a_threshold_changes_no_result_and_may_be_changed(tmp_path):
    path = write_experiment(tmp_path, "")
    plain = load_experiment(path).settings.digest()
    research_eval(tmp_path, "run", "mine.toml", "--limit", 1)
    before = (tmp_path / "reports/mine/trials.jsonl").read_bytes()
    write_experiment(tmp_path, REQUIRE.format(configuration="*", bound=1))

    assert load_experiment(path).settings.digest() == plain
    code, _, _ = research_eval(tmp_path, "run", "mine.toml", "--limit", 1)
    assert code == 1
    assert (tmp_path / "reports/mine/trials.jsonl").read_bytes() == before


def test_a_misspelt_key_of_a_requirement_is_named(tmp_path):
    path = write_experiment(tmp_path, '[[require]]\nmeasur = "x"\nmin = 1')
    with pytest.raises(ConfigError, match=r"require\.0\.measur: unknown key"):
        load_experiment(path)
