"""`research-eval gate`: judge answers, list citations, print keys and compare gates, offline."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import click

from research_eval.errors import UsageError

if TYPE_CHECKING:
    from research_eval.gate import Gate
    from research_eval.ledger import SourceRegistry
    from research_eval.schema import Verdict

__all__ = ["gate"]

T = TypeVar("T")

LINES_AT_ONCE = 200
_JSON_TEXT = json.JSONEncoder(ensure_ascii=False).encode

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
    help="What was opened: JSON, as a run writes it or as lists.",
)
@_GATE
@_BATCH
@_JSON
def check(answer: str, ledger_file: str | None, gate_name: str, batch: bool, as_json: bool) -> int:
    """Say whether ANSWER cites only pages that were opened.

    Exits 0 if so, 1 if not.

    The ledger is a JSON list of source records, or {"fetched": [URL…], "searched": [URL…]}.

    With --batch, ANSWER is a file of lines {"id", "text", "fetched": [URL…], "searched": [URL…]};
    for each, a line {"id", "verdict": "pass" or kinds, "violations"} is written, and the exit
    status is 0 whatever they say.
    """
    from research_eval.gate import load_gate
    from research_eval.gate.source import judgeable_line, ledger_from_json, ledger_from_urls
    from research_eval.journal.piece import seldom_collecting

    if batch and ledger_file is not None:
        raise UsageError("gate check: --ledger is not for --batch, whose lines hold their ledgers")
    judge = load_gate(gate_name)
    if batch:
        with _results(answer) as write, seldom_collecting():
            for place, line in _ahead(_lines(answer, {"text": str}, quick=judgeable_line), answer):
                fetched, searched = (_urls(line, field, place) for field in ("fetched", "searched"))
                ledger = ledger_from_urls(fetched, searched)
                write(_judged(line, _verdict(judge, line["text"], ledger, place)))
        return 0
    if ledger_file is None:
        raise UsageError("gate check: give --ledger FILE, or --batch with a ledger in each line")
    if ledger_file == "-" and answer == "-":
        raise UsageError("gate check: the answer and the ledger cannot both be standard input")
    ledger = ledger_from_json(_read(ledger_file), ledger_file)
    return _check_one(answer, ledger, judge, as_json=as_json)


def _check_one(answer: str, ledger: "SourceRegistry", judge: "Gate", *, as_json: bool) -> int:
    text = _read(answer)
    verdict = _verdict(judge, text, ledger, answer)
    if as_json:
        _write_json(verdict.model_dump(mode="json"))
    elif verdict.passed:
        number = len(verdict.citations)
        _write(f"passed: {number} citation{'' if number == 1 else 's'}, every page was opened")
    else:
        for violation in verdict.violations:
            place = "" if violation.start is None else f":{_position(text, violation.start)}"
            _write(f"{answer}{place}: {violation.kind}: {violation.message}")
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


def _judged(line: dict[str, Any], verdict: "Verdict") -> dict[str, Any]:
    if verdict.passed:
        return {"id": line["id"], "verdict": "pass", "violations": []}
    kinds = sorted({violation.kind for violation in verdict.violations})
    violations = [violation.model_dump(mode="json") for violation in verdict.violations]
    return {"id": line["id"], "verdict": kinds, "violations": violations}


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
            for _, line in _lines(answer, {"text": str}):
                found = dict.fromkeys(one.url for one in extract_citations(line["text"]))
                write({"id": line["id"], "urls": list(found)})
        return 0
    citations = extract_citations(_read(answer))
    if as_json:
        _write_json([citation.model_dump(mode="json") for citation in citations])
    else:
        for url in dict.fromkeys(citation.url for citation in citations):
            _write(url)
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
            for _, line in _lines(pairs, {"a": str, "b": str}):
                same = url_key(line["a"]) == url_key(line["b"])
                write({"id": line["id"], "same": same})
        return 0
    for url in urls or _read("-").splitlines():
        found = url_key(url)
        if as_json:
            _write_json({"url": url, "key": found.value, "is_canonical": found.is_canonical})
        else:
            _write(found.value)
    return 0


@gate.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--base", default="seed", show_default=True, help="The gate to compare with.")
@click.option("--head", default="default", show_default=True, help="The gate on trial.")
@click.option(
    "--expect",
    type=click.Path(path_type=Path),
    help="Flips that are wanted, one a line as printed; # begins a remark.",
)
@click.option("--junit", type=click.Path(path_type=Path), help="Where to write JUnit XML.")
@click.option(
    "--scheduler", metavar="ADDRESS", help="Judge on a Dask cluster: tcp://HOST:PORT, or local."
)
@_JSON
def compare(
    run: Path,
    base: str,
    head: str,
    expect: Path | None,
    junit: Path | None,
    scheduler: str | None,
    as_json: bool,
) -> int:
    """Judge a finished run again by two gates, and print what changes.

    RUN is its folder; every attempt is judged. The journal streams through: memory does not grow
    with it.

    A line is: case, configuration, trial, attempt, change, and the reason after a tab. Exits 1 if a
    passed_to_blocked or blocked_to_passed flip is not listed in the --expect file.
    """
    from research_eval.cli.gate_compare import Flips
    from research_eval.cli.pieces import workers
    from research_eval.gate import load_gate
    from research_eval.gate.compare import judge_chunk
    from research_eval.journal import RunFolder
    from research_eval.journal.piece import pieces_of

    for name in (base, head):
        load_gate(name)
    work = partial(judge_chunk, base=base, head=head)
    with (
        Flips(_expected(expect), keeps_cases=junit is not None, as_json=as_json) as flips,
        workers(scheduler) as spread,
    ):
        for judgements in spread(work, pieces_of(RunFolder(run))):
            flips.add(judgements)
        return flips.finish(junit)


def _expected(path: Path | None) -> frozenset[str]:
    if path is None:
        return frozenset()
    lines = (line.partition("#")[0].partition("\t")[0] for line in _read(str(path)).splitlines())
    return frozenset(" ".join(line.split()) for line in lines if line.strip())


def _read(name: str) -> str:
    """Return the text of a file, or of standard input for `-`.

    Raises:
        UsageError: If it cannot be read, or is not UTF-8.
    """
    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as exc:
        raise UsageError(f"{name}: {exc.strerror}") from exc
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise UsageError(f"{name}: not UTF-8 at byte {exc.start}") from exc


def _lines(
    name: str, fields: dict[str, type], quick: Callable[[bytes], Any] = lambda _: None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of a JSON Lines file with their place; each has an id and `fields`.

    Args:
        name: The file.
        fields: What each object has, and of which type.
        quick: Reads a line that is as it should be, and returns `None` for every other.

    Raises:
        UsageError: If a line is not such an object.
    """
    with _opened(name) as lines:
        for number, content in enumerate(lines, start=1):
            place = f"{name}:{number}"
            if (entry := quick(content)) is not None:
                yield place, entry
                continue
            line = _decoded(content, place, is_first=number == 1)
            if line.strip():
                yield place, _entry(line, place, fields)


