"""A chain of providers: the first that finds something serves."""

from collections.abc import Sequence

from research_eval.clock import Clock
from research_eval.errors import ConfigError
from research_eval.schema import ProviderTry
from research_eval.tool.search.protocol import (
    PatientProvider,
    SearchError,
    SearchProvider,
    SearchReply,
)
from research_eval.tool.search.unconfigured import UnconfiguredSearchProvider
from research_eval.waiting import Waits

__all__ = ["Asking", "FallbackSearchProvider", "failed_try"]


class FallbackSearchProvider:
    """Asks providers in order; one that finds nothing has failed like one that broke.

    Once all have failed, those that may be asked again are: after their back-off, or after the pause
    that they asked for.
    """

    def __init__(
        self,
        providers: Sequence[SearchProvider],
        *,
        clock: Clock | None = None,
        waits: Waits | None = None,
    ) -> None:
        """Keep the chain.

        Args:
            providers: Who is asked, in this order.
            clock: Waits between two rounds; without one nobody is asked twice.
            waits: Is told when the trial is held back.

        Raises:
            ConfigError: If there is no provider.
        """
        if not providers:
            raise ConfigError("a chain of search providers needs at least one")
        self._providers = tuple(providers)
        self._clock = clock
        self._waits = waits
        self.name = " > ".join(provider.name for provider in providers)

    async def search(self, query: str, max_results: int) -> SearchReply:
        """Return the first answer that holds hits.

        Raises:
            SearchError: If no provider had one; it carries what became of each.
        """
        asking = Asking(self._providers, query, max_results)
        reply = await asking.run(self._clock, self._waits)
        if reply is None:
            reasons = "; ".join(asking.reasons.values())
            raise SearchError(reasons, kind="all_failed", tries=tuple(asking.tries))
        return reply


class Asking:
    """One search on its way through providers.

    Attributes:
        tries: What became of each attempt, in order.
        reasons: Why each provider did not serve, by its place.
        last: The last error, or the last answer without hits.
    """

    def __init__(self, providers: Sequence[SearchProvider], query: str, max_results: int) -> None:
        self.tries: list[ProviderTry] = []
        self.reasons: dict[int, str] = {}
        self.last: SearchError | SearchReply | None = None
        self._providers = providers
        self._patient = [
            provider if isinstance(provider, PatientProvider) else None for provider in providers
        ]
        self._query = query
        self._max_results = max_results
        self._attempts = [0] * len(providers)
        self._again: dict[int, float] = {}
        self._is_last_chance = False
        self._waited_s = 0.0
        self._untold_wait_s = 0.0

    async def run(self, clock: Clock | None, waits: Waits | None) -> SearchReply | None:
        """Return the first answer with hits; `None` where no provider has one."""
        due = self._in_order()
        while due:
            for number, place in enumerate(due):
                reply = await self._ask(place, due[number + 1 :], clock)
                if reply is not None:
                    return reply
            due = []
            self._is_last_chance = True
            if clock is not None and self._again:
                due = await self._next_round(clock, waits or Waits(clock))
        return None

    def _in_order(self) -> list[int]:
        """Return the places of the providers in order; those that give way after the others."""

        def yields(place: int) -> int:
            provider = self._patient[place]
            return provider.yields(self._query, self._max_results) if provider else 0

        return sorted(range(len(self._providers)), key=yields)

    async def _next_round(self, clock: Clock, waits: Waits) -> list[int]:
        """Wait until a provider may be asked again, and return the places of all that then may."""
        wait = max(0.0, min(self._again.values()) - clock.now())
        with waits.held():
            await clock.sleep(wait)
        self._waited_s += wait
        self._untold_wait_s += wait if clock.is_virtual else 0.0
        now = clock.now() + 1e-6
        due = sorted(place for place, at in self._again.items() if at <= now)
        for place in due:
            del self._again[place]
        return due

    async def _ask(
        self, place: int, others: Sequence[int], clock: Clock | None
    ) -> SearchReply | None:
        provider, patient = self._providers[place], self._patient[place]
        try:
            if clock is not None and patient is not None:
                reply = await patient.attempt(
                    self._query,
                    self._max_results,
                    is_last_chance=self._is_last_chance,
                    is_replaceable=not self._is_last_chance and any(map(self._is_ready, others)),
                )
            else:
                reply = await provider.search(self._query, self._max_results)
        except SearchError as exc:
            self._failed(place, exc, clock)
            return None
        self.last = reply
        served = ProviderTry(provider=reply.served_by, outcome="served", requests=1)
        told = self._told(reply.tries or (served,))
        if reply.hits:
            return reply.model_copy(update={"tries": (*self.tries, *told)})
        *before, last = told
        self.tries += (*before, last.model_copy(update={"outcome": "empty", "error": "empty"}))
        self.reasons[place] = f"{provider.name} found nothing"
        return None

    def _is_ready(self, place: int) -> bool:
        patient = self._patient[place]
        if patient is not None:
            return not patient.rests()
        return not isinstance(self._providers[place], UnconfiguredSearchProvider)

    def _failed(self, place: int, exc: SearchError, clock: Clock | None) -> None:
        provider, patient = self._providers[place], self._patient[place]
        self.last = exc
        tries = exc.tries or (failed_try(provider.name, exc),)
        self.tries += self._told(tries)
        self.reasons[place] = str(exc)
        if clock is None or patient is None:
            return
        self._attempts[place] += tries[-1].outcome != "skipped"
        wait = patient.again_in_s(exc, attempts=self._attempts[place], waited_s=self._waited_s)
        if wait is not None:
            self._again[place] = clock.now() + wait

    def _told(self, tries: tuple[ProviderTry, ...]) -> tuple[ProviderTry, ...]:
        """Return `tries`, the first of which was waited for since the last one."""
        if not self._untold_wait_s:
            return tries
        first, *others = tries
        waited = round((first.waited_s or 0.0) + self._untold_wait_s, 6)
        self._untold_wait_s = 0.0
        return (first.model_copy(update={"waited_s": waited}), *others)


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
