"""A gate of the user's own: what goes wrong in it is said with its name, and its verdicts are verdicts."""

from collections.abc import Callable
from typing import TypeVar

from research_eval.errors import ConfigError
from research_eval.gate.kind import KINDS, kinds_of
from research_eval.gate.protocol import Gate
from research_eval.ledger import SourceRegistry
from research_eval.plugin import fault_of, is_shutdown, shown
from research_eval.schema import Verdict

__all__ = ["CustomGate"]

T = TypeVar("T")


def _plain(verdict: object) -> object:
    """Return a verdict that is nothing but data, whatever class and values a gate gave it."""
    if isinstance(verdict, Verdict):
        return Verdict.model_validate(verdict.model_dump(warnings=False))
    return verdict


class CustomGate:
    """Passes on what a gate says, and refuses what is no verdict and no words."""

    def __init__(self, name: str, gate: Gate) -> None:
        self._name = name
        self.gate = gate
        """The user's."""
        self.kinds = self._said("kinds", lambda: kinds_of(gate), tuple)
        """The kinds of violation that it declares beside those that are built in."""

    @property
    def id(self) -> str:
        """Name and version, as the gate says."""
        return self._said("id", lambda: self.gate.id, str)

    def check(self, answer: str, ledger: SourceRegistry) -> Verdict:
        """Rule on `answer` as the gate does.

        Raises:
            ConfigError: If the gate raises, returns no verdict, or finds what it does not declare,
                or finds it at no place of the answer.
        """
        verdict = self._said("check", lambda: _plain(self.gate.check(answer, ledger)), Verdict)
        known = {*KINDS, *(kind.name for kind in self.kinds)}
        for violation in verdict.violations:
            if violation.kind not in known:
                raise ConfigError(
                    f"gate {self._name!r}: check: it does not declare the kind of violation"
                    f" {violation.kind!r}; its attribute `kinds` holds a ViolationKind for each"
                )
        spans = [(one.start, one.end) for one in verdict.citations]
        for first, last in (*spans, *((one.start, one.end) for one in verdict.violations)):
            start, end = first or 0, len(answer) if last is None else last
            if not 0 <= start <= end <= len(answer):
                raise ConfigError(
                    f"gate {self._name!r}: check: it names characters {first} to {last}"
                    f" of an answer of {len(answer)}"
                )
        return verdict

    def corrective(self, verdict: Verdict) -> str:
        """Return the gate's words.

        Raises:
            ConfigError: If the gate raises, or returns no text.
        """
        return self._said("corrective", lambda: self.gate.corrective(verdict), str)

    def _said(self, what: str, say: Callable[[], object], kind: type[T]) -> T:
        try:
            found = say()
        except BaseException as exc:
            if is_shutdown(exc):
                raise
            raise ConfigError(f"gate {self._name!r}: {what}: {fault_of(exc)}") from exc
        if not isinstance(found, kind):
            expected = f"expected a {kind.__name__}, not {shown(found)}"
            raise ConfigError(f"gate {self._name!r}: {what}: {expected}")
        return found
