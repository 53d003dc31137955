"""The lines of a Markdown text: blocks, and the lists and quotations they stand in."""

from dataclasses import dataclass

__all__ = ["Outline"]

_MAX_DEPTH = 40
"""Lists and quotations nested deeper than this are not indented any further."""


@dataclass
class _Frame:
    """A list item, quotation or definition that is open."""

    tag: str
    first: str
    rest: str
    is_begun: bool = False


@dataclass
class _List:
    """A list that is open."""

    is_ordered: bool
    number: int
    depth: int
    """Frames around it."""
    serial: int


class Outline:
    """Collects blocks line by line."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._frames: list[_Frame] = []
        self._lists: list[_List] = []
        self._serial = 0
        self._last_serial: int | None = None
        """The outermost list that the last block stood in."""

    def open(self, tag: str, start: str = "", value: str = "") -> None:
        """Open an element that gives its blocks a form."""
        if tag in {"ul", "ol", "menu"}:
            self._open_list(is_ordered=tag == "ol", start=start)
        elif tag == "li":
            marker = self._marker(value)
            self._push(tag, marker, " " * len(marker))
        elif tag == "blockquote":
            self._push(tag, "> ", "> ")
        elif tag == "dd":
            self._push(tag, ": ", "  ")

    def close(self, tag: str) -> None:
        """Close what `open` opened."""
        if tag in {"ul", "ol", "menu"}:
            if self._lists:
                self._lists.pop()
        elif tag in {"li", "blockquote", "dd"} and self._frames and self._frames[-1].tag == tag:
            self._frames.pop()

    def _open_list(self, *, is_ordered: bool, start: str) -> None:
        if not self._lists:
            self._serial += 1
        number = int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 1
        self._lists.append(_List(is_ordered, number, len(self._frames), self._serial))

    def _marker(self, value: str) -> str:
        if not self._lists:
            self._serial += 1
            return "- "
        current = self._lists[-1]
        if not current.is_ordered:
            return "- "
        if value.isascii() and value.isdigit() and len(value) < 9:
            current.number = int(value)
        current.number += 1
        return f"{current.number - 1}. "

    def _push(self, tag: str, first: str, rest: str) -> None:
        is_deep = len(self._frames) >= _MAX_DEPTH
        self._frames.append(_Frame(tag, "" if is_deep else first, "" if is_deep else rest))

    def block(self, lines: list[str]) -> None:
        """Add a block."""
        begins_item = any(frame.tag == "li" and not frame.is_begun for frame in self._frames)
        serial = self._lists[0].serial if self._lists else None
        is_tight = begins_item and serial is not None and serial == self._last_serial
        begins_definition = any(f.tag == "dd" and not f.is_begun for f in self._frames)
        if self._lines and not is_tight and not begins_definition:
            self._lines.append("".join(frame.rest for frame in self._begun()).rstrip())
        first = "".join(frame.rest if frame.is_begun else frame.first for frame in self._frames)
        rest = "".join(frame.rest for frame in self._frames)
        self._lines.append(first + lines[0])
        self._lines.extend((rest + line).rstrip() for line in lines[1:])
        for frame in self._frames:
            frame.is_begun = True
        self._last_serial = serial

    def _begun(self) -> list[_Frame]:
        return [frame for frame in self._frames if frame.is_begun]

    def text(self) -> str:
        """Return all lines."""
        return "\n".join(self._lines)
