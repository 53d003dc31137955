"""Find a gate by name: built in, from an entry point `research_eval.gate`, or by dotted path."""

from research_eval.errors import ConfigError, ResearchEvalError
from research_eval.gate.check import CitationGate
from research_eval.gate.custom import CustomGate
from research_eval.gate.protocol import Gate
from research_eval.gate.seed import SeedGate
from research_eval.plugin import fault_of, is_shutdown, load_plugin

__all__ = ["BUILT_IN_GATES", "load_gate"]

BUILT_IN_GATES: dict[str, type[CitationGate] | type[SeedGate]] = {
    "default": CitationGate,
    "default@3": CitationGate,
    "seed": SeedGate,
    "seed@1": SeedGate,
}
"""The gates that come with the project; a plain name is the newest version."""


def load_gate(name: str) -> Gate:
    """Return the gate called `name`: `default`, `seed@1`, an entry point or `package.module:name`.

    What is found may be a gate, or a class or function that makes one without arguments.

    Raises:
        ConfigError: If there is no such gate, it cannot be made, or what is found is none.
    """
    found = load_plugin("gate", name, BUILT_IN_GATES)
    try:
        gate = _made(name, found)
    except ResearchEvalError:
        raise
    except BaseException as exc:
        if is_shutdown(exc):
            raise
        raise ConfigError(f"gate {name!r} cannot be made: {fault_of(exc)}") from exc
    if type(gate).__module__.startswith("research_eval.gate."):
        return gate
    own = CustomGate(name, gate)
    if own.id.isspace() or not own.id:
        raise ConfigError(f"gate {name!r}: its id is empty; expected a name and a version")
    return own


def _made(name: str, found: object) -> Gate:
    """Return the gate, or the one that a class or function makes."""
    if isinstance(found, type) or not hasattr(found, "check"):
        if not callable(found):
            raise ConfigError(f"gate {name!r} is neither a gate nor something that makes one")
        try:
            found = found()
        except TypeError as exc:
            raise ConfigError(
                f"gate {name!r} cannot be made without arguments: {fault_of(exc)}"
            ) from exc
    if not isinstance(found, Gate):
        raise ConfigError(f"gate {name!r} lacks id, check or corrective")
    return found
