"""A matrix makes a configuration of each combination, and its name tells which."""

import pytest

from research_eval.errors import ConfigError
from research_eval.experiment import load_experiment

HEAD = 'name = "m"\ndataset = "cases.jsonl"\ncassettes = "cassettes"\n'


def load(tmp_path, text, *overrides):
    path = tmp_path / "e.toml"
    path.write_text(HEAD + text, "utf-8")
    return load_experiment(path, overrides).settings


def names(tmp_path, text, *overrides):
    return [one.name for one in load(tmp_path, text, *overrides).configuration]


def test_each_combination_is_a_configuration_in_the_order_of_the_file(tmp_path):
    settings = load(
        tmp_path,
        """
[defaults]
agent.max_turns = 5
model.temperature = 0

[[configuration]]
name = "calibration"
model = "reference:honest"

[[matrix]]
search.chain = ["serper"]
vary.model = ["openai:gpt-5-mini", "mistral:small"]
vary.agent.max_retries = [0, 2]
vary.agent.prompt.form = ["full", "short"]
exclude = ["*small_max-retries-0_*"]
""",
    )

    rows = [
        (one.name, one.model.name, one.agent.max_retries, one.agent.prompt.form)
        for one in settings.configuration
    ]
    assert rows == [
        ("calibration", "reference:honest", 2, "full"),
        ("gpt-5-mini_max-retries-0_full", "openai:gpt-5-mini", 0, "full"),
        ("gpt-5-mini_max-retries-0_short", "openai:gpt-5-mini", 0, "short"),
        ("gpt-5-mini_max-retries-2_full", "openai:gpt-5-mini", 2, "full"),
        ("gpt-5-mini_max-retries-2_short", "openai:gpt-5-mini", 2, "short"),
        ("small_max-retries-2_full", "mistral:small", 2, "full"),
        ("small_max-retries-2_short", "mistral:small", 2, "short"),
    ]
    assert {one.agent.max_turns for one in settings.configuration} == {5}
    assert {one.model.temperature for one in settings.configuration} == {0}
    assert [len(one.search.chain) for one in settings.configuration] == [0, 1, 1, 1, 1, 1, 1]


def test_a_matrix_is_what_is_written_out_by_hand(tmp_path):
    made = load(
        tmp_path, '[[matrix]]\nvary.model = ["reference:honest"]\nvary.gate = ["default", "seed"]'
    )
    by_hand = load(
        tmp_path,
        "".join(
            f'[[configuration]]\nname = "honest_{gate}"\nmodel = "reference:honest"\ngate = "{gate}"\n'
            for gate in ("default", "seed")
        ),
    )

    assert made == by_hand
    assert made.digest() == by_hand.digest()


@pytest.mark.parametrize(
    ("axis", "labels"),
    [
        ('vary.model = ["openai:gpt-5", "ollama:qwen3:8b"]', ["gpt-5", "qwen3-8b"]),
        ('vary.model = ["openai:a", "mistral:a"]', ["openai-a", "mistral-a"]),
        ('vary.model = ["reference:mixed(0.3)"]', ["mixed-0.3"]),
        (
            'vary.model = [{ name = "openai:a", temperature = 0.5 }, { name = "openai:a" }]',
            ["a-temperature-0.5", "a"],
        ),
        ('vary.model = [{ label = "cold", name = "openai:a", temperature = 0 }]', ["cold"]),
        ("vary.agent.max_retries = [0, 1]", ["max-retries-0", "max-retries-1"]),
        ("vary.model.temperature = [0.0, 0.7]", ["temperature-0.0", "temperature-0.7"]),
        ("vary.model.stream = [true, false]", ["stream-true", "stream-false"]),
        (
            'vary.search.chain = [["serper"], ["brave", "serper"], []]',
            ["serper", "brave-serper", "chain-none"],
        ),
        ('vary.gate = ["default", "my.gates:Strict"]', ["default", "Strict"]),
        (
            'vary.agent.prompt.extra = ["Be kind.", { label = "long", value = "%s" }]'
            % ("x " * 50),
            ["Be-kind", "long"],
        ),
        (
            'vary.agent.prompt = [{ form = "short" }, { answer_style = "report" }]',
            ["short", "report"],
        ),
    ],
)
def test_names_are_made_of_the_values(tmp_path, axis, labels):
    model = "" if "vary.model =" in axis else 'model = "reference:honest"\n'

    assert names(tmp_path, f"[[matrix]]\n{model}{axis}\n") == labels


def test_what_a_label_names_reaches_the_settings(tmp_path):
    text = """[[matrix]]
model = "openai:a"
vary.agent.prompt.extra = [{ label = "kind", value = "Be kind." }]
vary.model = [{ label = "cold", temperature = 0 }]
"""
    (one,) = load(tmp_path, text).configuration

    assert (one.name, one.agent.prompt.extra) == ("kind_cold", "Be kind.")
    assert (one.model.name, one.model.temperature) == ("openai:a", 0)


def test_set_reaches_one_of_the_matrix(tmp_path):
    text = '[[matrix]]\nvary.model = ["reference:honest", "reference:stubborn"]\n'
    settings = load(tmp_path, text, "configuration.stubborn.gate=seed")

    assert [one.gate for one in settings.configuration] == ["default", "seed"]


@pytest.mark.parametrize(
    ("matrix", "says"),
    [
        ("model = 'reference:honest'", ":4: matrix.0.vary: expected lists of values"),
        ("vary.model = 'reference:honest'", ":5: matrix.0.vary.model: expected a list of values"),
        ("vary.model = []", ":5: matrix.0.vary.model: expected a list of values"),
        ("vary = ['a']", ":5: matrix.0.vary: expected a list of values"),
        (
            "vary.model = ['a:b', 'a:b']",
            ":5: matrix.0.vary.model.1: a second value is called 'a-b'",
        ),
        ("vary.model = ['a:b']\nname = 'x'", ":6: matrix.0.name: names are made of the values"),
        (
            "vary.model = ['a:bcd']\nexclude = ['bce']",
            ":6: matrix.0.exclude: 'bce' matches none; did you mean 'bcd'?",
        ),
        ("vary.model = ['a:b']\nexclude = ['*']", ":6: matrix.0.exclude: leaves no configuration"),
        ("vary.model = ['a:b']\nexclude = 'x'", ":6: matrix.0.exclude: expected a list of names"),
        (
            f"vary.agent.prompt.extra = ['{'x' * 41}']",
            ":5: matrix.0.vary.agent.prompt.extra.0: is no name",
        ),
        (
            f"vary.seed = {list(range(200))}\nvary.trials = {list(range(200))}",
            "makes 40000 configurations",
        ),
        (
            "vary.agent.max_retrys = [1]\nmodel = 'reference:honest'",
            ":5: matrix.0.vary.agent.max_retrys: unknown key; did you mean 'max_retries'?",
        ),
        (
            "vary.model = ['a:b']\ngaet = 'seed'",
            ":6: matrix.0.gaet: unknown key; did you mean 'gate'?",
        ),
    ],
)
def test_a_mistake_of_a_matrix_is_one_line_where_it_stands(tmp_path, matrix, says):
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, f"[[matrix]]\n{matrix}\n")

    (fault,) = caught.value.faults
    assert says in fault


def test_two_matrices_do_not_make_one_name(tmp_path):
    matrix = '[[matrix]]\nvary.model = ["openai:a"]\n'
    with pytest.raises(ConfigError, match="two configurations are called 'a'"):
        load(tmp_path, matrix + matrix)
