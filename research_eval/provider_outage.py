"""Which providers refuse to serve a run at all: for them no further trial is started."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from research_eval.errors import ModelErrorKind

__all__ = ["ProviderOutage", "ProviderOutages"]


class ProviderOutage(NamedTuple):
    """Why a provider serves no more: the key, the quota, or a wait that is longer than ours."""

    provider: str
    kind: ModelErrorKind
    """As in the failure of the trial that met it."""
    message: str
    """What it said, as in that failure."""
    status: int | None = None

    @property
    def words(self) -> str:
        """Who refuses and why, on one line."""
        return f"{self.provider} serves no more ({self.message})"


class ProviderOutages:
    """What the trials of a run learn of providers; the first word about each counts."""

    def __init__(self, known: Mapping[str, ProviderOutage] | None = None) -> None:
        """Start with what is known."""
        self._known = dict(known or {})

    def note(self, scope: str, outage: ProviderOutage) -> None:
        """Keep that whatever stands behind `scope` refuses."""
        self._known.setdefault(scope, outage)

    def find(self, scopes: Iterable[str]) -> ProviderOutage | None:
        """Return the outage of the first of `scopes` that has one."""
        return next((self._known[scope] for scope in scopes if scope in self._known), None)

    def known(self) -> Mapping[str, ProviderOutage]:
        """Return all of them, by scope."""
        return dict(self._known)
