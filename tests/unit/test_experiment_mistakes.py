"""Every mistake of an experiment is said at once: its line, the nearest legal word, the legal values."""

import random
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from research_eval.errors import ConfigError, UsageError
from research_eval.experiment import BUNDLED, ExperimentError, bundled_experiment, load_experiment
from research_eval.experiment.toml import lines_of
from research_eval.runner.reading import read_experiment
from tests.unit.test_experiment_loader import GOOD

BAD = """\
nmae = "x"
dataset = "cases.jsonl"
casettes = "cassettes"
trials = "three"
record_from = "wrld"

[defaults]
search.chain = ["serpr"]
agent.max_retrys = 1

[[configuration]]
name = "a"
model = "reference:honst"
agent.max_turns = 0

[[configuration]]
name = "b"
model = { name = "openia:gpt", reasoning = "hgh", zzz = 1 }
gate = "defualt"

[[require]]
measure = "fnal_passed"
min = 0.9
at = "lowr"
"""

WRONG = [
    (1, "nmae: unknown key; did you mean 'name'?"),
    (3, "casettes: unknown key; did you mean 'cassettes'?"),
    (4, "trials: expected a valid integer, unable to parse string as an integer; found 'three'"),
    (
        5,
        "record_from: expected 'internet' or 'world'; found 'wrld'; did you mean 'world'?",
    ),
    (9, "defaults.agent.max_retrys: unknown key; did you mean 'max_retries'?"),
    (14, "configuration.0.agent.max_turns (a): expected greater than or equal to 1; found 0"),
    (18, "configuration.1.model.reasoning (b): expected 'low', 'medium' or 'high' or a table"),
    (18, "configuration.1.model.zzz (b): unknown key; expected one of name, base_url,"),
    (24, "require.0.at: expected 'point', 'lower' or 'upper'; found 'lowr'"),
    (22, "require 1: measure: there is no 'fnal_passed'; did you mean 'final_passed'?"),
    (8, "configuration a: unknown search 'serpr'; did you mean 'serper'?"),
    (13, "configuration a: unknown reference agent 'honst'; did you mean 'honest'?"),
    (8, "configuration b: unknown search 'serpr'; did you mean 'serper'?"),
    (19, "configuration b: unknown gate 'defualt'; did you mean 'default'?"),
    (18, "configuration b: unknown model provider 'openia'; did you mean 'openai'?"),
]


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "e.toml"
    path.write_text(text, "utf-8")
    return path


def faults(path: Path, *overrides: str) -> list[str]:
    with pytest.raises(UsageError) as caught:
        read_experiment(path, overrides)
    return [fault.removeprefix(str(path)) for fault in caught.value.faults]


def test_every_mistake_of_the_file_and_of_what_it_names_comes_at_once(tmp_path):
    (tmp_path / "cases.jsonl").write_text('{"id": "a"}\n')
    told = faults(written(tmp_path, BAD))

    dataset = f"{tmp_path / 'cases.jsonl'}:1: question: is missing"
    assert dataset in told
    others = [fault for fault in told if fault != dataset]
    assert len(others) == len(WRONG)
    for fault, (line, words) in zip(others, WRONG, strict=True):
        assert fault.startswith(f":{line}: {words}")


def test_one_mistake_is_one_line(tmp_path):
    """No key is called missing because it is misspelt, and no name unknown that was not read."""
    (tmp_path / "cases.jsonl").write_text('{"id": "a", "question": "q"}\n')
    require = '[[require]]\nconfiguration = "b"\nmax_errors = 0\n'
    for right, wrong in (
        ('name = "small"', 'nme = "small"'),
        ("[defaults]", "[defualts]"),
        ('name = "b"', 'name = "b b"'),
        ('name = "b"', 'nmae = "b"'),
        ('model = "reference:fabricator"', 'modell = "reference:fabricator"'),
        ("cases.jsonl", "case.jsonl"),
        ('"serper", "brave"]', '"serper", { provder = "brave" }]'),
        ("agent.max_retries = 1", "agent.max_retries = 1\nagent.tool = []"),
    ):
        assert right in GOOD
        told = faults(written(tmp_path, GOOD.replace(right, wrong) + require))
        assert len(told) == 1, told


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("defaults.agent.max_retrys=1", ": defaults.agent.max_retrys: unknown key"),
        ("configuration.b.agent.max_turns=0", ": configuration.1.agent.max_turns (b): expected"),
        ("trails=1", ": trails: unknown key; did you mean 'trials'?"),
    ],
)
def test_a_mistake_of_the_command_line_has_no_line_of_the_file(tmp_path, change, says):
    (tmp_path / "cases.jsonl").write_text('{"id": "a", "question": "q"}\n')
    assert [fault[: len(says)] for fault in faults(written(tmp_path, GOOD), change)] == [says]


def test_what_is_right_can_be_had_from_the_error(tmp_path):
    with pytest.raises(ExperimentError) as caught:
        load_experiment(written(tmp_path, GOOD.replace("trials = 2", "trials = 0")))

    assert caught.value.rest is not None
    assert [one.name for one in caught.value.rest.settings.configuration] == ["a", "b"]


def places(value: object, at: tuple = ()):
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, below in inner:
        yield (*at, key)
        yield from places(below, (*at, key))


@pytest.mark.parametrize("name", BUNDLED)
def test_each_key_of_a_bundled_experiment_has_a_line_that_names_it(name):
    text = bundled_experiment(name).read_text("utf-8")
    lines = lines_of(text)
    rows = text.split("\n")
    for place in places(tomllib.loads(text)):
        key = next(part for part in reversed(place) if isinstance(part, str))
        assert place in lines
        assert key in rows[lines[place] - 1] or "[" in rows[lines[place] - 1], place


@given(st.integers(0, 10_000))
def test_a_mistake_anywhere_is_found_on_its_line(seed):
    """A key that is put into any table of the file is found where it was put."""
    rows = GOOD.strip().split("\n")
    at = random.Random(seed).randrange(len(rows))
    text = "\n".join([*rows[: at + 1], "zzz = 'a\\nb' # it", *rows[at + 1 :]])
    lines = lines_of(text)

    assert [line for place, line in lines.items() if place[-1] == "zzz"] == [at + 2]


MUTATIONS = ("0", '"zzz"', "true", "[]", "{}", "[1, [2]]", "{ zzz = 1 }", "1979-05-27", "nan")


@given(st.data())
def test_any_value_in_the_place_of_any_other_is_read_or_said(tmp_path_factory, data):
    rows = GOOD.strip().split("\n")
    number = data.draw(st.sampled_from([n for n, row in enumerate(rows) if " = " in row]))
    value = data.draw(st.sampled_from(MUTATIONS))
    rows[number] = f"{rows[number].partition(' = ')[0]} = {value}"
    path = written(tmp_path_factory.getbasetemp(), "\n".join(rows))

    told = complaint_of(path)
    assert all(fault.startswith(f"{path}:{number + 1}: ") for fault in told), told


def complaint_of(path: Path) -> tuple[str, ...]:
    try:
        load_experiment(path)
    except ConfigError as exc:
        return exc.faults
    return ()
