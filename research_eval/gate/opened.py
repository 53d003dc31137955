"""A gate by any name that a comparison takes, while it is needed: one here, or one of another revision."""

from collections.abc import Iterator
from contextlib import contextmanager
from inspect import getsourcefile, getsourcelines, unwrap
from typing import NamedTuple

from research_eval.errors import ConfigError
from research_eval.gate.custom import CustomGate
from research_eval.gate.load import BUILT_IN_GATES, load_gate
from research_eval.gate.protocol import Gate
from research_eval.gate.revision import RevisionGate, gate_of_revision, is_of_revision
from research_eval.identity import code_of_module
from research_eval.plugin import module_of

__all__ = ["GatePlace", "code_of_gate", "open_gate", "place_of_gate"]


class GatePlace(NamedTuple):
    """Where a gate is written."""

    file: str
    line: int


@contextmanager
def open_gate(name: str) -> Iterator[Gate]:
    """Load a gate by its name, which may be `git:REV:package.module:Name`, while the block runs.

    Raises:
        ConfigError: If there is no such gate.
    """
    if is_of_revision(name):
        with gate_of_revision(name) as gate:
            yield gate
    else:
        yield load_gate(name)


def code_of_gate(name: str, gate: Gate) -> str | None:
    """Return what tells the code of a gate from another's: a digest, or the name of one that is built in."""
    if isinstance(gate, RevisionGate):
        return gate.code_sha256
    module = module_of("gate", name, BUILT_IN_GATES)
    if module is None:
        return f"{gate.id} of this version"
    code = code_of_module(module)
    return code.sha256 if code else None


def place_of_gate(gate: Gate) -> GatePlace | None:
    """Return where the class of a gate of the user's own is written; `None` where nobody knows."""
    if not isinstance(gate, CustomGate):
        return None
    try:
        kind = unwrap(type(gate.gate))
        file, line = getsourcefile(kind), getsourcelines(kind)[1]
    except (OSError, TypeError, ConfigError):
        return None
    return GatePlace(file, line) if file else None
