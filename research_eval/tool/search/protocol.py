"""What every search provider offers, and how one fails."""

from typing import Literal, Protocol, runtime_checkable

from research_eval.errors import ToolError
from research_eval.schema import ProviderTry, Record, SearchHit

__all__ = [
    "BoundedProvider",
    "PatientProvider",
    "SearchError",
    "SearchErrorKind",
    "SearchProvider",
    "SearchReply",
]

SearchErrorKind = Literal[
    "auth",
    "quota",
    "rate_limited",
    "bad_query",
    "server",
    "timeout",
    "connection",
    "malformed",
    "crashed",
    "empty",
    "breaker_open",
    "unconfigured",
    "unrecorded",
    "all_failed",
]
"""A stable word for why a search failed; the first two are never worth a request retry."""


class SearchReply(Record):
    """The hits of one search and who served them."""

    hits: tuple[SearchHit, ...]
    served_by: str
    tries: tuple[ProviderTry, ...] = ()
    """Every provider that was asked, in order; the last one served."""
    pause_s: float | None = None
    """How long the provider wants to be left alone before the next request, in seconds."""


class SearchError(ToolError):
    """A search failed.

    Attributes:
        kind: Why, as a stable word.
        status: The HTTP status, if there was one.
        retry_after_s: How long the provider asked to wait, in seconds.
        tries: Every provider that was asked, in order.
        is_injected: Whether a fault rule answered in the provider's place.
        is_played: Whether a recording did.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: SearchErrorKind,
        status: int | None = None,
        retry_after_s: float | None = None,
        tries: tuple[ProviderTry, ...] = (),
        is_injected: bool = False,
        is_played: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status
        self.retry_after_s = retry_after_s
        self.tries = tries
        self.is_injected = is_injected
        self.is_played = is_played


class SearchProvider(Protocol):
    """Answers queries from some index of the web."""

    name: str

    async def search(self, query: str, max_results: int) -> SearchReply:
        """Return at most `max_results` hits, best first.

        Raises:
            SearchError: If there is no answer; an empty answer is a reply without hits.
        """
        ...


@runtime_checkable
class BoundedProvider(SearchProvider, Protocol):
    """A provider whose request can be given less time than it would take by itself."""

    async def search_within(self, query: str, max_results: int, within_s: float) -> SearchReply:
        """Return at most `max_results` hits, best first.

        Args:
            query: What is searched for.
            max_results: The most hits that are wanted.
            within_s: Seconds after which an answer that is not whole is given up.

        Raises:
            SearchError: If there is no answer in that time; an empty answer is a reply without hits.
        """
        ...


@runtime_checkable
class PatientProvider(SearchProvider, Protocol):
    """A provider that a chain may ask once more for the same search, after the others."""

    async def attempt(
        self,
        query: str,
        max_results: int,
        *,
        is_last_chance: bool = False,
        is_replaceable: bool = False,
    ) -> SearchReply:
        """Ask once; `search` asks as often as the settings allow.

        Args:
            query: What is searched for.
            max_results: The most hits that are wanted.
            is_last_chance: Whether every other provider has been asked.
            is_replaceable: Whether a provider that does not rest is asked next.

        Raises:
            SearchError: If there is no answer; an empty answer is a reply without hits.
        """
        ...

    def again_in_s(self, error: SearchError, *, attempts: int, waited_s: float) -> float | None:
        """Return after how many seconds it may be asked again for a search; `None`: not at all.

        Args:
            error: How the last attempt failed.
            attempts: Attempts of this search that were made of it, without those that sent nothing.
            waited_s: Seconds that this search has waited between attempts.
        """
        ...

    def rests(self) -> bool:
        """Return whether it would be passed over now."""
        ...

    def yields(self, query: str, max_results: int) -> int:
        """Return how far others are better asked first: 0 is not at all, more comes later."""
        ...
