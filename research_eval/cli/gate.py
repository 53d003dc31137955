"""`research-eval gate`: judge answers, list citations, print keys and compare gates, offline."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import click

from research_eval.cli.gate_compare import compare
from research_eval.cli.gate_explain import explain
from research_eval.cli.gate_test import test
from research_eval.cli.lines import json_lines, json_text, print_text, read_text
from research_eval.errors import UsageError

if TYPE_CHECKING:
    from research_eval.gate import Gate
    from research_eval.ledger import SourceRegistry
    from research_eval.schema import Verdict

__all__ = ["gate"]

T = TypeVar("T")

LINES_AT_ONCE = 200

_BATCH = click.option("--batch", is_flag=True, help="Read JSON Lines, write JSON Lines.")
_JSON = click.option("--json", "as_json", is_flag=True, help="Write JSON.")
_GATE = click.option(
    "--gate",
    "gate_name",
    default="default",
    show_default=True,
    help="The gate: a name, name@version, or package.module:name.",
)


@click.group()
def gate() -> None:
    """Judge answers against what was opened, without model or network.

    A file named - is standard input.
    """


@gate.command()
@click.argument("answer", default="-")
@click.option(
    "--ledger",
    "ledger_file",
    metavar="FILE",
    help="A JSON file of what was opened: a run's ledger, or lists of URLs.",
)
@_GATE
@_BATCH
@_JSON
def check(answer: str, ledger_file: str | None, gate_name: str, batch: bool, as_json: bool) -> int:
    """Say whether ANSWER cites only pages that were opened.

    Exits 0 if so, 1 if not.

    The ledger is a JSON list of source records, or lists of URLs: {"fetched": [URL…], "searched":
    [URL…], "failed": [URL…], "given": [URL…]}.

    With --batch, ANSWER is a file of lines {"id", "text"} with these lists, or with a "ledger";
    for each, a line {"id", "verdict": "pass" or "rejected", "kinds", "violations"} is written, and
    the exit status is 0 whatever they say.
    """
    from research_eval.gate import load_gate
    from research_eval.gate.answer_line import AnswerLine, answer_line, quick_answer_line
    from research_eval.gate.source import ledger_from_json
    from research_eval.journal.piece import seldom_collecting

    if batch and ledger_file is not None:
        raise UsageError("gate check: --ledger is not for --batch, whose lines hold their ledgers")
    judge = load_gate(gate_name)
    if batch:
        with _results(answer) as write, seldom_collecting():
            for place, row in _ahead(
                json_lines(answer, {"text": str}, quick=quick_answer_line), answer
            ):
                line = row if isinstance(row, AnswerLine) else answer_line(row, place)
                verdict = _verdict(judge, line.text, line.ledger(), place)
                write({"id": line.id, **_judged(verdict)})
        return 0
    if ledger_file is None:
        raise UsageError("gate check: give --ledger FILE, or --batch with a ledger in each line")
    if ledger_file == "-" and answer == "-":
        raise UsageError("gate check: the answer and the ledger cannot both be standard input")
    ledger = ledger_from_json(read_text(ledger_file), ledger_file)
    return _check_one(answer, ledger, judge, as_json=as_json)


def _check_one(answer: str, ledger: "SourceRegistry", judge: "Gate", *, as_json: bool) -> int:
    from research_eval.gate.assertion import line_of

    text = read_text(answer)
    verdict = _verdict(judge, text, ledger, answer)
    if as_json:
        _write_json(verdict.model_dump(mode="json"))
    elif verdict.passed:
        number = len(verdict.citations)
        print_text(f"passed: {number} citation{'' if number == 1 else 's'}, every page was opened")
    else:
        for violation in verdict.violations:
            print_text(line_of(violation, text, answer))
    return 0 if verdict.passed else 1


def _verdict(judge: "Gate", text: str, ledger: "SourceRegistry", place: str) -> "Verdict":
    """Return the gate's verdict.

    Raises:
        UsageError: With the answer's place, if a gate of the user's own fails.
    """
    try:
        return judge.check(text, ledger)
    except UsageError as exc:
        raise UsageError(f"{exc} ({place})") from exc


def _judged(verdict: "Verdict") -> dict[str, Any]:
    return {
        "verdict": "pass" if verdict.passed else "rejected",
        "kinds": sorted({violation.kind for violation in verdict.violations}),
        "violations": [violation.model_dump(mode="json") for violation in verdict.violations],
    }


@gate.command()
@click.argument("answer", default="-")
@_BATCH
@_JSON
def cites(answer: str, batch: bool, as_json: bool) -> int:
    """List the URLs that ANSWER cites, each once, in order.

    With --json every citation is written with its span, its form and its other readings. With
    --batch, lines {"id", "text"} are read and lines {"id", "urls"} are written.
    """
    from research_eval.gate import extract_citations

    if batch:
        with _results(answer) as write:
            for _, line in json_lines(answer, {"text": str}):
                found = dict.fromkeys(one.url for one in extract_citations(line["text"]))
                write({"id": line["id"], "urls": list(found)})
        return 0
    citations = extract_citations(read_text(answer))
    if as_json:
        _write_json([citation.model_dump(mode="json") for citation in citations])
    else:
        for url in dict.fromkeys(citation.url for citation in citations):
            print_text(url)
    return 0


@gate.command()
@click.argument("urls", nargs=-1)
@_BATCH
@_JSON
def key(urls: tuple[str, ...], batch: bool, as_json: bool) -> int:
    """Print the key of each URL: URLs with one key are one source.

    Without URLS they are read from standard input, one a line. With --batch, lines {"id", "a", "b"}
    are read from the named file and lines {"id", "same"} are written.
    """
    from research_eval.ledger import url_key

    if batch:
        pairs = urls[0] if urls else "-"
        with _results(pairs) as write:
            for _, line in json_lines(pairs, {"a": str, "b": str}):
                same = url_key(line["a"]) == url_key(line["b"])
                write({"id": line["id"], "same": same})
        return 0
    for url in urls or read_text("-").splitlines():
        found = url_key(url)
        if as_json:
            _write_json({"url": url, "key": found.value, "is_canonical": found.is_canonical})
        else:
            print_text(found.value)
    return 0


@contextmanager
def _results(name: str) -> Iterator[Callable[[object], None]]:
    """Write JSON Lines: many at a time for a file, each at once for who waits at standard input."""
    lines: list[str] = []

    def write(value: object) -> None:
        lines.append(json_text(value))
        if name == "-" or len(lines) >= LINES_AT_ONCE:
            print_text("\n".join(lines))
            lines.clear()

    try:
        yield write
    finally:
        if lines:
            print_text("\n".join(lines))


def _ahead(lines: Iterator[T], name: str) -> Iterator[T]:
    """Yield `lines`, read some ahead from a file, which is faster; from standard input, none."""
    number = 1 if name == "-" else LINES_AT_ONCE
    while some := list(islice(lines, number)):
        yield from some


def _write_json(value: object) -> None:
    print_text(json_text(value))


gate.add_command(compare)
gate.add_command(explain)
gate.add_command(test)
