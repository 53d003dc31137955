r"""The tables of a run as report.tex: a part of a document, to be read in with `\input`."""

from collections.abc import Iterator

from research_eval.report.cell import Cell, Name, Section, TableView, cell_text
from research_eval.report.section import sections
from research_eval.report.view import RunView
from research_eval.report.wording import DASH, NOTHING
from research_eval.schema.display import visible

__all__ = ["escape_latex", "render_latex"]

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "[": "{[}",  # which after the end of a row begins an argument
        "]": "{]}",
        "*": "{*}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"{\char34}",
        DASH: "--",
        "\u202f": r"\,",
        "\N{LESS-THAN OR EQUAL TO}": r"$\le$",
    }
)


def escape_latex(text: str) -> str:
    r"""Return `text` on one line, so that no character of it is a command.

    >>> print(escape_latex(r"\input{x} 5 % a_b"))
    \textbackslash{}input\{x\} 5 \% a\_b
    """
    return " ".join(visible(text).translate(_SPECIAL).split())


def render_latex(view: RunView) -> str:
    """Return the file's text; it needs the package booktabs, and TeX that reads UTF-8."""
    name = escape_latex(view.manifest.experiment)
    lines = [f"% needs \\usepackage{{booktabs}}; experiment {name}"]
    for section in sections(view):
        lines += _section(section)
    return "\n".join(lines) + "\n"


def _section(section: Section) -> Iterator[str]:
    for table in section.tables:
        if not table.is_long and table.rows:
            yield from _table(table)


def _table(table: TableView) -> Iterator[str]:
    yield r"\begin{table}"
    yield rf"\caption{{{escape_latex(table.caption)}}}"
    yield rf"\begin{{tabular}}{{l{'r' * (len(table.headings) - 1)}}}"
    yield r"\toprule"
    yield _row([escape_latex(heading.text) for heading in table.headings])
    yield r"\midrule"
    yield from (_row([_cell(cell) for cell in row]) for row in table.rows)
    yield r"\bottomrule"
    yield r"\end{tabular}"
    yield r"\end{table}"


def _row(cells: list[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _cell(cell: Cell) -> str:
    match cell:
        case Name():
            marks = f" ({', '.join(cell.labels)})" if cell.labels else ""
            return escape_latex(cell.text + marks)
        case str():
            return escape_latex(cell or NOTHING)
        case _:
            return escape_latex(cell_text(cell))
