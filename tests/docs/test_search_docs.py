"""The pages on search and failover name every setting, provider, kind of fault and scenario."""

import re
from pathlib import Path
from typing import get_args

import pytest

from research_eval.failover import Metrics, bundled_scenarios
from research_eval.failover.scenario import LoadSettings, Scenario, ScenarioProvider
from research_eval.fault import FaultKind, FaultSettings
from research_eval.tool.search import WIRES, ProviderSettings, ResilienceSettings, SearchErrorKind

DOCS = Path(__file__).parents[2] / "docs"
SEARCH = (DOCS / "search.md").read_text(encoding="utf-8")
FAILOVER = (DOCS / "failover.md").read_text(encoding="utf-8")


def shown(value: object) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"


@pytest.mark.parametrize("name", ResilienceSettings.model_fields)
def test_every_setting_of_resilience_is_explained_with_its_default(name):
    rows = [line for line in SEARCH.splitlines() if line.startswith("| `")]
    line = next(line for line in rows if f"`{name}`" in line.split("|")[1])

    assert shown(getattr(ResilienceSettings(), name)) in line.split("|")[2]


@pytest.mark.parametrize("name", WIRES)
def test_every_provider_is_listed_with_its_key_and_limits(name):
    details = WIRES[name].details
    line = next(line for line in SEARCH.splitlines() if line.startswith(f"| `{name}`"))

    assert f"`{details.key_name}`" in line if details.key_name else "none" in line
    assert f"{details.max_query_chars} characters" in line
    assert f"| {details.max_results} |" in line or "decides" in line


@pytest.mark.parametrize("kind", sorted({*get_args(SearchErrorKind)} - {"all_failed"}))
def test_every_kind_of_failure_is_explained(kind):
    assert f"`{kind}`" in SEARCH


@pytest.mark.parametrize("name", sorted({*ProviderSettings.model_fields} - {"price_usd"}))
def test_every_setting_of_a_provider_is_mentioned(name):
    assert f"`{name}`" in SEARCH or f"\n{name} = " in SEARCH


@pytest.mark.parametrize("kind", get_args(FaultKind))
def test_every_kind_of_fault_is_listed(kind):
    assert f"`{kind}`" in FAILOVER


@pytest.mark.parametrize("name", FaultSettings.model_fields)
def test_every_setting_of_a_fault_is_explained(name):
    assert f"`{name}`" in FAILOVER or f"\n{name} = " in FAILOVER


@pytest.mark.parametrize(
    "name",
    sorted(
        {*LoadSettings.model_fields, *ScenarioProvider.model_fields, *Scenario.model_fields}
        - {"name", "timeout_s"}
    ),
)
def test_every_part_of_a_scenario_is_in_the_example(name):
    assert f"{name} = " in FAILOVER or f"[{name}]" in FAILOVER


@pytest.mark.parametrize("name", bundled_scenarios())
def test_every_bundled_scenario_has_its_numbers_for_both_kinds_of_seeds(name):
    assert FAILOVER.count(f"| {name} ") == 2


def test_every_picture_is_there():
    shown = re.findall(r"\(failover/([a-z_]+\.svg)\)", FAILOVER)

    assert shown
    assert set(shown) == {path.name for path in (DOCS / "failover").iterdir()}


def test_the_scenario_in_the_page_is_one():
    import tomllib

    example = FAILOVER.split("```toml\n")[1].split("```")[0]

    assert Scenario.model_validate({"name": "example", **tomllib.loads(example)}).expect
    assert {e.metric for s in bundled_scenarios().values() for e in s.expect} <= set(
        Metrics.model_fields
    )
