"""`score`, `compare` and `plan` on stored runs: words, exit status, files."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from research_eval.analysis.wording import power_note
from research_eval.cli.compare import compare
from research_eval.cli.plan import plan
from research_eval.cli.score import score
from research_eval.errors import UsageError
from research_eval.journal import RunFolder
from research_eval.report import load_view
from research_eval.stats import wilson

PAGE = "https://morvane.example/toll"
GOOD = f"The toll is 4 crowns ({PAGE})."
BAD = "The toll is 4 crowns (https://made-up.example/toll)."


def call(command, *arguments):
    result = CliRunner().invoke(command, [str(a) for a in arguments], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.stdout


def scores(run, *more):
    """Return the measures that `score` prints of the first configuration, by name."""
    found = json.loads(call(score, run, *more, "--json")[1])["configurations"][0]
    return {row["measure"]: row for row in found["measures"]}


def test_identical_runs_show_no_regression_and_no_setting(make_run):
    base, head = make_run("base", {"a": ["11", "10"]}), make_run("head", {"a": ["11", "10"]})

    status, text = call(compare, base, head, "--fail-on", "regression")

    assert status == 0
    assert "no setting differs" in text
    assert "identical recorded traffic" in text
    assert text.startswith("RESULT: NO REGRESSION\n")


def test_on_identical_traffic_one_flip_is_a_regression_with_both_answers(make_run):
    base = make_run("base", {"a": ["1", "1", "0"]})
    head = make_run("head", {"a": ["1", "0", "0"]}, gate="strict@2")

    status, text = call(compare, base, head, "--fail-on", "regression", "--all")

    assert status == 1
    assert "configuration.settings.gate: default@1 -> strict@2" in text
    assert "worse: case-2 #1 final_passed 1 -> 0" in text
    assert f"base: {GOOD}" in text
    assert f"head: {BAD}" in text
    assert "1 worse, 0 better, on identical traffic" in text
    assert "RESULT: REGRESSION" in text
    assert call(compare, base, head)[0] == 0


def test_an_improvement_on_identical_traffic_is_called_one(make_run):
    base, head = make_run("base", {"a": ["1", "0"]}), make_run("head", {"a": ["1", "1"]})

    status, text = call(compare, base, head, "--fail-on", "regression")

    assert status == 0
    assert "RESULT: IMPROVEMENT" in text


def test_a_margin_accepts_a_small_loss_on_identical_traffic(make_run):
    base = make_run("base", {"a": ["1"] * 10})
    head = make_run("head", {"a": ["1"] * 9 + ["0"]})

    assert call(compare, base, head, "--margin", "0.1", "--fail-on", "regression")[0] == 0
    assert call(compare, base, head, "--margin", "0.05", "--fail-on", "regression")[0] == 1


def test_on_live_traffic_one_flip_is_noise(make_run):
    base = make_run("base", {"a": ["1"] * 9 + ["0"]}, mode="live")
    head = make_run("head", {"a": ["1"] * 8 + ["0", "0"]}, mode="live")

    status, text = call(compare, base, head, "--fail-on", "regression")

    assert status == 0
    assert "other traffic" in text
    assert "RESULT: NO DIFFERENCE SHOWN" in text
    assert "With a chance of 80 %, 10 cases show" in text


def test_a_request_that_left_the_cassette_ends_identical_traffic(make_run):
    base = make_run("base", {"a": ["1", "1"]})
    head = make_run("head", {"a": ["1", "1"]}, unrecorded=True)

    assert "other traffic" in call(compare, base, head)[1]


def test_a_question_that_changed_ends_identical_traffic(make_run):
    base, head = make_run("base", {"a": ["1", "1"]}), make_run("head", {"a": ["1", "1"]})
    journal = Path(head) / "trials.jsonl"
    first, *others = journal.read_text(encoding="utf-8").splitlines()
    trial = json.loads(first)
    trial["question"] += " And in winter?"
    journal.write_text("\n".join([json.dumps(trial), *others, ""]), encoding="utf-8")

    assert "other traffic" in call(compare, base, head)[1]


def test_on_live_traffic_a_large_loss_is_a_regression_and_a_large_gain_is_none(make_run):
    good = make_run("good", {"a": ["1"] * 12}, mode="live")
    bad = make_run("bad", {"a": ["0"] * 9 + ["1"] * 3}, mode="live")

    assert call(compare, good, bad, "--fail-on", "regression")[0] == 1
    status, text = call(compare, bad, good, "--fail-on", "regression")
    assert status == 0
    assert "RESULT: IMPROVEMENT" in text


def test_a_margin_on_live_traffic_asks_for_proof(make_run):
    few = [
        make_run(f"few-{i}", {"a": ["1"] * (8 - i) + ["0"] * (1 + i)}, mode="live") for i in (0, 1)
    ]
    many = [make_run(f"many-{i}", {"a": ["11"] * 60}, mode="live") for i in (0, 1)]
    lost = make_run("lost", {"a": ["00"] * 55 + ["11"] * 5}, mode="live")

    assert call(compare, *few, "--margin", "0.05")[0] == 3
    assert call(compare, *many, "--margin", "0.05")[0] == 0
    assert call(compare, many[0], lost, "--margin", "0.05", "--fail-on", "regression")[0] == 1


def test_where_all_cases_fare_alike_a_margin_still_asks_for_enough_of_them(make_run):
    """Ten cases without a flip do not rule out a loss of 5 %."""
    ten = [make_run(f"ten-{i}", {"a": ["1"] * 10}, mode="live") for i in (0, 1)]

    status, text = call(compare, *ten, "--margin", "0.05")

    assert status == 3
    assert "a loss of up to 0.259 is not ruled out" in text
    assert "all 10 cases have the same result" in call(compare, *ten)[1]


def test_a_flip_of_the_first_attempt_shows_the_first_answers(make_run, story, tmp_path):
    base, head = make_run("base", {"a": ["1"]}), make_run("head", {"a": ["0"]})
    told = story().search(PAGE).answer(BAD).fetch(PAGE).answer(GOOD)
    line = told.record(case_id="case-1", configuration="a").model_dump_json(exclude_none=True)
    (tmp_path / "head" / "trials.jsonl").write_text(line + "\n")

    _, text = call(compare, base, head, "--measure", "first_attempt_passed", "--all")

    assert f"head: {BAD}" in text


def test_too_few_judged_trials_are_inconclusive(make_run):
    base, head = (
        make_run("base", {"a": ["1"] * 10}),
        make_run("head", {"a": ["1"] * 8 + ["e"] * 2}),
    )

    status, text = call(compare, base, head, "--fail-on", "regression")

    assert status == 3
    assert "RESULT: INCONCLUSIVE" in text
    assert f"{head}: a: 2 trials ended in an error" in text
    assert call(compare, base, head, "--coverage-floor", "0.8")[0] == 0


def test_trials_that_never_ran_count_against_coverage(make_run):
    base = make_run("base", {"a": ["1"] * 4})
    head = make_run("head", {"a": ["1"] * 4}, planned=10)

    assert call(compare, base, head)[0] == 3


def test_two_configurations_of_one_run(make_run):
    run = make_run("run", {"a": ["111", "110"], "b": ["111", "000"]})

    status, text = call(compare, run, "--configuration", "b", "--configuration", "a")

    assert status == 0
    assert f"base {run}: b" in text
    assert "other traffic" in text


def test_all_configurations_of_a_run_get_one_test_and_ranks(make_run):
    rows = ["1"] * 10
    run = make_run("run", {"a": rows, "b": ["0"] * 10, "c": rows}, mode="live")

    _, text = call(compare, run, "--measure", "final_passed", "--all")

    assert "final_passed: Cochran's Q 20.00 on 2 degrees" in text
    assert "rank 1 [1 to 1]  a" in text
    assert "rank 3 [3 to 3]  b" in text
    assert re.search(r"-1\.000 \[-1\.000, -0\.\d+\] +0\.004  REGRESSION: p 0\.004", text)
    assert "permutation p before the correction: 0.002" in text
    assert "Cochran" not in call(compare, run, "--measure", "final_passed")[1]


def test_a_count_is_compared_without_mcnemar(make_run):
    run = make_run("run", {"a": ["1"] * 5, "b": ["1"] * 5, "c": ["0"] * 5})

    _, text = call(compare, run, "--measure", "turns", "--all")

    assert "McNemar" not in text
    assert "Cochran" not in text
    assert "rank 1" in text


def test_lower_is_better_for_some_measures(make_run):
    base = make_run("base", {"a": ["1", "1", "1"]})
    head = make_run("head", {"a": ["1", "0", "1"]})

    status, text = call(
        compare, base, head, "--measure", "final_any_fabricated", "--fail-on", "regression"
    )

    assert status == 1
    assert "worse: case-2 #1 final_any_fabricated 0 -> 1" in text


def test_two_names_pair_configurations_of_two_runs(make_run):
    base, head = make_run("base", {"a": ["1", "1"]}), make_run("head", {"b": ["1", "0"]})

    _, text = call(compare, base, head, "--configuration", "a", "--configuration", "b")

    assert "configuration.name: a -> b" in text


def test_json_holds_everything(make_run):
    base, head = make_run("base", {"a": ["1", "1"]}), make_run("head", {"a": ["1", "0"]})

    _, text = call(compare, base, head, "--json")

    whole = json.loads(text)
    (found,) = whole["comparisons"]
    assert whole["schema_version"] == 1
    assert found["verdict"] == "regression"
    assert found["flips"][0]["head_answer"] == BAD
    assert found["measures"][1]["worse"] == 1
    assert found["is_identical_traffic"] is True


def test_junit_tells_a_failure_from_an_error(make_run, tmp_path):
    base, head = make_run("base", {"a": ["1", "1"]}), make_run("head", {"a": ["1", "0"]})
    call(compare, base, head, "--junit", tmp_path / "junit.xml")
    suite = ET.parse(tmp_path / "junit.xml").getroot()[0]

    assert suite.attrib["failures"] == "2"
    assert "case-2 #1: 1 to 0" in suite[1][0].text

    broken = make_run("broken", {"a": ["1", "e"]})
    call(compare, base, broken, "--junit", tmp_path / "junit.xml")
    suite = ET.parse(tmp_path / "junit.xml").getroot()[0]
    assert suite.attrib["errors"] == "2"
    assert suite[0][0].tag == "error"

    call(compare, base, base, "--junit", tmp_path / "junit.xml")
    suite = ET.parse(tmp_path / "junit.xml").getroot()[0]
    assert suite.attrib["failures"] == suite.attrib["errors"] == "0"


def test_the_number_of_flips_shown_is_bounded(make_run):
    base, head = make_run("base", {"a": ["1"] * 4}), make_run("head", {"a": ["0"] * 4})

    _, text = call(compare, base, head, "--flips", "1", "--measure", "final_passed")

    assert text.count("worse: case-") == 1
    assert "3 more flips: --flips 4, or --json" in text


def test_a_run_compared_with_itself_shows_the_noise(make_run):
    run = make_run("run", {"a": ["1111", "0000"], "b": ["10", "01"]})

    status, text = call(compare, run, "--a-a", "--measure", "final_passed")

    assert status == 0
    assert "a final_passed: two trials of a case differ in 0.0%" in text
    assert "b final_passed: two trials of a case differ in 100.0%" in text
    found = json.loads(call(compare, run, "--a-a", "--json")[1])
    assert found["self_comparisons"][0]["case_flips"] == 0.0


def test_single_trials_show_no_noise(make_run):
    run = make_run("run", {"a": ["1", "0"]})

    status, text = call(compare, run, "--a-a")

    assert status == 3
    assert "shows no noise" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{a}"], "one configuration alone"),
        (["{a}", "{b}"], "no configuration in common"),
        (["{a}", "--configuration", "x"], "no configuration 'x'; known: a"),
        (["{a}", "{a}"] + ["--configuration", "a"] * 3, "3 names for two runs"),
        (["{a}", "{b}", "--a-a"], "leave HEAD away"),
        (["{a}/no-such", "{b}"], "not a run folder"),
        (["{a}", "{a}", "--junit", "{a}/no/junit.xml"], "cannot be written"),
    ],
)
def test_what_cannot_be_compared_is_one_line(make_run, arguments, words):
    places = {"a": make_run("base", {"a": ["1"]}), "b": make_run("head", {"b": ["1"]})}

    with pytest.raises(UsageError, match=words):
        call(compare, *(argument.format(**places) for argument in arguments))


def test_score_prints_each_rate_with_its_denominators(make_run):
    run = make_run("run", {"a": ["1", "0", "e", "1"]}, planned=5)

    status, text = call(score, run, "--scorer", "gate", "--all")

    (row,) = [line for line in text.splitlines() if " final_passed " in line]
    assert status == 0
    assert row.split() == [
        "final_passed", "0.667", "0.208", "to", "0.939", "3", "0.400", "3/5", "60%",
        "INCONCLUSIVE", "1", "errors",
    ]  # fmt: skip
    assert "synthetic dataset" in text
    assert "a: 4 of 5 planned trials ran" in text
    text = call(score, run, "--scorer", "gate")[1]
    assert "67? [21-94]" in text
    assert "INCONCLUSIVE: fewer than 90 % of the trials" in text
    assert "a: 4 of 5 planned trials ran" in text
    assert "INCONCLUSIVE" not in call(score, run, "--scorer", "gate", "--coverage-floor", 0.5)[1]


def test_score_prints_reliability_over_repetitions(make_run):
    run = make_run("run", {"a": ["1100", "1111"]})

    _, text = call(score, run, "--scorer", "gate", "--all")
    found = json.loads(call(score, run, "--scorer", "gate", "--json")[1])["configurations"][0]

    rows = [one for one in found["reliability"] if one["measure"] == "final_passed"]
    assert [one["some"]["value"] for one in rows] == pytest.approx([0.75, 0.916667, 1, 1], abs=1e-5)
    assert [one["every"]["value"] for one in rows] == pytest.approx(
        [0.75, 0.583333, 0.5, 0.5], abs=1e-5
    )
    assert {one["every"]["n"] for one in rows} == {2}
    assert (
        "final_passed: pass@4 1.000 [0.342, 1.000], pass^4 0.500 [0.095, 0.905] (2 cases)" in text
    )


def test_a_rate_has_one_interval_in_every_command_and_it_is_over_cases(make_run):
    run = make_run("run", {"a": ["1111"] * 6 + ["0000"] * 4, "b": ["1110"] * 10}, mode="live")
    bounds = scores(run)["final_passed"]["interval"]
    low, high = wilson(24, 40)
    compared = json.loads(call(compare, run, "--json")[1])["comparisons"][0]["measures"][1]
    view = load_view(RunFolder(Path(run))).configurations[0]

    assert bounds[1] - bounds[0] > 1.5 * (high - low)
    assert compared["base_side"]["interval"] == bounds
    assert [view.final_pass.conditional.low, view.final_pass.conditional.high] == bounds


def test_score_with_every_scorer_prints_the_errors_of_the_support_check(make_run):
    run = make_run("run", {"a": ["1", "0"]})

    _, text = call(score, run, "--all")

    assert "support_green" in text
    assert "RED is unsupported in 93% of 111 [86%, 96%]" in text
    assert "unsupported, corrected for the check's errors: 0." in text


def test_score_as_json_and_in_silence(make_run):
    run = make_run("run", {"a": ["1", "0"]})

    by_name = scores(run)
    assert by_name["final_passed"]["value"] == 0.5
    assert by_name["final_passed"]["coverage"] == 1.0
    assert by_name["turns"]["interval"] is None
    assert by_name["turns"]["better"] == "lower"
    assert call(score, run, "--quiet")[1] == ""


def test_added_scores_can_be_compared(make_run):
    base, head = make_run("base", {"a": ["1", "1"]}), make_run("head", {"a": ["1", "0"]})
    for run in (base, head):
        call(score, run, "--scorer", "coverage", "--quiet")

    _, text = call(compare, base, head, "--measure", "domain_concentration")

    assert "domain_concentration   1.000  1.000" in text


def test_a_plan_from_assumptions():
    status, text = call(plan, "--cases", 40, "--trials", 3)

    assert status == 0
    assert "assumed" in text
    assert text.count("planned") == 1
    found = json.loads(call(plan, "--between-share", 1, "--correlation", 0, "--json")[1])
    detectable = {row["trials"]: row["detectable"] for row in found["rows"]}
    # without noise within a case more trials help only by making the test less coarse
    assert detectable[3] < detectable[1] < detectable[3] + 1 / 50


def test_a_plan_for_an_experiment_file(tmp_path):
    (tmp_path / "cases.jsonl").write_text(
        "".join(f'{{"id": "c{i}", "question": "q"}}\n' for i in range(7))
    )
    (tmp_path / "x.toml").write_text(
        'name = "x"\ndataset = "cases.jsonl"\ncassettes = "cassettes"\ntrials = 2\n'
        + "".join(
            f'[[configuration]]\nname = "{n}"\nmodel.name = "reference:honest"\n' for n in "abc"
        )
    )
    found = json.loads(call(plan, tmp_path / "x.toml", "--json")[1])

    assert (found["cases"], found["trials"], found["comparisons"]) == (7, 2, 2)
    assert found["alpha"] == 0.025


def test_a_plan_from_an_earlier_run(make_run):
    run = make_run("run", {"a": ["111", "110", "000"], "b": ["111", "000", "010"]})
    found = json.loads(call(plan, "--from", run, "--json")[1])

    assert found["origin"].startswith("measured on final_passed of a and b, 3 cases")
    assert found["within"] == pytest.approx(1 / 9)
    steady = make_run("steady", {"a": ["1", "0"], "b": ["1", "1"]})
    assert json.loads(call(plan, "--from", steady, "--json")[1])["within"] == 0.0


@pytest.mark.parametrize(
    ("more", "planned"),
    [((), (6, 2)), (("--cases", 9), (9, 2)), (("--trials", 5), (6, 5))],
)
@pytest.mark.parametrize("rows", [["11", "10"] * 3, ["11"] * 6])
def test_a_plan_has_the_cases_and_trials_of_the_run_unless_told(make_run, more, planned, rows):
    run = make_run("run", {"a": rows, "b": ["11"] * 6})

    found = json.loads(call(plan, "--from", run, *more, "--json")[1])

    assert (found["cases"], found["trials"]) == planned
    text = call(plan, "--from", run, *more)[1]
    assert text.startswith(f"{planned[0]} cases with {planned[1]} trials each show ")
    assert next(line for line in text.splitlines() if "(planned)" in line).split()[0] == str(
        planned[1]
    )


@pytest.mark.parametrize(
    ("outcomes", "words"),
    [({"a": ["1", "1"]}, "one configuration alone"), ({"a": ["1"], "b": ["1"]}, "fewer than two")],
)
def test_a_plan_needs_two_configurations_and_two_cases(make_run, outcomes, words):
    with pytest.raises(UsageError, match=words):
        call(plan, "--from", make_run("run", outcomes))


def test_a_pilot_without_variance_gives_bounds_and_no_zero(make_run):
    """Twenty cases that all pass do not say that no case is needed."""
    run = make_run("run", {"a": ["11"] * 20, "b": ["11"] * 20})

    _, text = call(plan, "--from", run)

    assert "no variance can be measured; the figures are the largest that an event never" in text
    assert "show a difference of at most 0.2" in text
    assert "0.000  0" not in text


def test_a_pilot_of_single_trials_says_what_it_cannot_tell(make_run):
    run = make_run("run", {"a": ["1", "0", "1"], "b": ["1", "1", "1"]})

    assert "one trial a case: the pilot cannot tell" in call(plan, "--from", run)[1]


@pytest.mark.parametrize("mode", ["live", "replay"])
def test_plan_compare_and_report_give_one_answer_to_one_question(make_run, mode):
    """The smallest difference that these cases show, and the cases that 10 points need."""
    rows = {
        "a": ["111", "110", "000", "111", "101"] * 4,
        "b": ["101", "111", "010", "000", "111"] * 4,
    }
    run = make_run("run", rows, mode=mode, models={"a": "openai:x", "b": "openai:y"})
    planned = json.loads(call(plan, "--from", run, "--json")[1])["rows"]
    (row,) = [one for one in planned if one["is_planned"]]
    compared = json.loads(call(compare, run, "--json")[1])["comparisons"][0]["measures"][1]
    shown = load_view(RunFolder(Path(run))).differences[0].measures[1]

    assert row["detectable"] == compared["detectable"] == shown.detectable
    assert row["needed_cases"] == compared["needed_cases"] == shown.needed_cases
    assert compared["p"] == shown.p
    assert tuple(compared["interval"]) == shown.interval


def test_plan_and_the_notes_of_score_and_report_assume_the_same():
    text = call(plan, "--cases", 54, "--trials", 3)[1]
    note = power_note(54, 3)

    assert "rates near 70 %, 50 % of the variance between cases, correlation 0.5" in text
    assert "rates near 70 %, 50 % of the variance between cases, correlation 0.5" in note
    needed = re.search(r"10 points need (\d+) cases", note)[1]
    assert f"a difference of 0.1 needs {needed} cases" in text


def test_a_fault_is_told_as_a_ratio_of_rates(make_run):
    """Three of four cases survive the fault: a resilience of 0.75, cases being the units."""
    clean = make_run("clean", {"a": ["1", "1", "1", "1"]})
    faulty = make_run("faulty", {"a": ["1", "1", "1", "0"]})
    path = Path(faulty) / "manifest.json"
    record = json.loads(path.read_text("utf-8"))
    fault = {"channel": "search", "kind": "status", "status": 503, "host": "a.example"}
    record["configurations"][0]["settings"]["fault"] = [fault]
    path.write_text(json.dumps(record), "utf-8")

    _, text = call(compare, clean, faulty, "--measure", "final_passed")
    found = json.loads(call(compare, clean, faulty, "--json")[1])

    assert (
        "Resilience of final_passed to search a.example: status 503: 0.750 [0.301, 0.954]" in text
    )
    assert "/ 1.000 [0.510, 1.000] = 0.750" in text
    assert "over 4 cases" in text
    assert found["comparisons"][0]["resilience"][1]["ratio"] == 0.75
    assert "Resilience" not in call(compare, clean, clean)[1]


def test_rates_over_different_cases_are_compared_unpaired(make_run):
    run = make_run("run", {"a": ["1"] * 56 + ["0"] * 14})
    other = make_run("other", {"a": ["1"] * 48 + ["0"] * 32})

    status, text = call(compare, run, other, "--unpaired", "--fail-on", "regression")

    assert status == 1
    assert "56/70 -> 48/80" in text
    assert "difference -0.200, 95 % interval -0.334 to -0.052" in text


def _rename_cases(folder):
    for name in ("manifest.json", "trials.jsonl"):
        path = Path(folder) / name
        path.write_text(path.read_text("utf-8").replace("case-", "other-"), "utf-8")


def test_runs_without_a_common_case_are_refused_in_one_line(make_run):
    base, head = make_run("base", {"a": ["1"]}), make_run("head", {"a": ["1"]})
    _rename_cases(head)

    with pytest.raises(UsageError, match="have no case in common, so that nothing can be paired"):
        call(compare, base, head)


def test_a_run_without_trials_and_an_unknown_measure_are_refused(make_run):
    base, empty = make_run("base", {"a": ["1"]}), make_run("empty", {"a": ["1"]})
    (Path(empty) / "trials.jsonl").write_text("", "utf-8")

    with pytest.raises(UsageError, match=r"empty/trials.jsonl: no trial, so that nothing"):
        call(compare, base, empty)
    with pytest.raises(UsageError, match="no trial has the measure 'final_pased'"):
        call(compare, base, base, "--measure", "final_pased")


def test_hostile_answers_steer_no_terminal(make_run):
    base, head = make_run("base", {"a": ["1"]}), make_run("head", {"a": ["0"]})
    path = Path(head) / "trials.jsonl"
    line = path.read_text("utf-8")
    path.write_text(line.replace("The toll", r"The \u001b]0;x\u0007 \u202e toll"), "utf-8")

    _, text = call(compare, base, head, "--all")

    assert "head: The" in text
    assert not set(text) & set("\x1b\x07\u202e")


def test_planned_run_scored_errors_and_coverage_stand_beside_each_rate(make_run):
    """Of six planned trials four ran and one broke: strict and conditional rates differ."""
    run = make_run("run", {"a": ["1", "0", "e", "1"]}, planned=6)

    row = scores(run)["first_attempt_passed"]

    assert (row["planned"], row["run"], row["scored"], row["errors"]) == (6, 4, 3, 1)
    assert (row["value"], row["strict"]) == (pytest.approx(2 / 3), pytest.approx(2 / 6))
    assert row["coverage"] == 0.5
    assert row["is_conclusive"] is False


def test_scores_of_a_version_that_is_not_known_are_refused_in_one_line(make_run):
    run = make_run("run", {"a": ["1"]})
    call(score, run, "--scorer", "gate", "--quiet")
    path = Path(run) / "scores.jsonl"
    path.write_text(path.read_text("utf-8").replace('"schema_version":1', '"schema_version":7'))

    with pytest.raises(UsageError, match=r"scores.jsonl:1: schema_version 7 is not one that"):
        call(score, run, "--scorer", "status")


def test_records_without_later_fields_are_still_scored(make_run):
    """A journal of before those fields had a place is read with their defaults."""
    run = make_run("run", {"a": ["1", "0"]})
    path = Path(run) / "trials.jsonl"
    later = {"replay", "language", "tags", "references"}
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    old = [json.dumps({k: v for k, v in row.items() if k not in later}) for row in rows]
    path.write_text("".join(f"{line}\n" for line in old), "utf-8")

    assert {row["scored"] for row in scores(run, "--scorer", "gate").values()} == {2}


def test_new_scores_stand_beside_old_ones(make_run):
    run = make_run("run", {"a": ["1"]})
    call(score, run, "--scorer", "gate", "--quiet")
    call(score, run, "--scorer", "coverage", "--quiet")
    call(score, run, "--scorer", "gate", "--quiet")
    rows = (Path(run) / "scores.jsonl").read_text("utf-8").splitlines()

    assert [json.loads(row)["scorer"] for row in rows] == ["coverage", "gate"]


def test_reference_agents_are_marked_where_the_sides_are_named(make_run):
    rows = {"a": ["1", "1"], "b": ["1", "0"], "c": ["1", "1"]}
    run = make_run("run", rows, models={"b": "openai:some-model"})
    mark = " (reference agent: calibrates, ranks nothing)"

    lines = call(compare, run, "--all")[1].splitlines()

    assert f"base {run}: a{mark}" in lines
    assert f"head {run}: b" in lines
    assert f"head {run}: c{mark}" in lines
    assert [line for line in lines if line.startswith("  rank ") and line.endswith("b")]
    assert [line for line in lines if line.startswith("  rank ") and line.endswith(f"c{mark}")]
    unpaired = call(compare, run, "--unpaired")[1].splitlines()
    assert f"base {run}: a{mark}" in unpaired
    assert f"head {run}: b" in unpaired
    found = json.loads(call(compare, run, "--json")[1])["comparisons"][0]
    assert found["base_is_reference_agent"]
    assert not found["head_is_reference_agent"]
