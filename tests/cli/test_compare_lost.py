"""`compare` where one side lacks trials that the other has: what is lost is never taken for well."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings, strategies as st

from research_eval.cli.compare import compare
from research_eval.errors import UsageError
from research_eval.schema import Recordings, RunRecord

FAIL = ("--fail-on", "regression")


def call(*arguments):
    result = CliRunner().invoke(compare, [str(a) for a in arguments], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.stdout


def entry(*arguments, measure="final_passed"):
    """Return the status, and what was found about one measure."""
    status, text = call(*arguments, "--measure", measure, "--json")
    return status, json.loads(text)["comparisons"][0]["measures"][0]


@pytest.mark.parametrize(("gone", "why"), [("e", "error"), ("-", "not run"), ("m", "error")])
def test_on_identical_traffic_a_value_that_head_lost_is_a_regression(make_run, gone, why):
    base = make_run("base", {"a": ["1"] * 20})
    head = make_run("head", {"a": ["1"] * 19 + [gone]})

    status, text = call(base, head, *FAIL)

    assert status == 1
    assert "RESULT: REGRESSION" in text
    assert "0 worse, 0 better, 1 lost, on identical traffic" in text
    assert f"lost: case-20 #1 final_passed 1 -> no value ({why})" in text


def test_a_value_that_was_bad_and_is_lost_counts_as_worse_too(make_run):
    base = make_run("base", {"a": ["1"] * 19 + ["0"]})
    head = make_run("head", {"a": ["1"] * 19 + ["e"]})

    assert call(base, head, *FAIL)[0] == 1


def test_below_the_floor_what_is_lost_makes_the_verdict_inconclusive(make_run):
    base = make_run("base", {"a": ["1"] * 20})
    head = make_run("head", {"a": ["1"] * 17 + ["e", "-", "m"]})

    status, text = call(base, head, *FAIL)

    assert status == 3
    assert "RESULT: INCONCLUSIVE" in text
    assert "the floor of 90%: base 100.0% of 20, head 85.0% of 20" in text


def test_a_head_with_few_of_the_cases_of_base_is_inconclusive(make_run):
    base = make_run("base", {"a": ["111"] * 20})
    head = make_run("head", {"a": ["111"] * 2})

    status, text = call(base, head, *FAIL, "--all")

    assert status == 3
    assert "planned 60, run 6, scored 6, errors 0, coverage 10.0%" in text
    assert call(base, head, *FAIL, "--shared")[0] == 0


def test_a_few_cases_left_out_of_head_are_lost_unless_that_is_meant(make_run):
    base = make_run("base", {"a": ["1"] * 40})
    head = make_run("head", {"a": ["1"] * 38})

    status, text = call(base, head, *FAIL)

    assert status == 1
    assert "lost: case-40 #1 final_passed 1 -> no value (not planned)" in text
    assert call(base, head, *FAIL, "--shared")[0] == 0


def test_cases_of_head_alone_lower_the_coverage_of_base(make_run):
    base = make_run("base", {"a": ["1"] * 19})
    head = make_run("head", {"a": ["1"] * 20})
    many = make_run("many", {"a": ["1"] * 40})

    status, found = entry(base, head, *FAIL)
    assert (status, found["verdict"], found["gained"]) == (0, "no_regression", 1)
    assert entry(base, many, *FAIL)[0] == 3
    assert entry(base, many, *FAIL, "--shared")[0] == 0


def test_what_broke_in_base_alone_is_gained_and_proves_nothing(make_run):
    base = make_run("base", {"a": ["1"] * 19 + ["e"]})
    head = make_run("head", {"a": ["1"] * 19 + ["0"]})

    status, found = entry(base, head, *FAIL)

    assert status == 0
    assert (found["verdict"], found["gained"], found["lost"]) == ("no_regression", 1, 0)
    assert found["base_side"]["coverage"] == 0.95


def test_a_base_that_mostly_broke_is_inconclusive(make_run):
    base = make_run("base", {"a": ["1"] * 10 + ["e"] * 10})
    head = make_run("head", {"a": ["1"] * 20})

    assert call(base, head, *FAIL)[0] == 3


def test_fewer_trials_a_case_on_identical_traffic_are_missing(make_run):
    base, head = make_run("base", {"a": ["111"] * 9}), make_run("head", {"a": ["1"] * 9})

    assert call(base, head, *FAIL)[0] == 3
    status, text = call(base, head, *FAIL, "--shared", "--all")
    assert status == 0
    assert "planned 9, run 9, scored 9, errors 0, coverage 100.0%" in text


def test_where_chance_plays_a_part_each_side_has_its_own_number_of_trials(make_run):
    base = make_run("base", {"a": ["111"] * 9}, mode="live")
    head = make_run("head", {"a": ["1"] * 9}, mode="live")

    status, text = call(base, head, "--all")

    assert status == 0
    assert "planned 27, run 27" in text
    assert "planned 9, run 9" in text
    assert "lost:" not in text


def test_where_there_is_nothing_to_measure_nothing_is_lost(make_run):
    """A first answer that passes has nothing to repair."""
    base = make_run("base", {"a": ["1"] * 10 + ["0"] * 10})
    head = make_run("head", {"a": ["1"] * 11 + ["0"] * 9})

    _, found = entry(base, head, measure="repaired")

    assert found["lost"] == 0
    assert found["head_side"]["not_applicable"] == 11
    assert found["head_side"]["coverage"] == 1.0


@pytest.mark.parametrize(("margin", "status"), [("0.04", 1), ("0.06", 0)])
def test_a_margin_takes_what_is_lost_at_its_worst(make_run, margin, status):
    base, head = make_run("base", {"a": ["1"] * 20}), make_run("head", {"a": ["1"] * 19 + ["e"]})

    found, text = call(base, head, *FAIL, "--margin", margin)

    assert found == status
    assert "with the lost ones counted as failures a loss of 0.050" in text


def test_a_margin_takes_lost_values_at_their_worst_where_less_is_better(make_run):
    base, head = make_run("base", {"a": ["1"] * 20}), make_run("head", {"a": ["1"] * 19 + ["e"]})

    status, found = entry(base, head, *FAIL, "--margin", "0.04", measure="final_any_fabricated")

    assert status == 1
    assert found["worst_loss"] == pytest.approx(0.05)


def test_a_lost_count_has_no_worst_value_that_a_margin_could_hold(make_run):
    base, head = make_run("base", {"a": ["1"] * 20}), make_run("head", {"a": ["1"] * 19 + ["-"]})

    assert entry(base, head, "--margin", "0.5", measure="turns")[0] == 3
    assert entry(base, head, *FAIL, measure="turns")[0] == 1


def test_junit_names_what_was_lost(make_run, tmp_path):
    base, head = make_run("base", {"a": ["1"] * 20}), make_run("head", {"a": ["1"] * 19 + ["e"]})
    call(base, head, "--junit", tmp_path / "junit.xml")
    suite = ET.parse(tmp_path / "junit.xml").getroot()[0]

    assert suite.attrib["failures"] == "2"
    assert "case-20 #1: 1 lost (error)" in suite[1][0].text


def test_the_number_of_lost_trials_shown_is_bounded(make_run):
    base, head = (
        make_run("base", {"a": ["1"] * 40}),
        make_run("head", {"a": ["1"] * 37 + ["e"] * 3}),
    )

    _, text = call(base, head, "--flips", "1", "--measure", "final_passed")

    assert text.count("lost: case-") == 1
    assert "2 more lost: --flips 3, or --json" in text


def test_each_rate_has_its_denominators_interval_and_n(make_run):
    base = make_run("base", {"a": ["11", "10", "1e"]}, mode="live")

    _, text = call(base, base, "--measure", "final_passed", "--coverage-floor", "0.5", "--all")

    assert "head 0.800, 95 % interval 0." in text
    assert "n 5: planned 6, run 6, scored 5, errors 1, coverage 83.3%" in text


def test_what_so_many_cases_show_stands_beside_each_comparison(make_run):
    base = make_run("base", {"a": ["1"] * 9 + ["0"]}, mode="live")
    head = make_run("head", {"a": ["1"] * 8 + ["0", "0"]}, mode="live")

    _, text = call(base, head, "--measure", "final_passed")
    assert re.search(
        r"With a chance of 80 %, 10 cases show (no difference|differences of 0\.\d+); ", text
    )
    assert re.search(r"; 0\.1 needs at most \d+ cases \(assumed: ", text)
    _, text = call(base, base, "--measure", "final_passed", "--difference", "0.2")
    assert re.search(r"; 0\.2 needs at most \d+ cases \(assumed: ", text)
    _, text = call(base, head, "--unpaired")
    assert "detectable 0.447 with 10 and 10 cases" in text


@pytest.mark.parametrize("more", [[], ["{head}", "--unpaired"]])
def test_shared_is_for_two_runs_that_pair(make_run, more):
    head = make_run("head", {"a": ["1"], "b": ["1"]})

    with pytest.raises(UsageError, match="--shared is for two runs"):
        call(head, *(one.format(head=head) for one in more), "--shared")


def test_a_margin_is_ruled_at_an_alpha_that_holds_over_all_comparisons(make_run):
    """What one comparison shows is not shown where three are made at once."""
    rows = {"a": ["1"] * 30, "b": ["1"] * 28 + ["0"] * 2, "c": ["1"] * 30, "d": ["1"] * 30}
    run = make_run("run", rows, mode="live")
    names = ("--configuration", "a", "--configuration", "b")

    alone = entry(run, *names, "--margin", "0.165")[1]
    whole = call(run, "--measure", "final_passed", "--margin", "0.165", "--json")[1]
    first = json.loads(whole)["comparisons"][0]

    assert alone["verdict"] == "no_regression"
    assert first["measures"][0]["verdict"] == "inconclusive"
    assert first["measures"][0]["interval"] == alone["interval"]


rows = st.lists(st.text("110em-", min_size=1, max_size=3), min_size=1, max_size=7)


@settings(max_examples=12)
@given(
    base=rows,
    head=rows,
    mode=st.sampled_from(["replay", "live"]),
    more=st.sampled_from([(), ("--margin", "0.2"), ("--shared",), ("--alpha", "0.999999")]),
    measure=st.sampled_from(["final_passed", "repaired", "turns", "final_any_fabricated"]),
)
@example(base=["1"], head=["e"], mode="replay", more=(), measure="final_passed")
@example(base=["e", "e"], head=["e", "e"], mode="live", more=(), measure="final_passed")
def test_whatever_two_runs_hold_a_lost_value_is_never_called_well(
    write_run, base, head, mode, more, measure
):
    one, other = write_run({"a": base}, mode=mode), write_run({"a": head}, mode=mode)
    arguments = ("--measure", measure, *more, *FAIL)
    try:
        status, text = call(one, other, *arguments, "--json")
        words = call(one, other, *arguments)[1]
    except UsageError:  # no trial on one side, or none with the measure
        return
    (whole,) = json.loads(text)["comparisons"]
    (found,) = whole["measures"]
    for side in ("base_side", "head_side"):
        assert found[side]["scored"] <= found[side]["run"] <= found[side]["planned"]
        assert 0 <= found[side]["coverage"] <= 1
    assert f"RESULT: {whole['verdict'].replace('_', ' ').upper()}" in words
    assert status == {"regression": 1, "inconclusive": 3}.get(whole["verdict"], 0)
    if found["lost"] and "--margin" not in more:
        assert whole["verdict"] in {"regression", "inconclusive"}


def test_a_configuration_that_head_lacks_is_named_and_fails_a_ruling(make_run, tmp_path):
    base = make_run("base", {"a": ["1"] * 20, "b": ["1"] * 20})
    head = make_run("head", {"a": ["1"] * 20})

    status, text = call(base, head, *FAIL, "--junit", tmp_path / "junit.xml")

    assert status == 3
    assert f"INCONCLUSIVE: {head} has no configuration b" in text
    assert text.startswith("RESULT: INCONCLUSIVE (1 inconclusive, 1 no regression)\n")
    assert ET.parse(tmp_path / "junit.xml").getroot()[1].attrib["errors"] == "1"
    status, text = call(base, head, *FAIL, "--json")
    assert status == 3
    assert json.loads(text)["absent"] == [
        {
            "base": f"{base}: b",
            "head": head,
            "configuration": "b",
            "verdict": "inconclusive",
        }
    ]
    assert call(base, head, *FAIL, "--unpaired")[0] == 3


@pytest.mark.parametrize("more", [(), (*FAIL, "--shared")])
def test_a_configuration_that_head_lacks_is_named_where_no_ruling_is_asked(make_run, more):
    base = make_run("base", {"a": ["1"] * 20, "b": ["1"] * 20})
    head = make_run("head", {"a": ["1"] * 20})

    status, text = call(base, head, *more)

    assert status == 0
    assert f"NOT COMPARED: {head} has no configuration b" in text


def test_what_was_named_is_all_that_is_compared(make_run):
    base = make_run("base", {"a": ["1"] * 20, "b": ["1"] * 20})
    head = make_run("head", {"a": ["1"] * 20})

    status, text = call(base, head, *FAIL, "--configuration", "a")

    assert status == 0
    assert "no configuration" not in text


def test_a_regression_stands_before_what_head_lacks(make_run):
    base = make_run("base", {"a": ["1"] * 20, "b": ["1"] * 20})
    head = make_run("head", {"a": ["1"] * 19 + ["0"]})

    assert call(base, head, *FAIL)[0] == 1


def narrow(folder, *, web="w", names=("a", "b"), changed=None, is_noted=True):
    """Write into a run's manifest what it replays of all its experiment's recordings."""
    path = Path(folder) / "manifest.json"
    manifest = RunRecord.model_validate_json(path.read_text())
    known = Recordings(
        web=web, models={name: f"cassettes of {name}" for name in names} | (changed or {})
    )
    total = known.digest(one.name for one in manifest.configurations)
    update = {"cassettes_sha256": total, "recordings": known if is_noted else None}
    path.write_text(manifest.model_copy(update=update).model_dump_json())


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ({}, 1),
        ({"names": ("a", "b", "new")}, 1),
        ({"changed": {"a": "other"}}, 0),
        ({"web": "other"}, 0),
        ({"is_noted": False}, 0),
    ],
)
def test_traffic_is_told_by_the_recordings_of_what_is_compared(make_run, head, status):
    one = make_run("base", {"a": ["1"] * 20, "b": ["1"] * 20})
    other = make_run("head", {"a": ["1"] * 19 + ["-"]})
    narrow(one, is_noted=False)
    narrow(other, **head)

    found, text = call(one, other, *FAIL, "--configuration", "a")

    assert found == status
    assert ("identical recorded traffic" in text) == bool(status)
    assert "run.recordings" not in text


@pytest.mark.parametrize(("changed", "status"), [({"b": "other"}, 1), ({"a": "other"}, 0)])
def test_of_two_narrowed_runs_only_the_recordings_of_the_compared_count(make_run, changed, status):
    one = make_run("base", {"a": ["1"] * 20, "b": ["1"] * 20})
    other = make_run("head", {"a": ["1"] * 19 + ["-"]})
    narrow(one)
    narrow(other, changed=changed)

    assert call(one, other, *FAIL, "--configuration", "a")[0] == status


def test_recordings_stand_in_a_manifest_only_where_they_are_known(make_run):
    folder = make_run("run", {"a": ["1"]})
    assert "recordings" not in json.loads((Path(folder) / "manifest.json").read_text())
    narrow(folder)
    assert json.loads((Path(folder) / "manifest.json").read_text())["recordings"]["web"] == "w"
