"""Answers with the verdicts that should come: a JSON Lines or CSV file in, answers with ledgers out.

A line is what `answer_line` reads.
`expected` is `pass`, or the violations: each a kind, or a kind and a URL with a space between them. In CSV
URLs are parted by white space, violations by `;`.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from research_eval.errors import UsageError
from research_eval.gate.answer_line import ALLOWED, AnswerLine, Label, answer_line
from research_eval.gate.source import LISTS
from research_eval.ledger import SourceRegistry
from research_eval.schema import Verdict

__all__ = ["Labelled", "is_as_expected", "label_of", "label_words", "read_labelled", "relabelled"]


class Labelled(NamedTuple):
    """One answer of the file."""

    answer: AnswerLine
    line: int
    """Where it stands, from 1."""

    @property
    def id(self) -> str:
        """Its name in the file."""
        return str(self.answer.id)

    @property
    def text(self) -> str:
        """The answer."""
        return self.answer.text

    @property
    def expected(self) -> Label | None:
        """What should come; `None` where the file does not say."""
        return self.answer.expected

    def ledger(self) -> SourceRegistry:
        """Return what the trial saw.

        Raises:
            UsageError: If the line's ledger is none.
        """
        return self.answer.ledger()


def is_as_expected(verdict: Verdict, expected: Label) -> bool:
    """Return whether a verdict has the expected violations and no other."""
    wanted = [tuple(item.split(None, 1)) for item in expected]
    came = [(one.kind, one.url or "") for one in verdict.violations]
    return all(any(_fits(one, item) for item in wanted) for one in came) and all(
        any(_fits(one, item) for one in came) for item in wanted
    )


def _fits(violation: tuple[str, str], item: tuple[str, ...]) -> bool:
    return violation[: len(item)] == item


def label_of(verdict: Verdict, *, with_urls: bool) -> Label:
    """Return the violations of a verdict as a file says them."""
    named = (
        f"{one.kind} {one.url}" if with_urls and one.url else one.kind for one in verdict.violations
    )
    return tuple(dict.fromkeys(named))


def label_words(label: Label) -> str:
    """Return a label in words."""
    return ", ".join(label) or ALLOWED


def is_csv(name: str) -> bool:
    """Return whether a file's name says that it is CSV."""
    return name.casefold().endswith(".csv")


def read_labelled(content: str, name: str) -> list[Labelled]:
    """Return the answers of a file.

    Args:
        content: Its text.
        name: Its name: one that ends with `.csv` is CSV, every other JSON Lines.

    Raises:
        UsageError: With file, line and field, if it does not hold what it should, or an id stands twice.
    """
    rows = _csv_rows(content, name) if is_csv(name) else _json_rows(content, name)
    found: list[Labelled] = []
    first_at: dict[str, int] = {}
    for line, row in rows:
        place = f"{name}:{line}"
        one = Labelled(answer_line(row, place), line)
        if (earlier := first_at.setdefault(one.id, line)) != line:
            raise UsageError(f"{place}: duplicate id {one.id!r}, first on line {earlier}")
        found.append(one)
    if not found:
        raise UsageError(f"{name}: holds no answer")
    return found


def _json_rows(content: str, name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(content.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as exc:
            raise UsageError(f"{name}:{number}: not JSON: {exc}") from exc
        if not isinstance(row, dict):
            raise UsageError(f"{name}:{number}: expected an object with id and text")
        yield number, row


def _csv_rows(content: str, name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(io.StringIO(content), strict=True)
    try:
        for row in reader:
            if None in row or None in row.values():
                raise UsageError(f"{name}:{reader.line_num}: expected a value a column")
            urls = {key: row[key].split() for key in LISTS if key in row}
            yield reader.line_num, {**row, **urls, **_csv_label(row)}
    except csv.Error as exc:
        raise UsageError(f"{name}:{reader.line_num}: not CSV: {exc}") from exc


def _csv_label(row: Mapping[str, str]) -> dict[str, Any]:
    text = row.get("expected", "").strip()
    if not text:
        return {"expected": None}
    return {"expected": text if text == ALLOWED else [item.strip() for item in text.split(";")]}


def relabelled(content: str, name: str, labels: Mapping[str, Label]) -> str:
    """Return the text of a file with other labels on some answers; its other lines stay as they are."""
    if is_csv(name):
        return _csv_relabelled(content, labels)
    lines = content.split("\n")
    for number, row in _json_rows(content, name):
        if str(row.get("id")) in labels:
            label: str | Sequence[str] = labels[str(row["id"])] or ALLOWED
            changed = {**row, "expected": label}
            lines[number - 1] = json.dumps(changed, ensure_ascii=False)
    return "\n".join(lines)


def _csv_relabelled(content: str, labels: Mapping[str, Label]) -> str:
    reader = csv.DictReader(io.StringIO(content))
    names = list(reader.fieldnames or ())
    if "expected" not in names:
        names.append("expected")
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    for row in reader:
        if row["id"] in labels:
            row["expected"] = "; ".join(labels[row["id"]]) or ALLOWED
        writer.writerow(row)
    return out.getvalue()
