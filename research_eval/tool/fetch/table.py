"""Tables: which hold data, and how those look in Markdown."""

from dataclasses import dataclass, field

from research_eval.tool.fetch.dom import Element

__all__ = ["Table", "is_data_table"]

_MAX_SPAN = 50
_MAX_CELL_CHARS = 600
_BIG = frozenset({"h1", "h2", "h3", "pre", "table", "form", "article", "section", "main"})


@dataclass
class Table:
    """A table that is being read, row by row."""

    rows: list[list[str]] = field(default_factory=list)
    has_header: bool = False
    spans: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Column: rows that a cell still reaches into, this one included, and its text."""

    def begin_row(self) -> None:
        """Begin a row; cells of the last one that reach down are repeated."""
        self._fill_spans()
        self.spans = {
            column: (height - 1, text)
            for column, (height, text) in self.spans.items()
            if height > 1
        }
        self.rows.append([])

    def add_cell(self, text: str, cell: Element) -> None:
        """Add a cell to the row."""
        if not self.rows:
            self.rows.append([])
        row = self.rows[-1]
        self._fill_spans()
        column = len(row)
        width = _span(cell.get("colspan"))
        height = _span(cell.get("rowspan"))
        clean = text.replace("|", "\\|")
        row += [clean] + [""] * (width - 1)
        if height > 1:
            for place in range(column, column + width):
                self.spans[place] = (height, row[place])

    def _fill_spans(self) -> None:
        """Continue cells from rows above into the row, as far as they are next in it."""
        if not self.rows:
            return
        row = self.rows[-1]
        while len(row) in self.spans:
            row.append(self.spans[len(row)][1])

    def lines(self) -> list[str]:
        """Return the table in Markdown."""
        self._fill_spans()
        rows = [row for row in self.rows if any(row)]
        if not rows:
            return []
        width = max(len(row) for row in rows)
        lines = [_line(row, width) for row in rows]
        lines.insert(1, "|" + " --- |" * width)
        return lines


def _line(row: list[str], width: int) -> str:
    cells = row + [""] * (width - len(row))
    return "| " + " | ".join(cells) + " |"


def _span(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 6:
        return 1
    return max(1, min(int(text), _MAX_SPAN))


def is_data_table(table: Element) -> bool:
    """Say whether `table` holds rows of data, and is not there to place things on the page."""
    if table.get("role").lower() in {"presentation", "none"}:
        return False
    rows = cells = widest = longest = 0
    has_head = False
    stack: list[Element] = [table]
    while stack:
        element = stack.pop()
        if element.is_dropped:
            continue
        tag = element.tag
        if tag in _BIG and element is not table:
            return False
        if tag == "tr":
            rows += 1
            widest = max(widest, _cells(element))
        elif tag in {"td", "th"}:
            cells += 1
            longest = max(longest, element.chars)
        has_head = has_head or tag in {"th", "thead", "caption"}
        stack.extend(child for child in element.children if isinstance(child, Element))
    if widest < 2 or rows < (1 if has_head else 2):
        return False
    return longest <= _MAX_CELL_CHARS or (has_head and longest <= 4 * _MAX_CELL_CHARS)


def _cells(row: Element) -> int:
    return sum(1 for c in row.children if isinstance(c, Element) and c.tag in {"td", "th"})
