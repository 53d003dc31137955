"""What a comparison tells a pull request: a summary in Markdown, and annotations at lines of the dataset."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from research_eval.cli.github import Annotation, markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from research_eval.analysis.comparison import CompareOutput, Comparison
    from research_eval.journal import RunFolder

__all__ = ["comparison_annotations", "comparison_markdown", "dataset_of"]

MOST_TOLD = 50
"""Changed trials that a summary lists."""


def comparison_markdown(found: "CompareOutput") -> str:
    """Return the ruling, a row for each measure of each configuration, and the trials that got worse."""
    rows = [
        (_name(one), entry.measure, _spoken(entry.verdict), entry.reason)
        for one in found.comparisons
        for entry in one.measures
    ]
    lost = sum(entry.verdict == "regression" for one in found.comparisons for entry in one.measures)
    text = f"### Comparison: {lost} of {len(rows)} measures regressed\n\n"
    text += markdown_table(("configuration", "measure", "verdict", "why"), rows)
    worse = [words for one in found.comparisons for words in _worse(one)]
    if worse:
        left = len(worse) - MOST_TOLD
        text += "\n" + markdown_table(("trial", "measure", "change"), worse[:MOST_TOLD])
        text += f"\n{left} more in the command's output.\n" if left > 0 else ""
    return text


def comparison_annotations(
    found: "CompareOutput", dataset: Path | None, *, is_ruled: bool
) -> list[Annotation]:
    """Return a remark for each trial that got worse where its measure regressed.

    Args:
        found: The comparison.
        dataset: Where the cases stand.
        is_ruled: Whether a regression fails the command; else each is a warning.
    """
    lines = _lines_of_cases(dataset)
    return [
        Annotation(
            title=f"regression: {place}",
            message=f"{measure}: {change}",
            file=str(dataset) if case in lines else None,
            line=lines.get(case),
            level="error" if is_ruled else "warning",
        )
        for one in found.comparisons
        if one.verdict == "regression"
        for place, measure, change in _worse(one)
        for case in [place.split()[0]]
    ]


def dataset_of(folder: "RunFolder") -> Path | None:
    """Return the dataset of a run, where it still stands beside the experiment that the command named."""
    name = folder.manifest().dataset
    for execution in reversed(folder.executions()):
        for word in execution.command:
            path = Path(word).parent / name
            if word.endswith(".toml") and path.is_file():
                return path
    return None


def _worse(one: "Comparison") -> "Iterator[tuple[str, str, str]]":
    for flip in one.flips:
        if flip.is_worse:
            change = f"{flip.base:g} → {flip.head:g}"
            yield f"{flip.case_id} {_name(one)} #{flip.trial}", flip.measure, change
    for gone in one.lost:
        change = f"{gone.base:g} → no value ({gone.why})"
        yield f"{gone.case_id} {_name(one)} #{gone.trial}", gone.measure, change


def _name(one: "Comparison") -> str:
    return one.head.partition(": ")[2]


def _spoken(verdict: str) -> str:
    return verdict.replace("_", " ")


def _lines_of_cases(dataset: Path | None) -> dict[str, int]:
    """Return the line of each case, as far as the dataset can be read."""
    found: dict[str, int] = {}
    text = dataset.read_text("utf-8", "replace") if dataset else ""
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            found[str(json.loads(line)["id"])] = number
        except (ValueError, KeyError, TypeError):
            continue
    return found
