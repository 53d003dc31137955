"""What a reference agent reads out of the messages it sees: question, attempt, hits, pages."""

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from research_eval.schema import Message, ToolCall, ToolSpec

__all__ = ["Opened", "Situation"]

_LISTED = re.compile(r"^\d+\. [^\n]*\n\s+URL: (\S+)", re.MULTILINE)
_ANY_URL = re.compile(r"https?://[^\s<>\"'`)\]]+")
_NEXT = re.compile(r"^next_hint: .*?start_index (\d+)", re.MULTILINE)
_WORD = re.compile(r"\w+")


class Opened(NamedTuple):
    """A page that a fetch opened, and the slice of it that came back."""

    url: str
    text: str
    next_start: int | None = None
    """Where the next slice of a longer page begins."""


class Situation:
    """A conversation seen with the eyes of a script; nothing but the messages goes in."""

    def __init__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, asked_at: int, seed: str
    ) -> None:
        """Read `messages`, whose entry number `asked_at` is the question."""
        self.seed = seed
        self.question = messages[asked_at].text
        since = messages[asked_at:]
        self.attempt = sum(1 for message in since if message.role == "user")
        self.turn = 1 + sum(1 for message in since if message.role == "assistant")
        self.can_search = any(tool.name == "web_search" for tool in tools)
        self._calls = {call.id: call for message in since for call in message.tool_calls}
        self._results = [message for message in since if message.role == "tool"]

    @property
    def searches(self) -> int:
        """How many searches were asked for."""
        return sum(1 for call in self._calls.values() if call.name == "web_search")

    @property
    def hits(self) -> list[str]:
        """The URLs that the searches found, in order, without duplicates."""
        found = [url for text in self._texts("web_search") for url in _hit_urls(text)]
        return list(dict.fromkeys(found))

    @property
    def fetches(self) -> int:
        """How many fetches were asked for."""
        return sum(1 for call in self._calls.values() if call.name == "fetch")

    @property
    def tried(self) -> set[str]:
        """The URLs that were fetched, whether they opened or not."""
        return {_argument(call, "url") for call in self._calls.values() if call.name == "fetch"}

    @property
    def opened(self) -> list[Opened]:
        """The pages that opened as evidence, in order."""
        return [
            _opened(_argument(self._calls[message.tool_call_id or ""], "url"), message.text)
            for message in self._results
            if message.tool_name == "fetch" and not message.is_error and _is_evidence(message.text)
        ]

    def candidates(self) -> list[str]:
        """Return the URLs worth fetching that were not tried: of the question, then of the hits."""
        known = [*_ANY_URL.findall(self.question), *self.hits]
        tried = self.tried
        return [url for url in dict.fromkeys(known) if url not in tried]

    def short_query(self) -> str:
        """Return the question's four longest words, for a search that found nothing."""
        words = sorted(set(_WORD.findall(self.question)), key=lambda word: (-len(word), word))
        return " ".join(words[:4]) or self.question

    def _texts(self, tool: str) -> list[str]:
        return [m.text for m in self._results if m.tool_name == tool and not m.is_error]


def _argument(call: ToolCall, name: str) -> str:
    return str(json.loads(call.arguments).get(name, ""))


def _hit_urls(text: str) -> list[str]:
    return _LISTED.findall(text) or _ANY_URL.findall(text)


def _opened(url: str, text: str) -> Opened:
    head, body = _head_and_body(text)
    start = _NEXT.search(head)
    return Opened(url, body, int(start[1]) if start else None)


def _is_evidence(text: str) -> bool:
    return "note: This page is no evidence" not in _head_and_body(text)[0]


def _head_and_body(text: str) -> tuple[str, str]:
    """Split what `fetch` gave back into what is said of the page and the page itself."""
    head, _, body = text.partition("\n\n")
    return (head, body) if head.startswith("url:") else ("", text)
