"""Write a tree as Markdown in one pass, without recursion, however deep it is."""

from dataclasses import dataclass

from research_eval.tool.fetch.cleanse import cleanse
from research_eval.tool.fetch.dom import Element
from research_eval.tool.fetch.inline import (
    BLANKS,
    BREAK,
    BREAKS,
    annotation_of,
    balanced,
    fence_for,
    flat,
    keeping_breaks,
    language_of,
    raised,
    target,
)
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
MAX_WRITTEN = 250_000
"""Characters after which writing stops; somewhat more than is kept of a page."""
_MARKS = frozenset({"¶", "#", "§", "🔗", "⁋", "link", "permalink"})


@dataclass
class _Link:
    """A link that is open."""

    element: Element
    url: str
    start: int
    """Where its text begins in the buffer."""
    is_written: bool = False


def to_markdown(root: Element, links: LinkResolver) -> str:
    """Return what `root` shows as Markdown."""
    writer = _Writer(links)
    stack: list[Element | str | tuple[Element]] = [root]
    while stack and writer.chars < MAX_WRITTEN:
        item = stack.pop()
        if isinstance(item, str):
            writer.text(item)
        elif isinstance(item, tuple):
            writer.leave(item[0])
        elif not item.is_dropped and writer.enter(item):
            stack.append((item,))
            stack.extend(reversed(item.children))
    writer.finish()
    return writer.outline.text()


class _Writer:
    """Takes elements as they open and close, and texts between them."""

    def __init__(self, links: LinkResolver) -> None:
        self.outline = Outline()
        self.chars = 0
        """Characters taken, about."""
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
        self.chars += len(text.strip())
        self._buffer.append(text.replace(BREAK, ""))

    def finish(self) -> None:
        """End everything that is still open, because the page ends or is long enough."""
        if self._pre is not None:
            self._leave_in_pre(self._pre)
        if self._cell is not None:
            self._leave_cell(self._cell)
        if self._heading is not None:
            self._leave_heading(_HEADINGS[self._heading.tag])
        self.flush()
        while self._tables:
            self._leave_table()

    def flush(self) -> None:
        """End the paragraph that is under way, or the line where there can be no paragraph."""
        if self._heading is not None or self._cell is not None:
            self._buffer.append(" ")
            return
        self._write_link(is_open=True)
        self._code_starts.clear()
        self._sup_starts.clear()
        joined = BLANKS.sub(" ", keeping_breaks("".join(self._buffer)))
        self._buffer.clear()
        paragraph: list[str] = []
        for line in BREAKS.split(joined):
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
            self._buffer.append(BREAK if self._cell is None and self._heading is None else " ")
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
        text = flat("".join(self._buffer))
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
                self._link = _Link(element, url, len(self._buffer))
                self.chars += len(url)
        elif tag in _CODE:
            self._code_starts.append(len(self._buffer))
        elif tag == "sup":
            self._sup_starts.append(len(self._buffer))
        elif tag == "time" and not element.chars:
            self._buffer.append(element.get("datetime")[:40])  # a script would write it
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
        text = flat("".join(self._buffer))
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
            text = raised("".join(self._buffer[start:]).strip())
            if text is not None:
                self._buffer[start:] = [text]
        elif tag in {"del", "s", "strike"}:
            self._buffer.append("~~")
        elif tag == "q":
            self._buffer.append("”")

    def _leave_link(self, element: Element) -> None:
        link = self._link
        if link is not None and link.element is element:
            self._write_link(is_open=False)
        elif self._heading is not None and flat("".join(self._buffer[-1:])).lower() in _MARKS:
            self._buffer.pop()

    def _write_link(self, *, is_open: bool) -> None:
        """Put the text of the link that is under way into brackets, once."""
        link = self._link
        if link is None:
            return
        text = "".join(self._buffer[link.start :])
        inner = flat(text.replace(BREAK, " "))
        if inner and not link.is_written:
            before = " " if text[:1].isspace() else ""
            after = " " if text[-1:].isspace() else ""
            self._buffer[link.start :] = [f"{before}[{balanced(inner)}]({target(link.url)}){after}"]
            link.is_written = True
        if is_open:
            link.start = 0
        else:
            self._link = None

    def _wrap_code(self, start: int) -> None:
        text = flat("".join(self._buffer[start:]))
        if text:
            fence = "``" if "`" in text else "`"
            pad = " " if "`" in (text[0], text[-1]) else ""
            self._buffer[start:] = [f"{fence}{pad}{text}{pad}{fence}"]

    def _image(self, element: Element) -> None:
        alt = flat(element.get("alt"))
        if not alt:
            return
        if self._link is not None:
            self._buffer.append(f" {alt} ")
            return
        sources = (element.get(name) for name in ("src", "data-src", "data-original"))
        url = next((found for found in map(self._links.resolve, sources) if found), None)
        self._buffer.append(f"![{balanced(alt)}]({target(url)})" if url else f"![{balanced(alt)}]")

    def _math(self, element: Element) -> bool:
        """Write a formula as TeX where the page gives it so."""
        tex = element.get("alttext") or annotation_of(element)
        if not tex:
            return True
        self._buffer.append(f" ${flat(tex)}$ ")
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
            fence = fence_for(text)
            lines = [line.rstrip() for line in text.split("\n")]
            self.outline.block([fence + language_of(element), *lines, fence])
