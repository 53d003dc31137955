"""What every gate offers."""

from typing import Protocol, runtime_checkable

from research_eval.ledger import SourceRegistry
from research_eval.schema import Verdict

__all__ = ["Gate"]


@runtime_checkable
class Gate(Protocol):
    """Rules on answers from recorded state alone: the same verdict every time."""

    @property
    def id(self) -> str:
        """Name and version, for instance `default@3`; another behaviour is another version."""
        ...

    def check(self, answer: str, ledger: SourceRegistry) -> Verdict:
        """Rule on `answer` against what the trial really opened."""
        ...

    def corrective(self, verdict: Verdict) -> str:
        """Return the words that send a rejected answer back to the model."""
        ...
