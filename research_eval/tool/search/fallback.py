"""A chain of providers: the first that finds something serves."""

from collections.abc import Sequence

from research_eval.errors import ConfigError
from research_eval.schema import ProviderTry
from research_eval.tool.search.protocol import SearchError, SearchProvider, SearchReply

__all__ = ["FallbackSearchProvider", "failed_try"]


class FallbackSearchProvider:
    """Asks providers in order; one that finds nothing has failed like one that broke."""

    def __init__(self, providers: Sequence[SearchProvider]) -> None:
        """Keep the chain.

        Raises:
            ConfigError: If it is empty.
        """
        if not providers:
            raise ConfigError("a chain of search providers needs at least one")
        self._providers = tuple(providers)
        self.name = " > ".join(provider.name for provider in providers)

    async def search(self, query: str, max_results: int) -> SearchReply:
        """Return the first answer that holds hits.

        Raises:
            SearchError: If no provider had one; it carries what became of each.
        """
        tries: list[ProviderTry] = []
        reasons: list[str] = []
        for provider in self._providers:
            try:
                reply = await provider.search(query, max_results)
            except SearchError as exc:
                tries += exc.tries or (failed_try(provider.name, exc),)
                reasons.append(str(exc))
                continue
            if reply.hits:
                return reply.model_copy(update={"tries": (*tries, *_said(reply))})
            tries += _emptied(_said(reply))
            reasons.append(f"{provider.name} found nothing")
        raise SearchError("; ".join(reasons), kind="all_failed", tries=tuple(tries))


def failed_try(provider: str, error: SearchError) -> ProviderTry:
    """Return the part that `provider` played, when it told nothing but the error."""
    skipped = error.kind in {"breaker_open", "unconfigured"}
    return ProviderTry(
        provider=provider,
        outcome="skipped" if skipped else "error",
        error=error.kind,
        status=error.status,
        requests=0 if skipped else 1,
    )


def _said(reply: SearchReply) -> tuple[ProviderTry, ...]:
    served = ProviderTry(provider=reply.served_by, outcome="served", requests=1)
    return reply.tries or (served,)


def _emptied(tries: tuple[ProviderTry, ...]) -> tuple[ProviderTry, ...]:
    *before, last = tries
    return (*before, last.model_copy(update={"outcome": "empty", "error": "empty"}))
