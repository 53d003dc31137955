"""The run as report.md: tables that GitHub renders as they stand."""

import re
from collections.abc import Iterable, Sequence

from research_eval.report.cell import Cell, Name, Section, TableView, cell_text
from research_eval.report.finding import finding
from research_eval.report.section import sections
from research_eval.report.view import RunView
from research_eval.report.wording import (
    NOTHING,
    QUESTION,
    lead,
    origin,
    percent,
    run_facts,
    run_labels,
)
from research_eval.schema.display import visible

__all__ = ["escape_markdown", "render_markdown"]

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~&$@]|:(?=//))")


def escape_markdown(text: str) -> str:
    r"""Return `text` on one line, so that no character of it is markup.

    >>> print(escape_markdown("a|b <script>"))
    a\|b \<script\>
    """
    return _SPECIAL.sub(r"\\\1", visible(" ".join(text.split())))


def render_markdown(view: RunView) -> str:
    """Return the file's text."""
    parts = [_head(view), *(_section(section) for section in sections(view)), _trace(), _run(view)]
    return "\n\n".join(parts) + "\n"


def _head(view: RunView) -> str:
    parts = [
        f"# {QUESTION} Experiment {escape_markdown(view.manifest.experiment)}",
        f"*{', '.join(run_labels(view))}.*",
        f"{lead(view)} {escape_markdown(origin(view))}",
    ]
    parts[1:1] = [" ".join(map(escape_markdown, finding(view)))]
    if not view.is_conclusive:
        floor = percent(view.settings.coverage_floor)
        parts.append(
            f"**INCONCLUSIVE**: a configuration has less than {floor} of its trials judged."
        )
    return "\n\n".join(parts)


def _section(section: Section) -> str:
    parts = [f"## {section.title}", section.note]
    for table in section.tables:
        if table.is_long:
            parts.append(f"{len(table.rows)} rows, in `report.html`; by trial in `scores.csv`.")
        else:
            if len(section.tables) > 1:
                parts.append(f"**{escape_markdown(table.caption)}**")
            parts.append(_table([heading.text for heading in table.headings], _rows(table)))
    return "\n\n".join(parts)


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    names = [escape_markdown(heading) for heading in headings]
    lines = [f"| {' | '.join(names)} |", f"|---|{'---:|' * (len(names) - 1)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines)


def _rows(table: TableView) -> Iterable[list[str]]:
    return ([_cell(cell) for cell in row] for row in table.rows)


def _cell(cell: Cell) -> str:
    match cell:
        case Name():
            marks = "".join(f"<br>*{label}*" for label in cell.labels)
            return escape_markdown(cell.text) + marks
        case str():
            return escape_markdown(cell) if cell else NOTHING
        case _:
            return cell_text(cell)


def _trace() -> str:
    return """## Where the numbers come from

Each number is a count or a sum over rows of `scores.csv`, one row a planned trial.
Its `line` is the line of `trials.jsonl` on which the trial stands.
In `report.html` each number is a link to the list of its trials.

- *judged*: `final_passed` is 0 or 1.
- *first attempt*: `first_attempt_passed` is 1, of those where it is 0 or 1.
- *final*: `final_passed` is 1, of those where it is 0 or 1; strict: of all rows.
- *repair*: `repaired` is 1, of those where it is 0 or 1.
- *retries*: mean of `retries` over the rows that have it.
- violations: `first_KIND` and `final_KIND` are 1, of those where they are 0 or 1.
- search failover: `served_by:PROVIDER` and `tries:PROVIDER:OUTCOME` summed.
- all others: the column of the same name, over the rows that have it."""


def _run(view: RunView) -> str:
    facts = run_facts(view.manifest)
    rows = [[name, escape_markdown(value)] for name, value in facts.items()]
    return f"## Run\n\n{_table(['what', 'value'], rows)}"
