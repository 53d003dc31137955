"""Whatever in an experiment can change a result stands in the way of going on, by its name."""

from datetime import date
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest

from research_eval.dataset import Case
from research_eval.experiment import Configuration, Experiment, ExperimentSettings, load_experiment
from research_eval.model import ModelSettings
from research_eval.runner.manifest import differences, make_manifest
from research_eval.schema import Price, Record, RunRecord

WITHOUT_EFFECT = {
    "limits",
    "require",
    "network.proxy",
    "network.ca_bundle",
    "configuration.0.note",
    "configuration.0.price",
}
IN_MANIFEST = {"name": "experiment", "synthetic": "dataset_is_synthetic"}
"""How a manifest calls what it calls otherwise."""

CASES = (Case(id="a", question="Where?"), Case(id="b", question="When?", note="-"))
SETTINGS = ExperimentSettings(
    name="e",
    dataset="cases.jsonl",
    cassettes="cassettes/e",
    configuration=(
        Configuration.model_validate(
            {
                "name": "c",
                "model": "reference:honest",
                "search": {"chain": ["serper"]},
                "fault": [{"channel": "search", "status": 503}],
            }
        ),
    ),
)


REQUIRED: dict[str, Any] = {"channel": "fetch", "provider": "brave", "name": "other",
                            "model": ModelSettings(), "input": 1.0, "output": 1.0, "max_errors": 1}  # fmt: skip
PLUGGED = {"gate": "seed", "callable": "json:dumps", "command": ("true",)}
"""What has to exist to be named."""
SAMPLES: dict[Any, object] = {int: 7, float: 7.5, str: "other", Any: "other"}


def manifest(settings: ExperimentSettings = SETTINGS, **changes: Any) -> RunRecord:
    """Return what the run of `settings` says of itself, read back from its file."""
    given: dict[str, Any] = {
        "model_mode": "record", "web_mode": "record", "cassettes_sha256": None, "on": date(2026, 1, 1),
        "cases": CASES, "configurations": settings.configuration,
    }  # fmt: skip
    made = make_manifest(Experiment(settings, Path("e.toml")), **{**given, **changes})
    return RunRecord.model_validate_json(made.model_dump_json())


def another(annotation: Any, value: Any) -> Any:
    """Return a value of the type that is not `value`."""
    inner = [one for one in get_args(annotation) if one not in (type(None), ...)]
    match get_origin(annotation):
        case None if isinstance(annotation, type) and issubclass(annotation, Record):
            known = annotation.model_fields.keys() & REQUIRED.keys()
            found = annotation.model_construct(**{name: REQUIRED[name] for name in known})
        case None:
            found = not value if annotation is bool else SAMPLES[annotation]
        case origin if origin in (Union, UnionType, Annotated):
            found = another(inner[0], value)
        case origin if origin is Literal:
            found = next(one for one in inner if one != value)
        case origin if origin is dict:
            found = {**(value or {}), "key": another(inner[1], None)}
        case _:
            found = (*(value or ()), *(another(one, None) for one in inner))
    return found


def changes(settings: Record, place: str = ""):
    """Yield for every setting, however deep, its place and the settings with another value there."""
    for name, field in type(settings).model_fields.items():
        value, where = getattr(settings, name), f"{place}{name}"
        inner = value if isinstance(value, tuple) else (value,)
        if inner and all(isinstance(one, Record) for one in inner):
            for index, one in enumerate(inner):
                at = f"{where}.{index}." if value is inner else f"{where}."
                for deeper, other in changes(one, at):
                    put = (*inner[:index], other, *inner[index + 1 :]) if value is inner else other
                    yield deeper, settings.model_copy(update={name: put})
        if value is inner or not isinstance(value, Record):
            other = PLUGGED.get(name) or another(field.annotation, value)
            yield where, settings.model_copy(update={name: other})


OWN_AGENT = {"callable", "command", "mcp_client", "url"}


