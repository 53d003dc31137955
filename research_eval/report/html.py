"""The run as report.html: one file that opens from disk and loads nothing."""

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import urlencode

from jinja2 import Environment

from research_eval.journal import RunFolder
from research_eval.report.cell import Cell, Derived, Mean, Measure, Name, Sum, TableView, cell_text
from research_eval.report.chunk import read_details
from research_eval.report.finding import finding
from research_eval.report.heading import definitions
from research_eval.report.pack import JSON, json_text, pack, pack_value
from research_eval.report.page import page_environment, template_text
from research_eval.report.plot import draw_plots
from research_eval.report.section import sections
from research_eval.report.trace import Condition, Count, Trace
from research_eval.report.view import Rate, RunView
from research_eval.report.wording import (
    DASH,
    NOTHING,
    QUESTION,
    lead,
    origin,
    percent,
    run_facts,
    run_labels,
)

__all__ = ["html_blocks", "render_html", "trace_fragment"]

SCRIPTS = (
    "unpack", "element", "rows", "list", "matrix", "timeline", "trial", "pair", "save", "table", "page",
)  # fmt: skip
_FIGURES = re.compile(
    r"[-+<\N{LESS-THAN OR EQUAL TO}]? ?[\d.\u202f]+(?: %(?: \[[\d., ]+\] \d+/\d+)?| to [-+]?[\d.]+)?|\N{EN DASH}"
)
MAX_PAGE_CHARS = 20_000
"""The text of a page beyond this many characters is left out of the report."""
BLOCK_CHARS = 1_000_000
CHUNK_END = "</script>\n"
"""What the template writes after the data of trials, pages or rows."""
MAX_PAGES_CHARS = 3_000_000
"""Pages beyond this many characters in sum are left out of the report."""


def render_html(
    view: RunView,
    folder: RunFolder,
    *,
    plots: Mapping[str, str] | None = None,
    has_pages: bool = True,
) -> str:
    """Return the file's text: see `html_blocks`."""
    return "".join(html_blocks(view, folder, plots=plots, has_pages=has_pages))


def html_blocks(
    view: RunView,
    folder: RunFolder,
    *,
    plots: Mapping[str, str] | None = None,
    has_pages: bool = True,
) -> Iterator[str]:
    """Yield the file's text in blocks; the first one has all that people see without a script.

    Args:
        view: What to show. Where it lacks the details of trials, they are read from `folder`.
        folder: The run, for the trials' details and pages.
        plots: SVG by the plot's name, where it is not to be drawn here.
        has_pages: Whether the texts of pages are in it.
    """
    block: list[str] = []
    for piece in _pieces(view, folder, plots, has_pages=has_pages):
        block.append(piece)
        if piece == CHUNK_END and sum(map(len, block)) > BLOCK_CHARS:
            yield "".join(block)
            block.clear()
    yield "".join(block)


def _pieces(
    view: RunView, folder: RunFolder, plots: Mapping[str, str] | None, *, has_pages: bool
) -> Iterator[str]:
    script = _script()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    manifest = view.manifest
    references = [c.name for c in manifest.configurations if c.is_reference_agent]
    return (
        _environment()
        .get_template("report.html.j2")
        .generate(
            view=view,
            manifest=manifest,
            title=f"{QUESTION} {manifest.experiment} {DASH} research_eval",
            question=QUESTION,
            lead=lead(view),
            origin=origin(view),
            labels=run_labels(view),
            conclusive=view.is_conclusive,
            floor=percent(view.settings.coverage_floor),
            has_reference_agents=bool(references),
            reference_agents=json.dumps(references),
            sections=sections(view),
            plots=_drawn(view)
            if plots is None
            else {name: {"wide": one} for name, one in plots.items()},
            finding=finding(view),
            definitions=definitions(view),
            facts=run_facts(manifest),
            style=template_text("style.css"),
            script=script,
            script_hash=f"sha256-{digest}",
            chunks=_chunks(view, folder, has_pages=has_pages),
        )
    )


def trace_fragment(trace: Trace) -> str:
    """Return the address within the page of the trials that a trace finds."""
    pairs = [(column, value) for column, values in trace.where for value in values]
    if trace.measure is not None:
        pairs.append(("_sum", trace.measure))
    return f"#trials?{urlencode(pairs)}"


def _drawn(view: RunView) -> dict[str, dict[str, str]]:
    """Return each plot by its name: for a page, and drawn again for a phone."""
    narrow = draw_plots(view, is_narrow=True)
    return {name: {"wide": svg, "narrow": narrow[name]} for name, svg in draw_plots(view).items()}


