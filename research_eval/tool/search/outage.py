"""When a trial cannot search at all, because every provider of its chain refuses the key or the quota."""

from typing import Literal

from research_eval.errors import ToolError
from research_eval.provider_outage import ProviderOutage, ProviderOutages
from research_eval.schema import ProviderTry
from research_eval.tool.search.protocol import SearchError

__all__ = ["SearchOutageError", "SearchOutages"]


class SearchOutageError(ToolError):
    """No provider of the chain serves: the trial cannot go on, and is not the agent's fault.

    Attributes:
        kind: `auth` or `quota`, as the first provider of the chain said.
    """

    def __init__(self, message: str, *, kind: Literal["auth", "quota"]) -> None:
        super().__init__(message)
        self.kind: Literal["auth", "quota"] = kind


class SearchOutages:
    """What one trial learns of the providers of its chain; refusals that a fault rule made are none."""

    def __init__(
        self, chain: str = "", scope: str = "", shared: ProviderOutages | None = None
    ) -> None:
        """Start with nothing known.

        Args:
            chain: The providers, in words.
            scope: What tells the chain's access to its providers from another's.
            shared: What the trials of a run learn together; `None` where no API is asked.
        """
        self._chain = chain
        self._scope = scope
        self._shared = ProviderOutages() if shared is None else shared
        self._said: dict[str, SearchError] = {}

    def note(self, provider: str, exc: SearchError) -> None:
        """Keep that a provider refused the key or the quota, if that is what it did."""
        if exc.kind in {"auth", "quota"} and not exc.is_injected:
            self._said.setdefault(provider, exc)

    def verdict(self, exc: SearchError) -> SearchOutageError | None:
        """Return the error for a search that failed, if nothing but refusals made it fail."""
        if not exc.tries or not all(map(self._is_outage, exc.tries)):
            return None
        said = [self._said[one.provider] for one in exc.tries if one.provider in self._said]
        kind: Literal["auth", "quota"] = "quota" if said and said[0].kind == "quota" else "auth"
        message = "; ".join(map(str, dict.fromkeys(said))) or str(exc)
        refused = SearchOutageError(f"no search provider serves: {message}", kind=kind)
        if not any(one.is_played for one in said):
            status = said[0].status if said else None
            self._shared.note(self._scope, ProviderOutage(self._chain, kind, message, status))
        return refused

    def _is_outage(self, tried: ProviderTry) -> bool:
        if tried.error == "unconfigured":
            return True
        return tried.error in {"auth", "quota", "breaker_open"} and tried.provider in self._said
