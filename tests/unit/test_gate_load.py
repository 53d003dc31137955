"""Gates are found by name, version, entry point or dotted path."""

import pytest

from research_eval.errors import ConfigError
from research_eval.gate import CitationGate, Gate, SeedGate, load_gate


@pytest.mark.parametrize(
    ("name", "kind", "id_"),
    [
        ("default", CitationGate, "default@3"),
        ("default@3", CitationGate, "default@3"),
        ("seed", SeedGate, "seed@1"),
        ("research_eval.gate.seed:SeedGate", SeedGate, "seed@1"),
    ],
)
def test_a_gate_is_loaded_by_name(name: str, kind: type, id_: str) -> None:
    gate = load_gate(name)

    assert isinstance(gate, kind)
    assert isinstance(gate, Gate)
    assert gate.id == id_


READY = CitationGate()


def make() -> CitationGate:
    return READY


def test_a_gate_may_be_an_object_or_a_function_that_makes_one() -> None:
    assert load_gate(f"{__name__}:READY") is READY
    assert load_gate(f"{__name__}:make") is READY


@pytest.mark.parametrize(
    "name", ["nonsense", "default@9", "no.such.module:x", "json:loads", "sys:path"]
)
def test_what_is_no_gate_is_a_config_error(name: str) -> None:
    with pytest.raises(ConfigError, match=r"gate"):
        load_gate(name)
