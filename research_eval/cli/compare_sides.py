"""Which sides `compare` compares: paths and names in, pairs of sides and what was found out."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from research_eval.analysis.comparison import (
    Absent,
    CompareOutput,
    Comparison,
    compare_sides,
    find_absent,
)
from research_eval.analysis.difference import CompareSettings
from research_eval.analysis.requirement import rule_requirements, worst_ruling
from research_eval.analysis.several import every_pair, runs_vary
from research_eval.analysis.side import Plan, Side, read_sides
from research_eval.errors import UsageError
from research_eval.journal import RunFolder
from research_eval.schema import Requirements

__all__ = ["Made", "absent_of", "compare_pairs", "read_pairs", "rulings_of"]

MOST_NAMED = 5
"""Cases or configurations that a note names."""

Pairs = list[tuple[Side, list[Side]]]
Made = tuple[Side, list[Side], list[Comparison]]
"""A base, the sides that were compared with it, and what was found of each."""


def read_pairs(
    base: Path,
    heads: Sequence[Path],
    names: Sequence[str],
    settings: CompareSettings,
    *,
    is_shared: bool,
) -> Pairs:
    """Return each base side with the sides that are compared with it.

    Raises:
        UsageError: If there is nothing to compare.
    """
    if not heads:
        sides = read_sides(RunFolder(base), names or None, settings.measures)
        if names:
            sides.sort(key=lambda side: names.index(side.configuration.name))
        if len(sides) < 2:
            raise UsageError(f"{base}: one configuration alone; name two, or a second run")
        return [(sides[0], sides[1:])]
    if len(names) > 2:
        raise UsageError(f"--configuration: {len(names)} names for two runs; expected 1 or 2")
    plan = _shared_plan(base, heads, names) if is_shared else None
    ours = read_sides(RunFolder(base), names[:1] or None, settings.measures, plan)
    theirs = [
        read_sides(RunFolder(head), names[-1:] or None, settings.measures, plan) for head in heads
    ]
    if names:
        return [(ours[0], [side for some in theirs for side in some])]
    known = {side.configuration.name for side in ours}
    found: dict[str, list[Side]] = {}
    for head, some in zip(heads, theirs, strict=True):
        shared = [side for side in some if side.configuration.name in known]
        if not shared:
            raise UsageError(f"{base} and {head} have no configuration in common; name two")
        for side in shared:
            found.setdefault(side.configuration.name, []).append(side)
    return [(s, found[s.configuration.name]) for s in ours if s.configuration.name in found]


def compare_pairs(
    pairs: Pairs, settings: CompareSettings, *, has_heads: bool
) -> tuple[list[Made], CompareOutput]:
    """Return each base with what it was compared with, and everything that was found.

    Raises:
        UsageError: If two runs asked different questions.
    """
    made = []
    for side, others in pairs:
        for other in others:
            if not side.plan.case_ids & other.plan.case_ids:
                raise _no_case_in_common(side.run.name, other.run.name)
        made.append((side, others, compare_sides(side, others, settings)))
    names, alpha = settings.measures, settings.alpha
    every, runs = [], []
    for side, others in pairs:
        if has_heads:
            runs += runs_vary([side, *others], names, alpha=alpha)
        elif len(others) > 1:
            every += every_pair([side, *others], names, alpha=alpha, seed=settings.seed)
    comparisons = tuple(one for _, _, some in made for one in some)
    return made, CompareOutput(
        settings=settings, comparisons=comparisons, absent=(), pairs=tuple(every), runs=tuple(runs)
    )


def rulings_of(base: Path, heads: Sequence[Path]) -> Requirements | None:
    """Return what came of the requirements of each head, or of the one run."""
    if not heads:
        return rule_requirements(RunFolder(base))
    every = [rule_requirements(RunFolder(head), RunFolder(base)) for head in heads]
    rulings = [ruling for one in every if one is not None for ruling in one.rulings]
    return Requirements(verdict=worst_ruling(rulings), rulings=tuple(rulings)) if rulings else None


def absent_of(base: Path, heads: Sequence[Path], options: Mapping[str, object]) -> list[Absent]:
    """Return the configurations that a head lacks, where nobody named which to compare."""
    if options["names"]:
        return []
    is_ruled = options["fail_on"] == "regression" and not options["is_shared"]
    folders = map(RunFolder, heads)
    return [one for f in folders for one in find_absent(RunFolder(base), f, is_ruled=is_ruled)]


def _shared_plan(base: Path, heads: Sequence[Path], names: Sequence[str]) -> Plan:
    """Return the trials that all runs planned, and say what each head left out.

    Raises:
        UsageError: If there is none.
    """
    ours = RunFolder(base).manifest()
    shared = Plan.of(ours)
    for head in heads:
        theirs = RunFolder(head).manifest()
        shared = shared.shared(Plan.of(theirs))
        if not shared.case_ids:
            raise _no_case_in_common(base, head)
        _say_left_out(head, "cases", {*ours.case_ids} - {*theirs.case_ids})
        if not names:
            had, has = ({c.name for c in run.configurations} for run in (ours, theirs))
            _say_left_out(head, "configurations", had - has)
    return shared


def _say_left_out(head: Path, what: str, gone: set[str]) -> None:
    if gone:
        some = ", ".join(sorted(gone)[:MOST_NAMED]) + (", \u2026" if len(gone) > MOST_NAMED else "")
        click.echo(f"left out by {head}: {len(gone)} {what}: {some}", err=True)


def _no_case_in_common(base: object, head: object) -> UsageError:
    return UsageError(
        f"{base} and {head} have no case in common,"
        " so that nothing can be paired; --unpaired compares the rates alone"
    )
