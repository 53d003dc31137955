"""Write a tree as Markdown in one pass, without recursion, however deep it is."""

import re
from dataclasses import dataclass

from research_eval.tool.fetch.cleanse import cleanse
from research_eval.tool.fetch.dom import Element
from research_eval.tool.fetch.link import LinkResolver
from research_eval.tool.fetch.outline import Outline
from research_eval.tool.fetch.table import Table, is_data_table

__all__ = ["to_markdown"]

_BLOCKS = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "legend",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "p",
        "pre",
        "search",
        "section",
        "summary",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "tr",
        "ul",
    }
)
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_CODE = frozenset({"code", "kbd", "samp", "tt", "var"}) - {"var"}
_BREAK = "\x02"
_BLANKS = re.compile(r"[ \t\n\r\f\u00a0\u3000]+")
_BREAKS = re.compile(rf"[ ]*{_BREAK}[ ]*")
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight|sourceCode|brush:)[-\s]?([a-zA-Z0-9+#_.]+)"
)
_LANGUAGE_AROUND = re.compile(r"(?:^|\s)(?:language|highlight-source)-([a-zA-Z0-9+#_.]+)")
_PLACES_FOR_LANGUAGE = 9
_NO_LANGUAGE = frozenset(
    ["none", "default", "text", "plaintext", "plain", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "zh"]
)
_SUPERSCRIPTS = str.maketrans("0123456789+-\u2212()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾ⁿ")
_SUPERSCRIPT = re.compile(r"[0-9+\-\u2212()n]{1,6}\Z")
_MARKS = frozenset({"¶", "#", "§", "🔗", "⁋", "link", "permalink"})


@dataclass
class _Link:
    """A link that is open."""

    url: str
    start: int
    """Where its text begins in the buffer."""
    is_written: bool = False


def to_markdown(root: Element, links: LinkResolver) -> str:
    """Return what `root` shows as Markdown."""
    writer = _Writer(links)
    stack: list[Element | str | tuple[Element]] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            writer.text(item)
        elif isinstance(item, tuple):
            writer.leave(item[0])
        elif not item.is_dropped and writer.enter(item):
            stack.append((item,))
            stack.extend(reversed(item.children))
    writer.flush()
    return writer.outline.text()


class _Writer:
    """Takes elements as they open and close, and texts between them."""

    def __init__(self, links: LinkResolver) -> None:
        self.outline = Outline()
        self._links = links
        self._buffer: list[str] = []
        self._link: _Link | None = None
        self._code_starts: list[int] = []
        self._sup_starts: list[int] = []
        self._pre: Element | None = None
        self._heading: Element | None = None
        self._tables: list[Table | None] = []
        self._cell: Element | None = None
        self._outer: list[str] = []

    def text(self, text: str) -> None:
        """Take a text node."""
        self._buffer.append(text.replace(_BREAK, ""))

    def flush(self) -> None:
        """End the paragraph that is under way, or the line where there can be no paragraph."""
        if self._heading is not None or self._cell is not None:
            self._buffer.append(" ")
            return
        self._write_link(is_open=True)
        self._code_starts.clear()
        self._sup_starts.clear()
        joined = _BLANKS.sub(" ", cleanse_keeping_breaks("".join(self._buffer)))
        self._buffer.clear()
        paragraph: list[str] = []
        for line in _BREAKS.split(joined):
            if line.strip():
                paragraph.append(line.strip())
            elif paragraph:
                self.outline.block(paragraph)
                paragraph = []
        if paragraph:
            self.outline.block(paragraph)

    def enter(self, element: Element) -> bool:
        """Open `element`; say whether to go into it."""
        tag = element.tag
        if self._pre is not None:
            return self._enter_in_pre(element)
        if tag == "br":
            self._buffer.append(_BREAK if self._cell is None and self._heading is None else " ")
            return False
        if tag == "img":
            self._image(element)
            return False
        if tag == "math":
            return self._math(element)
        if tag in _BLOCKS:
            return self._enter_block(element)
        self._enter_inline(element)
        return True

    def leave(self, element: Element) -> None:
        """Close `element`."""
        tag = element.tag
        if self._pre is not None:
            self._leave_in_pre(element)
        elif tag in _BLOCKS:
            self._leave_block(element)
        elif tag in {"td", "th"}:
            self._leave_cell(element)
        else:
            self._leave_inline(element)

    # Blocks

    def _enter_block(self, element: Element) -> bool:
        tag = element.tag
        if self._heading is None and self._cell is None:
            self.flush()
        else:
            self._buffer.append(" ")
        if tag == "pre":
            self._enter_pre(element)
        elif tag in _HEADINGS and self._cell is None and self._heading is None:
            self._heading = element
        elif tag == "table":
            self._enter_table(element)
        elif tag == "tr" and self._tables and self._tables[-1] is not None:
            self._tables[-1].begin_row()
        elif self._cell is None and self._heading is None:
            self.outline.open(tag, element.get("start"), element.get("value"))
        return True

    def _leave_block(self, element: Element) -> None:
        tag = element.tag
        if element is self._heading:
            self._leave_heading(_HEADINGS[tag])
            return
        self.flush()
        if tag == "table":
            self._leave_table()
        elif self._cell is None and self._heading is None:
            self.outline.close(tag)

    def _leave_heading(self, level: int) -> None:
        self._write_link(is_open=True)
        self._heading = None
        text = _flat("".join(self._buffer))
        self._buffer.clear()
        self._code_starts.clear()
        if text:
            self.outline.block([f"{'#' * level} {text}"])

    # Tables

    def _enter_table(self, element: Element) -> None:
        is_data = self._cell is None and self._heading is None and is_data_table(element)
        self._tables.append(Table() if is_data else None)

    def _leave_table(self) -> None:
        table = self._tables.pop() if self._tables else None
        if table is not None:
            lines = table.lines()
            if lines:
                self.outline.block(lines)

    def _enter_inline(self, element: Element) -> None:
        tag = element.tag
        if tag in {"td", "th"}:
            self._enter_cell(element)
        elif tag == "a":
            url = None if self._code_starts else self._links.resolve(element.get("href"))
            if url is not None and self._link is None:
                self._link = _Link(url, len(self._buffer))
        elif tag in _CODE:
            self._code_starts.append(len(self._buffer))
        elif tag == "sup":
            self._sup_starts.append(len(self._buffer))
        elif tag in {"del", "s", "strike"}:
            self._buffer.append("~~")
        elif tag == "q":
            self._buffer.append("“")

    def _enter_cell(self, element: Element) -> None:
        table = self._tables[-1] if self._tables else None
        if table is None or self._cell is not None:
            self._buffer.append(" ")
            return
        self._cell = element
        self._outer, self._buffer = self._buffer, []

    def _leave_cell(self, element: Element) -> None:
        if element is not self._cell:
            self._buffer.append(" ")
            return
        self._write_link(is_open=True)
        text = _flat("".join(self._buffer))
        self._buffer, self._outer = self._outer, []
        self._cell = None
        self._code_starts.clear()
        table = self._tables[-1]
        if table is not None:
            table.add_cell(text, element)

    # Inline

    def _leave_inline(self, element: Element) -> None:
        tag = element.tag
        if tag == "a":
            self._leave_link(element)
        elif tag in _CODE and self._code_starts:
            self._wrap_code(self._code_starts.pop())
        elif tag == "sup" and self._sup_starts:
            start = self._sup_starts.pop()
            raised = "".join(self._buffer[start:]).strip()
            if _SUPERSCRIPT.match(raised):
                self._buffer[start:] = [raised.translate(_SUPERSCRIPTS)]
        elif tag in {"del", "s", "strike"}:
            self._buffer.append("~~")
        elif tag == "q":
            self._buffer.append("”")

    def _leave_link(self, element: Element) -> None:
        link = self._link
        if link is not None and self._links.resolve(element.get("href")) == link.url:
            self._write_link(is_open=False)
        elif self._heading is not None and _flat("".join(self._buffer[-1:])).lower() in _MARKS:
            self._buffer.pop()

    def _write_link(self, *, is_open: bool) -> None:
        """Put the text of the link that is under way into brackets, once."""
        link = self._link
        if link is None:
            return
        text = "".join(self._buffer[link.start :])
        inner = _flat(text.replace(_BREAK, " "))
        if inner and not link.is_written:
            before = " " if text[:1].isspace() else ""
            after = " " if text[-1:].isspace() else ""
            self._buffer[link.start :] = [
                f"{before}[{_balanced(inner)}]({_target(link.url)}){after}"
            ]
            link.is_written = True
        if is_open:
            link.start = 0
        else:
            self._link = None

    def _wrap_code(self, start: int) -> None:
        text = _flat("".join(self._buffer[start:]))
        if text:
            fence = "``" if "`" in text else "`"
            pad = " " if "`" in (text[0], text[-1]) else ""
            self._buffer[start:] = [f"{fence}{pad}{text}{pad}{fence}"]

    def _image(self, element: Element) -> None:
        alt = _flat(element.get("alt"))
        if not alt:
            return
        if self._link is not None:
            self._buffer.append(f" {alt} ")
            return
        sources = (element.get(name) for name in ("src", "data-src", "data-original"))
        url = next((found for found in map(self._links.resolve, sources) if found), None)
        self._buffer.append(
            f"![{_balanced(alt)}]({_target(url)})" if url else f"![{_balanced(alt)}]"
        )

    def _math(self, element: Element) -> bool:
        """Write a formula as TeX where the page gives it so."""
        tex = element.get("alttext") or _annotation(element)
        if not tex:
            return True
        self._buffer.append(f" ${_flat(tex)}$ ")
        return False

    # Code

    def _enter_pre(self, element: Element) -> None:
        if self._cell is None and self._heading is None:
            self._pre = element

    def _enter_in_pre(self, element: Element) -> bool:
        if element.tag == "br":
            self._buffer.append("\n")
            return False
        return True

    def _leave_in_pre(self, element: Element) -> None:
        if element is not self._pre:
            is_line = element.tag in _BLOCKS
            if is_line and self._buffer and not self._buffer[-1].endswith("\n"):
                self._buffer.append("\n")
            return
        self._pre = None
        text = cleanse("".join(self._buffer).replace("\r\n", "\n")).strip("\n").rstrip()
        self._buffer.clear()
        if text:
            fence = "```"
            while fence in text:
                fence += "`"
            lines = [line.rstrip() for line in text.split("\n")]
            self.outline.block([fence + _language(element), *lines, fence], is_code=True)


def cleanse_keeping_breaks(text: str) -> str:
    """Return `text` without what cannot be seen, our own mark of a line break left in."""
    if _BREAK not in text:
        return cleanse(text)
    return _BREAK.join(map(cleanse, text.split(_BREAK)))


def _flat(text: str) -> str:
    return _BLANKS.sub(" ", cleanse(text)).strip()


def _balanced(text: str) -> str:
    """Return `text` so that it can stand in square brackets."""
    if text.count("[") == text.count("]"):
        return text
    return text.replace("[", "\\[").replace("]", "\\]")


def _target(url: str) -> str:
    """Return `url` so that it can stand in round brackets."""
    depth = 0
    for char in url:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            break
    return url if depth == 0 else f"<{url}>"


def _language(pre: Element) -> str:
    """Return the language that a code block names, on itself, its `code` or what is around it."""
    places = [pre, *(child for child in pre.children if isinstance(child, Element))]
    around = pre.parent
    while around is not None and len(places) < _PLACES_FOR_LANGUAGE:
        places.append(around)
        around = around.parent
    for number, place in enumerate(places):
        named = place.get("data-lang") or place.get("data-language")
        pattern = _LANGUAGE if number < 4 else _LANGUAGE_AROUND
        match = pattern.search(place.get("class"))
        language = named or (match[1] if match else "")
        if language and language.lower() not in _NO_LANGUAGE and "`" not in language:
            return language.lower()[:20]
    return ""


def _annotation(math: Element) -> str:
    stack: list[Element] = [math]
    while stack:
        element = stack.pop()
        if element.tag == "annotation" and "tex" in element.get("encoding"):
            return "".join(child for child in element.children if isinstance(child, str))
        stack.extend(child for child in element.children if isinstance(child, Element))
    return ""
