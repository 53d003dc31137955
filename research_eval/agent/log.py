"""The transcript while it is written: events go in, and to whoever subscribed, as they happen."""

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from types import MappingProxyType

from research_eval.clock import Clock
from research_eval.schema import Event, PromptRendered, Record

__all__ = ["MAX_RESULT_CHARS", "EventLog", "Observer"]

MAX_RESULT_CHARS = 200_000
"""Of a tool's result, how much is kept for later readers; as much as of a page."""

Observer = Callable[[Event], None]
"""Is told of an event at the moment it happens; what it raises ends the trial."""


class EventLog:
    """The events of one trial, in order; built first, and handed to the tools and the agent alike."""

    def __init__(
        self,
        clock: Clock,
        observers: Iterable[Observer] = (),
        *,
        scrub: Callable[[str], str] = str,
    ) -> None:
        """Start with nothing.

        Args:
            clock: Stamps the events, where it is virtual.
            observers: Are told of every event.
            scrub: Takes secrets out of the texts that are kept.
        """
        self._scrub = scrub
        self._texts: dict[str, str] = {}
        self._clock = clock
        self._began = clock.now()
        self._events: list[Event] = []
        self._observers = list(observers)

    def emit(self, event: Event) -> None:
        """Keep `event`, stamped with the virtual time where time is virtual, and tell everyone."""
        event = self._stamped(event)
        self._events.append(event)
        for observer in self._observers:
            observer(event)

    def keep(self, text: str) -> str:
        """Keep what a tool gave the model, for a later reader; return the digest that names it.

        Of a text longer than `MAX_RESULT_CHARS` the first part is kept.
        """
        kept = self._scrub(text)[:MAX_RESULT_CHARS]
        content = kept.encode("utf-8", "backslashreplace")
        digest = sha256(content).hexdigest()
        self._texts.setdefault(digest, content.decode())
        return digest

    def texts(self) -> Mapping[str, str]:
        """Return all texts that were kept, by digest."""
        return MappingProxyType(self._texts)

    def _stamped(self, event: Event) -> Event:
        if (
            isinstance(event, PromptRendered)
            or event.at_s is not None
            or not self._clock.is_virtual
        ):
            return event
        return event.model_copy(update={"at_s": round(self._clock.now() - self._began, 6)})

    def subscribe(self, observer: Observer, *kinds: type[Record]) -> None:
        """Tell `observer` of every later event, or only of those of these kinds."""
        self._observers.append(_only(observer, kinds) if kinds else observer)

    def events(self, since: int = 0) -> tuple[Event, ...]:
        """Return the events from number `since` on."""
        return tuple(self._events[since:])

    def __len__(self) -> int:
        return len(self._events)


def _only(observer: Observer, kinds: tuple[type[Record], ...]) -> Observer:
    def filtered(event: Event) -> None:
        if isinstance(event, kinds):
            observer(event)

    return filtered