def _script() -> str:
    parts = "\n".join(template_text(f"{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();'


def _environment() -> Environment:
    environment = page_environment()
    environment.filters |= {
        "bounds": _bounds,
        "by_configuration": _by_configuration,
        "fragment": trace_fragment,
        "kind": lambda cell: type(cell).__name__,
        "percent": percent,
        "settings_text": lambda settings: json.dumps(settings, indent=2, ensure_ascii=False),
        "sort_value": _sort_value,
        "text": cell_text,
    }
    environment.tests["figures"] = lambda text: _FIGURES.fullmatch(text) is not None
    return environment


def _bounds(rate: Rate) -> str:
    return f"{100 * rate.low:.1f}{DASH}{100 * rate.high:.1f}"


def _by_configuration(name: Name) -> str:
    return trace_fragment(Trace(where=(Condition("configuration", (name.text,)),)))


def _sort_value(cell: Cell) -> str:
    match cell:
        case Rate():
            value = cell.value
        case Mean():
            value = cell.total.mean
        case Derived():
            value = cell.value
        case Measure():
            value = cell.score.mean
        case Sum():
            value = cell.total.value
        case Count():
            value = cell.value
        case str():
            return cell
        case Name():
            return cell.text
        case _:
            value = None
    return "" if value is None else f"{value:.9g}"


def _chunks(view: RunView, folder: RunFolder, *, has_pages: bool) -> Iterator[tuple[str, str]]:
    """Yield the id and the packed data of trials, pages, long tables and rows."""
    details = view.details or read_details(folder, view.rows.facts.note_of)
    for number, packed in enumerate(details.packed):
        yield f"chunk-{number}", base64.b64encode(packed).decode("ascii")
    if has_pages:
        yield from _packed_pages(folder, details.digests)
    for section in sections(view):
        for place, one in enumerate(section.tables):
            if one.is_long:
                yield f"table-{section.id}-{place}", _packed_table(one)
    yield "rows", pack(_rows(view, details.places))


def _packed_table(table: TableView) -> str:
    """Pack a long table as its headings and rows of cells: the value to sort by, then its parts."""
    rows: list[JSON] = [
        [[_sort_value(cell), *_cell_parts(cell)] for cell in row] for row in table.rows
    ]
    headings: list[JSON] = [[heading.text, heading.definition] for heading in table.headings]
    return pack_value({"headings": headings, "rows": rows})


def _cell_parts(cell: Cell) -> Iterator[JSON]:
    """Yield what a cell shows as pieces of text, each with the address of its trials or none."""
    match cell:
        case str():
            yield [cell, ""]
        case Name():
            yield [cell.text, _by_configuration(cell)]
        case Count():
            yield [cell_text(cell), trace_fragment(cell.trace)]
        case Rate() if cell.n:
            yield [percent(cell.value), ""]
            yield [str(cell.k), trace_fragment(cell.trace_k)]
            yield [f"/{cell.n}", trace_fragment(cell.trace_n)]
            yield [f"[{_bounds(cell)}]", ""]
        case Derived() if cell.value is not None:
            yield [cell.text, trace_fragment(cell.trace)]
            if cell.n is not None:
                yield [f"n {cell.n}", ""]
            if cell.bounds:
                yield [f"[{cell.bounds}]", ""]
        case Measure() if cell.score.mean is not None:
            yield [cell.text, trace_fragment(cell.score.trace)]
            yield [f"n {cell.score.weight:g}", ""]
            if cell.bounds:
                yield [f"[{cell.bounds}]", ""]
        case _:
            yield [NOTHING, ""]


def _rows(view: RunView, chunks: Mapping[str, list[int]]) -> Iterator[bytes]:
    """Yield the JSON text of the rows, column by column, since all of it is large."""
    kinds: list[JSON] = [
        {"name": kind.name, "label": kind.label, "meaning": kind.meaning} for kind in view.kinds
    ]
    measures: dict[str, JSON] = {
        name: {"heading": one.heading, "meaning": one.meaning, "unit": one.unit}
        for name in view.run.table.names
        for one in (view.run.known.of(name),)
    }
    names = json_text(list(view.rows.columns))
    yield b'{"parts":[],"root":{"columns":%b,"values":[' % names
    for number, column in enumerate(view.rows.columns.values()):
        yield b"," if number else b""
        yield json_text(list(column))
    rest = (json_text(one) for one in (chunks, kinds, measures))
    yield b'],"chunks":%b,"kinds":%b,"measures":%b}}' % tuple(rest)


def _packed_pages(folder: RunFolder, digests: Iterable[str]) -> Iterator[tuple[str, str]]:
    left = MAX_PAGES_CHARS
    for digest in digests:
        text = folder.page(digest)
        if text is None or left <= 0:
            continue
        shown = text[:MAX_PAGE_CHARS]
        left -= len(shown)
        cut = f"\n\n[{len(text) - len(shown)} more characters]" if len(text) > len(shown) else ""
        yield f"page-{digest}", pack_value(shown + cut)
