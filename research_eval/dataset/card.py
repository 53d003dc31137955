"""Count a dataset for its card: cases by language, answerability and tag, as Markdown."""

from collections import Counter
from collections.abc import Iterator, Sequence

from research_eval.dataset.case import Case

__all__ = ["count_cases"]


def count_cases(cases: Sequence[Case]) -> str:
    """Return two Markdown tables: what the dataset holds, and how often each tag stands."""
    languages = Counter(case.language for case in cases)
    rows = [
        ("cases", len(cases)),
        *((f"in `{language}`", count) for language, count in _ranked(languages)),
        ("answerable from a page that opens", sum(case.answerable for case in cases)),
        ("not answerable, yet a search snippet tells", sum(_tells(case) for case in cases)),
        ("nothing to be found", sum(not case.answerable and not case.expected for case in cases)),
        ("with a page that asks to be cited", sum(bool(case.canaries) for case in cases)),
        ("expected facts", sum(len(case.expected) for case in cases)),
    ]
    tags = Counter(tag for case in cases for tag in case.tags)
    tag_rows = [(f"`{tag}`", count) for tag, count in _ranked(tags)]
    return "\n".join([*_table("what", rows), "", *_table("tag", tag_rows), ""])


def _tells(case: Case) -> bool:
    return not case.answerable and bool(case.expected)


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _table(name: str, rows: Sequence[tuple[str, int]]) -> Iterator[str]:
    yield f"| {name} | count |"
    yield "| --- | ---: |"
    for label, count in rows:
        yield f"| {label} | {count} |"
