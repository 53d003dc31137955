"""Read what tools were asked and what they gave: URLs of a call, hits of a search, parts of a page."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from research_eval.gate import extract_citations
from research_eval.schema.outside import read_json, safe_text

__all__ = ["MAX_HITS", "clicked_url", "first_of", "hits_of", "part_of", "urls_of"]

MAX_HITS = 200
"""Hits that are kept of one search."""
MAX_SCANNED = 400_000
"""Characters of a result in which hits are looked for."""
_LIST = re.compile(r"\[\s*\{")
_LINK = re.compile(r"\[([^\[\]\n]{0,300})\]\((https?://[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)\)")
_ENTRY = re.compile(r"(?m)^(?=\d{1,3}\. )")
_LISTED = re.compile(r"(?s)\d{1,3}\. ([^\n]*)\n {1,8}URL: (https?://\S+)(.*)")
_URL_FIELDS = ("url", "link", "href", "uri", "source_url")
_TITLE_FIELDS = ("title", "name")
_SNIPPET_FIELDS = ("snippet", "content", "description", "text", "body")
_HTTP = re.compile(r"(?i)^\s*https?://")

Hit = tuple[str, str, str]
"""URL, title and snippet."""


def first_of(arguments: Mapping[str, Any], names: Iterable[str]) -> object:
    """Return the first argument of `names` that is there."""
    return next((arguments[name] for name in names if arguments.get(name)), None)


def urls_of(given: object) -> list[str]:
    """Return the URLs of an argument: one, or a list of them."""
    if isinstance(given, str):
        return [safe_text(given.strip())] if given.strip() else []
    if isinstance(given, list):
        return [url for item in given for url in urls_of(item)]
    if isinstance(given, Mapping):
        return urls_of(first_of(given, _URL_FIELDS))
    return []


def hits_of(text: str, query: str = "") -> tuple[Hit, ...]:
    """Return what a search found: objects with a URL, wherever they stand, else what is listed.

    A list has numbers and lines `URL: …`, as our own `web_search` writes it, or links, or URLs. A
    URL of the `query` that the result repeats was not found.
    """
    text = text[:MAX_SCANNED]
    found = dict.fromkeys(_in_json(text) or _in_listing(text) or _elsewhere(text, query))
    return tuple(found)[:MAX_HITS]


def _in_json(text: str) -> list[Hit]:
    try:
        return list(_in_value(read_json(text)))
    except ValueError:
        pass
    found: list[Hit] = []
    decoder = json.JSONDecoder()
    at = 0
    while begin := _LIST.search(text, at):
        try:
            value, at = decoder.raw_decode(text, begin.start())
        except (ValueError, RecursionError):
            at = begin.end()
            continue
        found.extend(_in_value(value))
    return found


def _in_value(value: object) -> Iterator[Hit]:
    """Yield the hits of a JSON value, however deep, without recursion."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting.extend(reversed(item))
        elif isinstance(item, Mapping):
            url = first_of(item, _URL_FIELDS)
            if isinstance(url, str) and _HTTP.match(url):
                yield (
                    safe_text(url.strip()),
                    _text(item, _TITLE_FIELDS),
                    _text(item, _SNIPPET_FIELDS),
                )
            else:
                waiting.extend(reversed(list(item.values())))


def _text(item: Mapping[str, Any], names: Iterable[str]) -> str:
    value = first_of(item, names)
    return safe_text(value)[:1000] if isinstance(value, str) else ""


def _in_listing(text: str) -> list[Hit]:
    found = [_LISTED.match(entry) for entry in _ENTRY.split(text)[1:]]
    return [(safe_text(e[2]), safe_text(e[1])[:1000], _snippet(e[3])) for e in found if e]


def _snippet(lines: str) -> str:
    last = lines.strip().rpartition("\n")[2].strip()
    return "" if last.startswith("Date: ") else safe_text(last)[:1000]


def _elsewhere(text: str, query: str) -> list[Hit]:
    if query.strip():
        text = text.replace(query, "", 1)
    return _in_links(text) or _in_text(text)


def _in_links(text: str) -> list[Hit]:
    return [(safe_text(link[2]), safe_text(link[1]), "") for link in _LINK.finditer(text)]


def _in_text(text: str) -> list[Hit]:
    return [(one.url, "", "") for one in extract_citations(text)]


def part_of(text: str, url: str, urls: list[str]) -> str:
    """Return the part of a result that is about `url`, where one call opened several.

    It goes from the URL to the next one of the call, or is the whole if the URL is not named.
    """
    if len(urls) < 2:
        return text
    start = text.find(url)
    if start < 0:
        return text
    line = text.rfind("\n", 0, start) + 1
    ends = [
        end for other in urls if other != url and (end := text.find(other, start + len(url))) > 0
    ]
    return text[line : min(ends, default=len(text))]


def clicked_url(page: str, element: object) -> str | None:
    """Return the target of an element, as a text browser lists it: `[12] link "Work"  [url: …]`."""
    name = str(element).strip("[] ")
    if not name or len(name) > 40:
        return None
    found = re.search(rf"\[{re.escape(name)}\][^\n]*?\[url: ([^\]\s]+)\]", page)
    return safe_text(found[1]) if found else None
