"""APIs whose answer is a JSON list of results: field names in, hits out."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from research_eval.schema import SearchHit
from research_eval.tool.search.protocol import SearchError
from research_eval.tool.search.wire import (
    ProviderDetails,
    WireAnswer,
    WireRequest,
    as_text,
    kind_of,
    make_hit,
    refuse,
    result_rows,
)
from research_eval.waiting import retry_after

__all__ = ["ListShape", "ListedWire", "codes_in", "message_in"]

_CODE_KEYS = ("code", "tag", "reason", "status", "type")
_MESSAGE_KEYS = ("message", "error", "detail", "msg", "tag", "code", "reason", "status", "errors")


class ListShape(NamedTuple):
    """Where an API keeps its results, and what it calls the parts of one."""

    path: tuple[str, ...]
    """The keys that lead to the list."""
    marks: frozenset[str] = frozenset()
    """Keys of which an answer without the list must have one, to be an empty one."""
    nothing: str = ""
    """How an error begins that means that nothing was found, where an API says it so."""
    url: str = "url"
    title: str = "title"
    snippets: tuple[str, ...] = ("snippet",)
    """The first that holds text, or a list of texts, counts."""
    date: str = "date"
    age: str = "age"

    def rows_in(self, data: object) -> list[Any] | None:
        """Return the list of results, or `None` where there is none."""
        for key in self.path:
            data = data.get(key) if isinstance(data, dict) else None
        return data if isinstance(data, list) else None

    def hit(self, row: Mapping[str, Any], rank: int) -> SearchHit:
        """Return one result."""
        texts = (_first_text(row.get(key)) for key in self.snippets)
        return make_hit(
            as_text(row.get(self.url)),
            as_text(row.get(self.title)),
            next((text for text in texts if text), ""),
            rank,
            as_text(row.get(self.date)),
            as_text(row.get(self.age)),
        )


class ListedWire:
    """Base of wire formats whose answer is a JSON object with a list of results.

    A subclass declares `details` and `shape` and writes `request`; `hits` and `refusal` follow.
    """

    details: ProviderDetails
    shape: ClassVar[ListShape]

    def request(
        self, query: str, max_results: int, *, key: str, extra: Mapping[str, Any]
    ) -> WireRequest:
        """Return the request for `query`; each API has its own.

        Raises:
            NotImplementedError: If a subclass did not write it.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method `request`")

    def hits(self, answer: WireAnswer) -> list[SearchHit]:
        """Return the results; none where the list is absent from an answer without an error.

        Raises:
            SearchError: If the answer holds an error, or is of another shape.
        """
        name, shape, data = self.details.name, self.shape, answer.json()
        if not isinstance(data, dict):
            raise refuse(name, "malformed", answer, "no JSON object")
        found = shape.rows_in(data)
        if found is None:
            if data.get("error") or data.get("detail"):
                if self._found_nothing(message_in(answer)):
                    return []
                raise self.refusal(answer)
            if not shape.marks & data.keys():
                raise refuse(name, "malformed", answer, "no list of results")
        listed = result_rows(name, answer, found or [])
        return [shape.hit(row, rank) for rank, row in enumerate(listed, 1)]

    def refusal(self, answer: WireAnswer) -> SearchError:
        """Return the error by its status, the codes in the body, and its words."""
        message = message_in(answer)
        status = answer.status if answer.status >= 300 else 299
        kind = kind_of(status, message, codes_in(answer))
        if kind == "bad_query" and self._found_nothing(message):
            kind = "empty"
        return refuse(self.details.name, kind, answer, message, retry_after(answer.headers))

    def pause_s(self, answer: WireAnswer) -> float | None:
        """Return `None`: nothing is said of pauses."""
        del answer
        return None

    def _found_nothing(self, message: str) -> bool:
        return bool(self.shape.nothing) and message.startswith(self.shape.nothing)


def message_in(answer: WireAnswer) -> str:
    """Return the words of an error body, whatever its shape; its start where it has none."""
    said = " ".join(dict.fromkeys(_words(answer.json(), depth=5)))
    return said[:1000] or answer.text()


def codes_in(answer: WireAnswer) -> list[str]:
    """Return what the fields for codes of an error body hold, wherever they are in it."""
    return list(_coded(answer.json(), depth=5))


def _coded(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, list) and depth:
        for item in value[:10]:
            yield from _coded(item, depth - 1)
    elif isinstance(value, dict) and depth:
        for key, item in value.items():
            if key in _CODE_KEYS and isinstance(item, str):
                yield item
            else:
                yield from _coded(item, depth - 1)


def _words(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield as_text(value)
    elif isinstance(value, list) and depth:
        for item in value[:3]:
            yield from _words(item, depth - 1)
    elif isinstance(value, dict) and depth:
        for key in _MESSAGE_KEYS:
            if key in value:
                yield from _words(value[key], depth - 1)


def _first_text(value: object) -> str:
    if isinstance(value, list):
        return " … ".join(text for text in map(as_text, value[:5]) if text)
    return as_text(value)
