"""Answers without a conversation: lines with lists of URLs, and finished reports without a ledger."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from research_eval.logs.document import pieces
from research_eval.logs.reading import first_of
from research_eval.logs.step import Found, Log, Opened, PersonSaid, Said, Step, Tally, text_of

__all__ = ["read_plain", "read_reports"]

_URL_LISTS = ("fetched", "searched", "failed")
_ID = ("id", "case_id", "task_id", "task", "prompt_id")
_QUESTION = ("question", "prompt", "query", "task", "problem", "instruction")
_TEXT = ("article", "report", "text", "answer", "response", "output", "content", "final_report")
_LISTS = ("item", "records.item", "results.item", "data.item", "reports.item")


def read_plain(path: Path, tally: Tally) -> Iterator[Log]:
    """Yield answers of lines `{id, question, text, fetched, searched, failed, model}`."""
    for piece in pieces(path, _LISTS, tally):
        line = piece.value
        if not isinstance(line, Mapping) or not isinstance(line.get("text"), str):
            tally.refuse("no text of an answer", piece.place)
            continue
        wrong = next((name for name in _URL_LISTS if not _are_urls(line.get(name, []))), None)
        if wrong is not None:
            tally.refuse(f"{wrong} is no list of URLs", piece.place)
            continue
        yield _log(line, piece.place, _ledger_steps(line), has_ledger=True)


def _are_urls(given: object) -> bool:
    return isinstance(given, list) and all(isinstance(url, str) for url in given)


def _ledger_steps(line: Mapping[str, Any]) -> Iterator[Step]:
    if line.get("searched"):
        yield Found("", tuple((url, "", "") for url in line["searched"]))
    yield from (Opened(url) for url in line.get("fetched", []))
    yield from (Opened(url, ok=False, error="failed") for url in line.get("failed", []))


def read_reports(path: Path, tally: Tally) -> Iterator[Log]:
    """Yield finished reports, `{id, prompt, article}` and the like: nobody knows what was opened."""
    for piece in pieces(path, _LISTS, tally):
        if not isinstance(piece.value, Mapping):
            if piece.path.endswith("item") or not piece.path:
                tally.refuse("no report: expected an object", piece.place)
            continue
        if not isinstance(first_of(piece.value, _TEXT), str):
            tally.refuse("no text of a report", piece.place)
            continue
        yield _log(piece.value, piece.place, iter(()), has_ledger=False)


def _log(line: Mapping[str, Any], place: str, ledger: Iterator[Step], *, has_ledger: bool) -> Log:
    text, question = text_of(first_of(line, _TEXT)), text_of(first_of(line, _QUESTION))
    name = first_of(line, _ID)
    return Log(
        id=str(name) if isinstance(name, str | int) else None,
        place=place,
        steps=_steps(question, ledger, text),
        model=text_of(line.get("model")) or None,
        has_ledger=has_ledger,
    )


def _steps(question: str, ledger: Iterator[Step], text: str) -> Iterator[Step]:
    yield PersonSaid(question)
    yield from ledger
    yield Said(text)
