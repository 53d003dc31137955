"""Whatever legal numbers `plan` is given, it answers in numbers or refuses in one line."""

import json
import math

import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings, strategies as st

from research_eval.cli.plan import plan
from research_eval.errors import UsageError

shares = st.one_of(st.sampled_from([1e-9, 0.001, 0.05, 0.5, 0.95, 0.999999]), st.floats(0, 1))
errors = st.one_of(st.sampled_from([1e-6, 0.05, 0.999999]), st.floats(1e-6, 0.999999))
whole = st.one_of(st.sampled_from([1, 2, 3, 10**9]), st.integers(1, 10**9))
options = st.fixed_dictionaries(
    {},
    optional={
        "--cases": whole.filter(lambda n: n > 1),
        "--trials": whole,
        "--difference": st.one_of(st.sampled_from([1e-6, 0.1, 0.999]), st.floats(1e-6, 2)),
        "--rate": shares.filter(lambda share: 0 < share < 1),
        "--between-share": st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1)),
        "--correlation": st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1)),
        "--comparisons": whole,
        "--alpha": errors,
        "--power": errors,
    },
)


def call(*arguments):
    return CliRunner().invoke(plan, [str(a) for a in arguments], standalone_mode=False)


def check(result):
    """Hold a plan to numbers that mean something, or to one line of refusal."""
    if result.exception is not None:
        assert isinstance(result.exception, UsageError), result.exception
        assert "\n" not in str(result.exception)
        return
    found = json.loads(result.output)
    for row in (found, *found["rows"]):
        numbers = {k: v for k, v in row.items() if isinstance(v, int | float)}
        assert all(math.isfinite(value) and value >= 0 for value in numbers.values()), numbers
    assert all(row["needed_cases"] >= 1 for row in found["rows"])


@given(options)
@example({"--rate": 0.95})
@example({"--rate": 0.95, "--correlation": 1.0, "--difference": 0.999})
@example({"--rate": 1e-9, "--difference": 1e-6})
@example({"--rate": 0.3, "--difference": 0.3})
@example({"--between-share": 1.0, "--correlation": 1.0})
def test_any_legal_numbers_give_a_plan_or_one_line(chosen):
    pairs = [part for pair in chosen.items() for part in pair]
    check(call(*pairs, "--json"))


def test_the_same_plan_in_words_and_as_json():
    words, whole = call("--rate", 0.95).output, json.loads(call("--rate", 0.95, "--json").output)

    (row,) = [one for one in whole["rows"] if one["is_planned"]]
    assert f"a difference of {row['detectable']:.3f} or more" in words
    assert f"needs {row['needed_cases']} cases" in words


@pytest.mark.parametrize(
    "option",
    ["--rate", "--difference", "--alpha", "--power", "--between-share", "--correlation"],
)
@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "-0.1", "1e400"])
def test_what_is_no_number_in_range_is_refused(option, value):
    result = CliRunner().invoke(plan, [option, value])

    assert result.exit_code == 2
    assert option in result.output


rows = st.lists(st.text("10e-", min_size=1, max_size=3), min_size=1, max_size=6)
measures = st.sampled_from(["final_passed", "first_attempt_passed", "turns", "repaired"])


@settings(max_examples=25)
@given(a=rows, b=rows, measure=measures, difference=st.sampled_from([0.001, 0.1, 0.9, 3]))
@example(a=["1"], b=["0"], measure="final_passed", difference=0.1)
@example(a=["1", "1"], b=["1", "1"], measure="final_passed", difference=0.1)
@example(a=["1", "1"], b=["1", "1"], measure="turns", difference=3)
@example(a=["e", "e"], b=["e", "e"], measure="final_passed", difference=0.1)
@example(a=["1", "1", "1"], b=["1", "0", "1"], measure="final_passed", difference=0.9)
def test_any_pilot_gives_a_plan_or_one_line(write_run, a, b, measure, difference):
    size = max(map(len, (a, b)))
    run = write_run({"a": a + ["-"] * (size - len(a)), "b": b + ["-"] * (size - len(b))})

    check(call("--from", run, "--measure", measure, "--difference", difference, "--json"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--difference", "1"], "two rates differ by less than 1, not by 1"),
        (["--configuration", "a"], "two of the run that --from measures"),
        (["--from", "{run}"] + ["--configuration", "a"] * 3, "3 names; expected the two"),
    ],
)
def test_what_cannot_be_planned_is_said_in_one_line(write_run, arguments, words):
    run = write_run({"a": ["1"], "b": ["1"]})

    with pytest.raises(UsageError, match=words):
        raise call(*(one.format(run=run) for one in arguments)).exception