@contextmanager
def _results(name: str) -> Iterator[Callable[[object], None]]:
    """Write JSON Lines: many at a time for a file, each at once for who waits at standard input."""
    lines: list[str] = []

    def write(value: object) -> None:
        lines.append(_JSON_TEXT(value))
        if name == "-" or len(lines) >= LINES_AT_ONCE:
            _write("\n".join(lines))
            lines.clear()

    try:
        yield write
    finally:
        if lines:
            _write("\n".join(lines))


def _ahead(lines: Iterator[T], name: str) -> Iterator[T]:
    """Yield `lines`, read some ahead from a file, which is faster; from standard input, none."""
    number = 1 if name == "-" else LINES_AT_ONCE
    while some := list(islice(lines, number)):
        yield from some


def _opened(name: str) -> "AbstractContextManager[BinaryIO]":
    if name == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(name).open("rb")
    except OSError as exc:
        raise UsageError(f"{name}: {exc.strerror}") from exc


def _decoded(content: bytes, place: str, *, is_first: bool) -> str:
    try:
        return content.decode("utf-8-sig" if is_first else "utf-8")
    except UnicodeDecodeError as exc:
        raise UsageError(f"{place}: not UTF-8 at byte {exc.start} of the line") from exc


def _entry(line: str, place: str, fields: dict[str, type]) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError as exc:
        raise UsageError(f"{place}: not JSON: {exc}") from exc
    except RecursionError as exc:
        raise UsageError(f"{place}: not JSON: nested too deeply") from exc
    if not isinstance(entry, dict) or "id" not in entry:
        raise UsageError(f"{place}: expected an object with an id")
    for field, kind in fields.items():
        if not isinstance(entry.get(field), kind):
            raise UsageError(f"{place}: {field}: expected text")
    return entry


def _urls(line: dict[str, Any], field: str, place: str) -> list[str]:
    urls = line.get(field, [])
    if not isinstance(urls, list) or set(map(type, urls)) - {str}:
        raise UsageError(f"{place}: {field}: expected a list of URLs")
    return urls


def _position(text: str, offset: int) -> str:
    line = text.count("\n", 0, offset) + 1
    column = offset - (text.rfind("\n", 0, offset) + 1) + 1
    return f"{line}:{column}"


def _write(text: str) -> None:
    click.echo(text.encode("utf-8", "replace"))


def _write_json(value: object) -> None:
    _write(_JSON_TEXT(value))
