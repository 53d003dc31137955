"""An experiment file is read whole or refused in one line that names file and key."""

from pathlib import Path

import pytest

from research_eval.errors import ConfigError
from research_eval.experiment import load_experiment

GOOD = """
name = "small"
dataset = "cases.jsonl"
cassettes = "cassettes"
trials = 2

[defaults]
agent.max_retries = 1
search.chain = ["serper", "brave"]

[[configuration]]
name = "a"
model = "reference:honest"

[[configuration]]
name = "b"
model = "reference:fabricator"
agent.max_turns = 3
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "experiment.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_defaults_reach_every_configuration_and_give_way_to_what_it_says(tmp_path):
    settings = load_experiment(write(tmp_path, GOOD)).settings

    a, b = settings.configuration
    assert (a.agent.max_retries, b.agent.max_retries) == (1, 1)
    assert (a.agent.max_turns, b.agent.max_turns) == (16, 3)
    assert [p.provider for p in a.search.chain] == ["serper", "brave"]


def test_paths_are_relative_to_the_file(tmp_path):
    experiment = load_experiment(write(tmp_path, GOOD))

    assert experiment.dataset_path == (tmp_path / "cases.jsonl").resolve()
    assert experiment.cassettes_path == (tmp_path / "cassettes").resolve()


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("trials=5", 5),
        ("configuration.b.agent.max_retries=0", 0),
        ("configuration.a.model.name=reference:stubborn", "reference:stubborn"),
        ("defaults.agent.max_turns=7", 7),
    ],
)
def test_set_changes_one_value(tmp_path, override, expected):
    settings = load_experiment(write(tmp_path, GOOD), [override]).settings

    a, b = settings.configuration
    found = {
        "trials=5": settings.trials,
        "configuration.b.agent.max_retries=0": b.agent.max_retries,
        "configuration.a.model.name=reference:stubborn": a.model.name,
        "defaults.agent.max_turns=7": a.agent.max_turns,
    }
    assert found[override] == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            GOOD.replace("agent.max_turns", "agent.max_turn"),
            "configuration.1.agent.max_turn (b): unknown key",
        ),
        (GOOD.replace("trials = 2", "trials = 0"), "trials: "),
        (GOOD.replace('name = "b"', 'name = "a"'), "two configurations are called 'a'"),
        (GOOD.replace('name = "b"', 'name = "../b"'), "configuration.1.name"),
        *(
            (
                GOOD.replace('name = "b"', f'name = "{name}"'),
                f"configuration.1.name ({name}): {says}",
            )
            for name, says in (
                ("aux", "is a name that Windows gives no folder"),
                ("Con.txt", "is a name that Windows gives no folder"),
                ("LPT1", "is a name that Windows gives no folder"),
                ("x.", "expected at most 64 letters"),
                ("a b", "expected at most 64 letters"),
            )
        ),
        (GOOD.replace('name = "b"', 'name = "gpt 5."'), "for instance 'gpt-5'"),
        (GOOD.replace('name = "b"', 'name = "b\\n"'), "for instance 'b'"),
        (GOOD.partition("[defaults]")[0], "configuration: expected at least one"),
        ("name = ", "not TOML"),
        (GOOD + "\nextra = 1\n", "extra"),
    ],
)
def test_a_faulty_file_is_one_line_with_file_and_key(tmp_path, text, says):
    path = write(tmp_path, text)

    with pytest.raises(ConfigError) as caught:
        load_experiment(path)

    message = str(caught.value)
    assert message.startswith(str(path))
    assert says in message
    assert "\n" not in message


@pytest.mark.parametrize("override", ["trials", "=1", "configuration.c.gate=seed", "name.x=1"])
def test_a_faulty_override_is_refused(tmp_path, override):
    with pytest.raises(ConfigError):
        load_experiment(write(tmp_path, GOOD), [override])


def test_a_missing_or_undecodable_file_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        load_experiment(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(ConfigError, match="expected UTF-8"):
        load_experiment(tmp_path / "latin.toml")


def test_the_digest_changes_with_a_setting_and_not_with_a_place(tmp_path):
    base = load_experiment(write(tmp_path, GOOD)).settings.digest()
    moved = load_experiment(
        write(tmp_path, GOOD.replace('= "cassettes"', '= "elsewhere"'))
    ).settings.digest()
    changed = load_experiment(write(tmp_path, GOOD), ["seed=1"]).settings.digest()

    assert base == moved
    assert base != changed
