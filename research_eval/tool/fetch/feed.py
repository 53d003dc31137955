"""RSS and Atom feeds in, their entries as Markdown out."""

from dataclasses import dataclass, field
from typing import NamedTuple
from xml.parsers import expat

from research_eval.tool.fetch.cleanse import one_line
from research_eval.tool.fetch.dom import parse
from research_eval.tool.fetch.link import LinkResolver
from research_eval.tool.fetch.markdown import to_markdown

__all__ = ["Feed", "read_feed"]

_ENTRIES = frozenset({"item", "entry"})
_BODIES = ("encoded", "content", "description", "summary")
_DATES = ("pubdate", "published", "date", "updated")
_MAX_ENTRIES = 500
_MAX_DEPTH = 100


class Feed(NamedTuple):
    """A feed as a person would read it."""

    content: str
    title: str | None


@dataclass
class _Entry:
    """The feed itself, or one of its entries: the texts of its elements by name."""

    texts: dict[str, str] = field(default_factory=dict)
    link: str | None = None

    def first(self, *names: str) -> str:
        return next((self.texts[name].strip() for name in names if self.texts.get(name)), "")


class _Unsafe(Exception):  # noqa: N818 - never leaves this module
    """The document declares entities, is nested absurdly deep or has too many entries."""


class _Reader:
    """Takes the events of the XML parser."""

    def __init__(self) -> None:
        self.head = _Entry()
        self.entries: list[_Entry] = []
        self._path: list[str] = []
        self._current = self.head
        self._text: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition(":")[2].lower()
        self._path.append(tag)
        if len(self._path) > _MAX_DEPTH or len(self.entries) > _MAX_ENTRIES:
            raise _Unsafe
        if tag in _ENTRIES:
            self._current = _Entry()
            self.entries.append(self._current)
        elif tag == "link" and attributes.get("rel", "alternate") == "alternate":
            self._current.link = attributes.get("href") or self._current.link
        self._text = []

    def text(self, text: str) -> None:
        self._text.append(text)

    def end(self, name: str) -> None:
        tag = name.rpartition(":")[2].lower()
        text = "".join(self._text)
        if tag == "name" and "author" in self._path:
            tag = "author"
        if text.strip():
            self._current.texts.setdefault(tag, text)
        self._path.pop()
        self._text = []
        if tag in _ENTRIES:
            self._current = self.head

    @staticmethod
    def refuse(*_: object) -> None:
        raise _Unsafe


def read_feed(text: str, *, url: str) -> Feed | None:
    """Return the feed in `text`, or `None` where it cannot be read as one."""
    reader = _Reader()
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.EntityDeclHandler = reader.refuse
    try:
        parser.Parse(_without_declaration(text).encode("utf-8", "replace"), True)
    except (expat.ExpatError, _Unsafe):
        if not reader.entries:
            return None
    title = one_line(reader.head.first("title")) or None
    blocks = [f"# {title}"] if title else []
    about = _markdown(reader.head.first("description", "subtitle"), url)
    blocks += [about] if about else []
    blocks += [_entry(entry, url) for entry in reader.entries[:_MAX_ENTRIES]]
    return Feed("\n\n".join(block for block in blocks if block), title)


def _without_declaration(text: str) -> str:
    """Leave out the XML declaration: the text is decoded already."""
    stripped = text.lstrip()
    return stripped.partition("?>")[2] if stripped.startswith("<?xml") else stripped


def _entry(entry: _Entry, url: str) -> str:
    link = LinkResolver(url).resolve(entry.link or entry.first("link"))
    title = one_line(_plain(entry.first("title"))) or link or "…"
    lines = [f"## [{title}]({link})" if link else f"## {title}"]
    notes = [one_line(entry.first(*_DATES)), one_line(entry.first("creator", "author"))]
    if any(notes):
        lines.append(", ".join(note for note in notes if note))
    body = _markdown(entry.first(*_BODIES), link or url)
    return "\n\n".join([*lines, body] if body else lines)


def _plain(text: str) -> str:
    return _markdown(text, "https://feed.invalid/") if "<" in text or "&" in text else text


def _markdown(html: str, url: str) -> str:
    return to_markdown(parse(html).root, LinkResolver(url)) if html else ""
