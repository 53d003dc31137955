"""What all trials of a run share towards one provider: requests and tokens a minute, concurrency.

Concurrency adapts: it halves when the provider says that it has too much, and grows again by one for
every round of answers without a complaint.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple

from pydantic import Field

from research_eval.clock import Clock
from research_eval.model.settings import ModelSettings
from research_eval.schema import Record

__all__ = ["LimitSettings", "Limiter", "LimiterPool", "LimiterStatus", "Permit", "provider_key"]

WINDOW_S = 60.0
"""The minute that the limits speak of: no window of this length holds more than they allow."""


class LimitSettings(Record):
    """How much one provider may be asked; `None` is no limit."""

    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    """Tokens of prompts and replies together; estimated before a call, corrected after it."""
    max_in_flight: int = Field(default=32, ge=1)
    """Calls at once, at most; fewer while the provider complains."""
    max_pause_s: float = Field(default=900, gt=0)
    """Seconds for which the provider may ask to be left alone, in a replay too; if it asks for more,
    none of its further trials is started."""


class LimiterStatus(NamedTuple):
    """What a display can say of a provider, to tell waiting from hanging."""

    in_flight: int
    waiting: int
    limit: int
    """Calls at once that are allowed just now."""
    paused_for_s: float
    """Seconds until the provider is asked again; 0 when nothing holds it."""
    retrying: int
    """Trials that wait before they send a failed request again."""
    oldest_s: float
    """Seconds since the oldest call that is still out went out; 0 when none is."""


class Permit:
    """One call under way; told afterwards how many tokens it took."""

    def __init__(self, began: float, tokens: int) -> None:
        self.began = began
        self.tokens = tokens


class Limiter:
    """Lets calls to one provider through, first come first served."""

    def __init__(self, settings: LimitSettings, clock: Clock) -> None:
        """Start with every call allowed that the settings allow."""
        self._settings = settings
        self._clock = clock
        self._limit = settings.max_in_flight
        self._in_flight = 0
        self._waiting = 0
        self._paused_until = 0.0
        self._successes = 0
        self._queue = asyncio.Lock()
        self._freed = asyncio.Event()
        self._recent: deque[Permit] = deque()
        self._out: dict[int, Permit] = {}
        self._retrying = 0

    @property
    def status(self) -> LimiterStatus:
        """What is going on now."""
        now = self._clock.now()
        oldest = next(iter(self._out.values()), None)
        return LimiterStatus(
            self._in_flight,
            self._waiting,
            self._limit,
            round(max(0.0, self._paused_until - now), 3),
            self._retrying,
            0.0 if oldest is None else round(now - oldest.began, 3),
        )

    @asynccontextmanager
    async def call(self, tokens: int) -> AsyncIterator[Permit]:
        """Wait until a call of about `tokens` tokens may go out, and count it while it is out."""
        self._waiting += 1
        try:
            async with self._queue:
                await self._wait_for_slot()
                await self._wait_for_minute(tokens)
                permit = Permit(self._clock.now(), tokens)
                self._recent.append(permit)
                self._in_flight += 1
                self._out[id(permit)] = permit
        finally:
            self._waiting -= 1
        try:
            yield permit
        finally:
            self._in_flight -= 1
            del self._out[id(permit)]
            self._freed.set()

    async def back_off(self, seconds: float) -> None:
        """Wait before a request is sent again, and show that this is what is waited for."""
        self._retrying += 1
        try:
            await self._clock.sleep(seconds)
        finally:
            self._retrying -= 1

    def succeeded(self, permit: Permit, tokens: int) -> None:
        """Note that a call was answered, and what it really took."""
        permit.tokens = tokens or permit.tokens
        self._successes += 1
        if self._successes >= self._limit and self._limit < self._settings.max_in_flight:
            self._successes = 0
            self._limit += 1
            self._freed.set()

    def throttled(self, wait_s: float) -> None:
        """Note that the provider had too much: nobody asks it for `wait_s`, and fewer at once.

        Of complaints that come while it is not asked anyhow, calls of before, one alone counts.
        """
        now = self._clock.now()
        if now >= self._paused_until:
            self._successes = 0
            self._limit = max(1, self._limit // 2)
        self._paused_until = max(self._paused_until, now + wait_s)

    async def _wait_for_slot(self) -> None:
        while self._in_flight >= self._limit:
            self._freed.clear()
            await self._freed.wait()

    async def _wait_for_minute(self, tokens: int) -> None:
        while (delay := self._delay(tokens)) > 0:
            await self._clock.sleep(delay)

    def _delay(self, tokens: int) -> float:
        """Return how long the next call must wait, in seconds."""
        now = self._clock.now()
        while self._recent and self._recent[0].began <= now - WINDOW_S:
            self._recent.popleft()
        waits = [self._paused_until - now, *self._minute_waits(now, tokens)]
        return max(0.0, *waits)

    def _minute_waits(self, now: float, tokens: int) -> Iterator[float]:
        most = self._settings.requests_per_minute
        if most is not None and len(self._recent) >= most:
            yield self._recent[len(self._recent) - most].began + WINDOW_S - now
        most = self._settings.tokens_per_minute
        if most is not None:
            spent = sum(permit.tokens for permit in self._recent)
            for permit in self._recent:
                if spent + tokens <= most:
                    return
                spent -= permit.tokens
                yield permit.began + WINDOW_S - now


class LimiterPool:
    """One limiter for each provider of a run."""

    def __init__(self, clock: Clock, settings: Mapping[str, LimitSettings] | None = None) -> None:
        """Take the limits by provider key; a provider that is not named has the default ones."""
        self._clock = clock
        self._settings = dict(settings or {})
        self._limiters: dict[str, Limiter] = {}

    def get(self, model: ModelSettings) -> Limiter | None:
        """Return the limiter that `model` shares with its provider's other models.

        A reference agent has none.
        """
        if model.is_reference_agent:
            return None
        key = provider_key(model)
        if key not in self._limiters:
            settings = self._settings.get(key, LimitSettings())
            self._limiters[key] = Limiter(settings, self._clock)
        return self._limiters[key]

    def status(self) -> dict[str, LimiterStatus]:
        """Return what is going on at every provider that was asked so far."""
        return {key: limiter.status for key, limiter in self._limiters.items()}


def provider_key(model: ModelSettings) -> str:
    """Return what tells one provider's limits from another's: its address, or its name.

    >>> provider_key(ModelSettings(name="openai:gpt-5-mini"))
    'openai'
    >>> provider_key(ModelSettings(name="openai:qwen3", base_url="http://127.0.0.1:8000/v1"))
    'http://127.0.0.1:8000/v1'
    """
    name = model.name.partition(":")[0]
    return model.base_url or ("openai" if name == "openai-responses" else name)
