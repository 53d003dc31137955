"""The commands of the failover laboratory and of search, as a person types them."""

import json

import pytest
from click.testing import CliRunner

from research_eval.cli.failover import failover
from research_eval.cli.search import search
from research_eval.errors import ConfigError, MissingSecretError
from research_eval.failover import bundled_scenarios

SCENARIO = """
title = "Small"
[load]
searches = 40
over_s = 40
[[provider]]
provider = "serper"
[[fault]]
channel = "search"
status = 503
between_s = [10, 20]
[expect]
served_share = "{bound}"
"""


def invoke(command, *words: str):
    return CliRunner().invoke(command, words, standalone_mode=False)


@pytest.fixture
def scenario(tmp_path):
    def write(bound: str = ">= 0.1") -> str:
        path = tmp_path / "small.toml"
        path.write_text(SCENARIO.replace("{bound}", bound), encoding="utf-8")
        return str(path)

    return write


def test_ls_names_every_bundled_scenario():
    result = invoke(failover, "ls")

    assert "quota_at_noon" in result.output
    assert len(result.output.splitlines()) == len(bundled_scenarios())


def test_run_prints_a_table_and_writes_report_and_picture(scenario, tmp_path):
    result = invoke(failover, "run", scenario(), "--out", str(tmp_path / "out"))

    assert result.return_value == 0
    assert "| default |" in result.output
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"report.md", "metrics.csv", "metrics.json", "small.svg"}
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "![Small](small.svg)" in page
    assert "served_share >= 0.1: holds" in page


def test_run_fails_when_something_that_must_hold_does_not(scenario):
    result = invoke(failover, "run", scenario("== 1"), "--variant", "default")

    assert result.return_value == 1
    assert "served_share == 1 does not hold" in result.output


def test_two_runs_write_the_same_bytes(scenario, tmp_path):
    path = scenario()
    for folder in ("a", "b"):
        invoke(failover, "run", path, "--variant", "default", "--out", str(tmp_path / folder))

    first = {p.name: p.read_bytes() for p in (tmp_path / "a").iterdir()}
    assert first == {p.name: p.read_bytes() for p in (tmp_path / "b").iterdir()}


def test_sweep_shows_one_line_a_value(scenario, tmp_path):
    result = invoke(
        failover,
        "sweep",
        scenario(),
        "--set",
        "failure_threshold=1..3",
        "--out",
        str(tmp_path / "out"),
    )

    assert [f"failure_threshold = {n}" in result.output for n in (1, 2, 3)] == [True] * 3
    assert (tmp_path / "out" / "small.svg").read_bytes().startswith(b"<?xml")


def test_options_measures_each_refinement(scenario):
    result = invoke(failover, "options", scenario())

    assert "| original + single probe |" in result.output


def test_versus_prints_a_line_a_scenario_and_says_who_is_worse(scenario):
    path = scenario()

    good = invoke(failover, "versus", path, "--seeds", "1..2")
    swapped = ("--settings", "original", "--against", "default")
    bad = invoke(failover, "versus", path, "--seeds", "1..2", *swapped)

    assert good.return_value == 0
    assert "| small (no fallback) | 80 |" in good.output
    assert bad.return_value == 1
    assert "original is worse than default in small" in bad.output


@pytest.mark.parametrize(
    "words",
    [
        ("versus", "--seeds", "x"),
        ("run",),
        ("run", "nonsense"),
        ("run", "no/file.toml"),
        ("run", "outage", "--variant", "nope"),
        ("sweep", "--set", "x"),
    ],
)
def test_what_does_not_exist_is_a_usage_error(words):
    assert isinstance(invoke(failover, *words).exception, ConfigError)


def test_search_needs_a_key_or_a_chain(monkeypatch):
    for name in (
        "SERPER_API_KEY",
        "BRAVE_API_KEY",
        "TAVILY_API_KEY",
        "EXA_API_KEY",
        "GOOGLE_CSE_API_KEY",
        "BING_API_KEY",
    ):
        monkeypatch.delenv(name, raising=False)

    assert isinstance(invoke(search, "tides").exception, MissingSecretError)


def test_search_shows_what_a_model_would_read(tmp_path):
    (tmp_path / "a.md").write_text("# Tides\n\nTwice a day.\n", encoding="utf-8")

    result = invoke(search, "tides", "--chain", f"corpus:{tmp_path}")

    assert '1 result for "tides":\n\n1. Tides\n   URL: https://corpus.invalid/a.md' in result.output
    assert "(corpus: served)" in result.output
    assert result.return_value == 0


def test_search_as_json_holds_the_event_of_the_trial(tmp_path):
    (tmp_path / "a.md").write_text("# Tides\n", encoding="utf-8")

    result = CliRunner().invoke(
        search, ["zzz", "--chain", f"corpus:{tmp_path}", "--json"], standalone_mode=False
    )

    shown = json.loads(result.stdout)
    assert shown["event"]["served_by"] is None
    assert shown["event"]["tries"][0]["outcome"] == "empty"
    assert result.return_value == 1


def test_an_own_address_is_for_one_provider(tmp_path):
    result = invoke(search, "x", "--chain", "serper,brave", "--endpoint", "https://a.example/")

    assert isinstance(result.exception, ConfigError)


@pytest.mark.sockets
def test_search_can_ask_the_bundled_web():
    result = invoke(search, "light", "--world", "--max-results", "2")

    assert '2 results for "light"' in result.output
    assert "(serper: served (HTTP 200))" in result.output
