"""Read the small Markdown of page sources: to HTML for visitors, to plain text for the index."""

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Block", "blocks", "to_html", "to_text"]

_LINK = re.compile(r"\[([^\]]+)\]\(((?:[^()\s]|\([^()\s]*\))+)\)")
_IMAGE = re.compile(r"!\[([^\]]*)\]\(([^()\s]+)\)")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_CODE = re.compile(r"`([^`]+)`")
_HEADING = re.compile(r"(#{1,4}) (.+)")
_ITEM = re.compile(r"(?:-|\d+\.) (.+)")


class Block(NamedTuple):
    """One block of a page: what it is, and its lines."""

    kind: str
    lines: tuple[str, ...]


def blocks(source: str) -> Iterator[Block]:
    """Yield the blocks of `source`: heading, list, table, code, quote, HTML, paragraph."""
    held: list[str] = []
    fenced = False
    for line in [*source.split("\n"), ""]:
        if line.startswith("```"):
            if fenced:
                yield Block("code", tuple(held))
            elif held:
                yield _block(held)
            held, fenced = [], not fenced
        elif fenced or line.strip():
            held.append(line)
        elif held:
            yield _block(held)
            held = []


def _block(lines: list[str]) -> Block:
    first = lines[0]
    if _HEADING.match(first):
        return Block("heading", tuple(lines))
    if first.startswith("|"):
        return Block("table", tuple(lines))
    if first.startswith("> "):
        return Block("quote", tuple(line.removeprefix("> ") for line in lines))
    if first.startswith("<"):
        return Block("html", tuple(lines))
    if _ITEM.match(first):
        return Block("ordered" if first[0].isdigit() else "list", tuple(lines))
    return Block("paragraph", tuple(lines))


def to_html(source: str) -> str:
    """Return `source` as HTML."""
    return "\n".join(_block_html(block) for block in blocks(source))


def _block_html(block: Block) -> str:
    kind, lines = block
    if kind == "heading":
        return "\n".join(_heading_html(line) for line in lines)
    if kind == "table":
        return _table_html(lines)
    if kind == "code":
        return f"<pre><code>{html.escape(chr(10).join(lines), quote=False)}</code></pre>"
    if kind == "html":
        return "\n".join(lines)
    if kind in {"list", "ordered"}:
        tag = "ol" if kind == "ordered" else "ul"
        items = "".join(f"<li>{_inline(_item(line))}</li>\n" for line in lines)
        return f"<{tag}>\n{items}</{tag}>"
    inner = f"<p>{_inline(_joined(lines))}</p>"
    return f"<blockquote>{inner}</blockquote>" if kind == "quote" else inner


def _heading_html(line: str) -> str:
    found = _HEADING.match(line)
    if not found:
        return f"<p>{_inline(line)}</p>"
    level = len(found[1])
    return f"<h{level}>{_inline(found[2])}</h{level}>"


def _item(line: str) -> str:
    found = _ITEM.match(line)
    return found[1] if found else line


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _table_html(lines: tuple[str, ...]) -> str:
    rows = [_cells(line) for line in lines if not set(line) <= set("|-: ")]
    if not rows:
        return ""
    head = "".join(f"<th>{_inline(cell)}</th>" for cell in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>\n"
        for row in rows[1:]
    )
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>"


def _joined(lines: tuple[str, ...]) -> str:
    """Join the lines of a paragraph: by a space, or by nothing between Chinese or Japanese letters."""
    text = lines[0]
    for line in lines[1:]:
        glue = "" if text[-1:] > "\u2e80" and line[:1] > "\u2e80" else " "
        text += glue + line
    return text


def _inline(text: str) -> str:
    """Return the HTML of one line with its code, images, links and bold."""
    text = html.escape(text, quote=False)
    text = _CODE.sub(r"<code>\1</code>", text)
    text = _IMAGE.sub(r'<img src="\2" alt="\1">', text)
    text = _LINK.sub(r'<a href="\2">\1</a>', text)
    return _BOLD.sub(r"<strong>\1</strong>", text)


def to_text(source: str) -> str:
    """Return what a reader sees of `source`, one line a block or row; raw HTML is left out."""
    return "\n".join(line for block in blocks(source) for line in _block_text(block))


def _block_text(block: Block) -> Iterator[str]:
    kind, lines = block
    if kind == "html":
        return
    if kind in {"paragraph", "quote"}:
        yield _plain(_joined(lines))
    elif kind == "table":
        for line in lines:
            if not set(line) <= set("|-: "):
                yield "  ".join(_plain(cell) for cell in _cells(line))
    elif kind == "code":
        yield from lines
    else:
        for line in lines:
            yield _plain(_item(line.lstrip("# ") if kind == "heading" else line))


def _plain(text: str) -> str:
    text = _IMAGE.sub(r"\1", text)
    text = _LINK.sub(r"\1", text)
    return _CODE.sub(r"\1", _BOLD.sub(r"\1", text))