def in_manifest(place: str) -> str:
    """Return how a line about the setting at `place` begins."""
    if place in {"configuration", "configuration.0.name"}:
        return "configurations: "
    if place.removeprefix("configuration.0.agent.") in OWN_AGENT:
        return "configuration c: nobody knows whether its agent's code is the same"
    head, dot, rest = place.partition("configuration.0.")
    return f"configurations.0.settings.{rest}" if dot else IN_MANIFEST.get(head, head)


CHANGES = dict(changes(SETTINGS))


def test_every_setting_is_looked_at():
    assert {"record_from", "cassettes", "configuration.0.model.seed", "configuration.0.search.chain.0.endpoint",
            "configuration.0.fault.0.kind", "configuration.0.search.resilience.burst"} <= set(CHANGES)  # fmt: skip
    assert {place.partition(".")[0] for place in CHANGES} == set(ExperimentSettings.model_fields)


@pytest.mark.parametrize("place", CHANGES)
def test_a_setting_that_can_change_a_result_is_named(place):
    found = differences(manifest(), manifest(CHANGES[place]))

    if place in WITHOUT_EFFECT:
        assert found == []
    else:
        assert any(line.startswith(in_manifest(place)) for line in found), found


def test_a_price_and_a_note_change_nothing():
    price = Price(input=1, output=2)
    priced = SETTINGS.configuration[0].model_copy(update={"price": price, "note": "dear"})

    assert differences(manifest(), manifest(SETTINGS.model_copy(update={"configuration": (priced,)}))) == []  # fmt: skip


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"model_mode": "live"}, "model_mode: 'record' -> 'live'"),
        ({"web_mode": "replay"}, "web_mode: 'record' -> 'replay'"),
        ({"cassettes_sha256": "ab"}, "cassettes_sha256: None -> 'ab'"),
        ({"cases": CASES[:1]}, "cases: 2 -> 1, without b; select the same ones"),
        ({"cases": (*CASES, Case(id="c", question="-"))}, "cases: 2 -> 3, with c; select"),
        ({"cases": CASES[::-1]}, "cases: 2 -> 2, in another order; select"),
        ({"cases": (CASES[0], Case(id="b", question="Who?"))}, "dataset_sha256: "),
    ],
)
def test_what_is_selected_and_where_traffic_comes_from_is_named(change, says):
    (line,) = differences(manifest(), manifest(**change))

    assert line.startswith(says)


def test_where_recordings_lie_is_of_no_matter_where_their_content_is_the_same():
    moved = SETTINGS.model_copy(update={"cassettes": "elsewhere"})
    replay = {"model_mode": "replay", "web_mode": "replay", "cassettes_sha256": "ab"}

    assert differences(manifest(**replay), manifest(moved, **replay)) == []
    assert differences(manifest(), manifest(moved)) == ["cassettes: 'cassettes/e' -> 'elsewhere'"]


def test_a_run_of_an_earlier_version_is_held_to_the_digest_of_its_settings():
    old = manifest().model_copy(update={"settings": {}})
    other = SETTINGS.model_copy(update={"record_from": "world"})

    assert differences(old, manifest()) == []
    (line,) = differences(old, manifest(other))
    assert line.startswith("experiment_sha256: ")


FILE = """
name = "e"  # a comment
dataset = "cases.jsonl"
cassettes = "cassettes/e"
[[configuration]]
name = "c"
model = "reference:honest"
search.chain = ["serper"]
"""
SAME = """
trials = 1
cassettes = 'cassettes/e'
dataset = "cases.jsonl"
record_from = "internet"
name = "e"
[defaults.search]
resilience = { cache_ttl_s = 300, cooldown_s = 5.0 }
[[configuration]]
search = { chain = [{ provider = "serper", timeout_s = 10 }] }
model = { name = "reference:honest", timeout_s = 120 }
name = "c"
"""


def test_comments_order_and_spelling_of_a_file_change_nothing(tmp_path):
    found = []
    for text in (FILE, SAME):
        (tmp_path / "e.toml").write_text(text, encoding="utf-8")
        found.append(manifest(load_experiment(tmp_path / "e.toml").settings))

    assert differences(*found) == differences(*found[::-1]) == []
