"""The JSON Schema with which an editor checks an experiment agrees with what the loader reads."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from research_eval.cli.init import init
from research_eval.errors import ConfigError
from research_eval.experiment import bundled_experiment, load_experiment
from research_eval.experiment.json_schema import case_schema, experiment_schema
from tests.unit.test_experiment_loader import GOOD

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENT = Draft202012Validator(experiment_schema())
CASE = Draft202012Validator(case_schema())
DOCUMENTED = [
    block
    for page in sorted((ROOT / "docs").glob("*.md"))
    for block in re.findall(r"```toml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    if "[[configuration]]" in block and "dataset = " in block
]
FORMS = """
limits = { openai = { max_in_flight = 4 } }
network.proxy = "env:PROXY"
[defaults]
fetch = { ports = "any", allow_hosts = "a.example", deny_hosts = ["b.example"] }
search.resilience = { preset = "0.1", rate_per_s = "none" }
[[configuration.fault]]
channel = "search"
status = 503
requests = 1
between_s = [5.0]
[[matrix]]
model = { name = "openai:a", reasoning = { budget = 5 } }
agent.prompt = { system = { file = "p.md" } }
price = { input = 1, output = 2 }
vary.search.chain = [["serper"], "brave", [{ provider = "serper", resilience = "original" }]]
vary.agent.max_retries = [0, 1]
exclude = ["*serper_max-retries-0"]
[[require]]
max_errors = 1
"""


def shape(text: str) -> str:
    """Put the tables of `FORMS` behind a whole experiment."""
    head, _, rest = GOOD.partition("[defaults]")
    configurations = rest[rest.index("[[configuration]]") :]
    top, _, tables = FORMS.partition("[defaults]")
    defaults, _, behind = tables.partition("[[configuration.fault]]")
    return f"{head}{top}[defaults]{defaults}{configurations}[[configuration.fault]]{behind}"


def test_they_are_valid_and_say_what_each_setting_is():
    for one in (EXPERIMENT, CASE):
        one.check_schema(one.schema)
    tables = EXPERIMENT.schema["$defs"]
    silent = {"name", "kind", "channel", "dataset"}
    for name in (
        "AgentSettings",
        "Configuration",
        "ModelSettings",
        "PromptSettings",
        "SearchSettings",
    ):
        for key, setting in tables[name]["properties"].items():
            assert "description" in setting or key in silent | {
                "agent", "search", "fetch", "prompt", "top_p"
            }, (name, key)  # fmt: skip


@pytest.mark.parametrize("text", [GOOD, shape(FORMS), *DOCUMENTED])
def test_what_the_loader_reads_is_valid(tmp_path, text):
    (tmp_path / "p.md").write_text("Mine.")
    (tmp_path / "e.toml").write_text(text, "utf-8")
    load_experiment(tmp_path / "e.toml")

    assert [error.message for error in EXPERIMENT.iter_errors(tomllib.loads(text))] == []


@pytest.mark.parametrize("path", sorted((ROOT / "datasets").glob("*/experiment.toml")), ids=str)
def test_the_bundled_experiments_and_their_cases_are_valid(path):
    EXPERIMENT.validate(tomllib.loads(path.read_text("utf-8")))
    for line in path.with_name("cases.jsonl").read_text("utf-8").splitlines():
        CASE.validate(json.loads(line))


def test_the_bundled_experiment_is_among_them():
    assert bundled_experiment() in (ROOT / "datasets").glob("*/experiment.toml")


@pytest.mark.parametrize("words", [(), ("--from", "internet", "--model", "openai:a")])
def test_what_init_writes_names_its_schema_and_fits_it(tmp_path, words):
    init.main([str(tmp_path), *words], standalone_mode=False)
    text = (tmp_path / "experiment.toml").read_text("utf-8")
    path = tmp_path / text.partition("\n")[0].removeprefix("#:schema ")

    assert json.loads(path.read_text("utf-8")) == EXPERIMENT.schema
    EXPERIMENT.validate(tomllib.loads(text))


@pytest.mark.parametrize(
    "change",
    [
        ("agent.max_retries = 1", "agent.max_retrys = 1"),
        ("trials = 2", "trials = 0"),
        ("trials = 2", 'record_from = "wrld"'),
        ('name = "small"', 'nmae = "small"'),
        ("[defaults]", "[defualts]"),
        ("[[configuration]]", "[[matrix]]"),
        ('name = "b"\nmodel', "[[matrix]]\nvary.agent.max_retry = [1]\nmodel"),
        ('"serper", "brave"]', '{ provder = "serper" }]'),
        ('model = "reference:honest"', 'model.reasoning = "hgh"'),
    ],
)
def test_what_the_loader_refuses_for_its_form_is_not_valid(tmp_path, change):
    text = GOOD.replace(*change)
    (tmp_path / "e.toml").write_text(text, "utf-8")
    with pytest.raises(ConfigError):
        load_experiment(tmp_path / "e.toml")

    assert not EXPERIMENT.is_valid(tomllib.loads(text))
