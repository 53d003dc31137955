"""Rule the requirements of a run: its records in, one ruling a requirement and configuration out."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from research_eval.analysis.change import find_flips
from research_eval.analysis.column import Places
from research_eval.analysis.scoring import ScoredRun, score_run
from research_eval.analysis.side import Side, sides_of
from research_eval.analysis.store import run_cases
from research_eval.analysis.summary import Summary, summarise
from research_eval.journal import RunFolder
from research_eval.schema import Requirement, RequirementRuling, Requirements, RulingVerdict
from research_eval.scorer import DEFAULT_SCORERS, load_scorer

__all__ = ["rule_requirements", "worst_ruling"]

ORDER: tuple[RulingVerdict, ...] = ("failed", "inconclusive", "holds")
"""The most serious ruling first."""

Place = tuple[str, int]


def rule_requirements(folder: RunFolder, base: RunFolder | None = None) -> Requirements | None:
    """Return what came of the requirements in a run's manifest; `None` if it has none.

    Args:
        folder: The run.
        base: The run with which `max_flips` compares it.

    Raises:
        RecordError: If a manifest, a trial or an added score cannot be read.
        ConfigError: If a scorer that a requirement names cannot be loaded.
    """
    wanted = folder.manifest().requirements
    if not wanted:
        return None
    run = _scored(folder, wanted)
    flips = [one for one in wanted if one.max_flips is not None]
    sides = {} if base is None or not flips else _by_name(_scored(base, flips))
    tags = {case_id: case.tags for case_id, case in run_cases(folder).items()}
    rulings = [ruling for one in wanted for ruling in _rule(one, run, sides, tags)]
    return Requirements(verdict=worst_ruling(rulings), rulings=tuple(rulings))


def worst_ruling(rulings: Iterable[RequirementRuling]) -> RulingVerdict:
    """Return the most serious verdict; where nothing was ruled at all, `inconclusive`."""
    found = {one.verdict for one in rulings}
    return next((verdict for verdict in ORDER if verdict in found), "inconclusive")


def _scored(folder: RunFolder, wanted: Sequence[Requirement]) -> ScoredRun:
    own = dict.fromkeys(one.scorer for one in wanted if one.scorer is not None)
    names = frozenset(one.measure for one in wanted if one.measure is not None)
    scorers = [*DEFAULT_SCORERS, *(load_scorer(name) for name in own)]
    return score_run(folder, scorers=scorers, names=names)


def _by_name(run: ScoredRun) -> dict[str, Side]:
    return {side.configuration.name: side for side in sides_of(run)}


def _rule(
    wanted: Requirement,
    run: ScoredRun,
    bases: Mapping[str, Side],
    tags: Mapping[str, tuple[str, ...]],
) -> list[RequirementRuling]:
    covered = [s for s in sides_of(run) if wanted.covers_configuration(s.configuration.name)]
    if not covered:
        return [_skipped(wanted, wanted.configuration, "this run leaves these configurations out")]
    cases = {c for c in run.manifest.case_ids if wanted.covers_case(c, tags.get(c, ()))}
    if not cases:
        return [
            _skipped(wanted, side.configuration.name, "this run leaves these cases out")
            for side in covered
        ]
    return [_of_side(wanted, side, bases.get(side.configuration.name), cases) for side in covered]


def _skipped(wanted: Requirement, configuration: str, reason: str) -> RequirementRuling:
    return RequirementRuling(
        requirement=wanted.words,
        configuration=configuration,
        verdict="skipped",
        reason=reason,
        measure=wanted.measure,
    )


def _of_side(
    wanted: Requirement, side: Side, base: Side | None, cases: Collection[str]
) -> RequirementRuling:
    every = side.run.table.rows
    rows = np.array([p for p in side.rows.tolist() if every[p].case_id in cases], np.intp)
    planned = len(cases) * side.plan.trials
    ran = sum(case_id in cases for case_id, _ in side.ran)
    errors = sum(case_id in cases for case_id, _ in side.broken)
    flips = _flips(wanted, side, base, cases)
    found = _summary(wanted, side, rows)
    scored = found.scored if found else ran - errors
    ruling = RequirementRuling(
        requirement=wanted.words,
        configuration=side.configuration.name,
        verdict="holds",
        reason="",
        measure=wanted.measure,
        value=found.value if found else None,
        interval=found.interval if found else None,
        trials=scored,
        planned=planned - (found.not_applicable if found else 0),
        errors=errors,
        flips=flips,
    )
    verdict, reason = _verdict(wanted, ruling, planned - ran)
    return ruling.model_copy(update={"verdict": verdict, "reason": reason})


def _summary(wanted: Requirement, side: Side, rows: Places) -> Summary | None:
    if wanted.measure is None:
        return None
    return summarise(side.run.table, side.measure(wanted.measure), rows, side.run.known)


def _flips(
    wanted: Requirement, side: Side, base: Side | None, cases: Collection[str]
) -> int | None:
    if base is None or wanted.max_flips is None or wanted.measure is None:
        return None
    changed = find_flips(base, side, side.measure(wanted.measure))
    return sum(flip.case_id in cases for flip in changed)


def _verdict(
    wanted: Requirement, found: RequirementRuling, not_run: int
) -> tuple[RulingVerdict, str]:
    """Return the ruling and its reason: what exceeds a count, then what is missing, then the value."""
    if wanted.max_errors is not None and found.errors > wanted.max_errors:
        return "failed", f"{found.errors} errors, allowed are {wanted.max_errors}"
    if wanted.measure is None:
        if not_run:
            return "inconclusive", f"{not_run} of {found.planned} trials did not run"
        return "holds", f"{found.errors} errors in {found.planned} trials"
    return _by_measure(wanted, found)


def _by_measure(wanted: Requirement, found: RequirementRuling) -> tuple[RulingVerdict, str]:
    if wanted.max_flips is not None and (found.flips or 0) > wanted.max_flips:
        return "failed", f"{found.flips} flips, allowed are {wanted.max_flips}"
    demands = (wanted.min, wanted.max, wanted.max_errors, found.flips)
    if all(value is None for value in demands):
        return "skipped", "flips need a base: research-eval compare BASE HEAD"
    coverage = found.trials / found.planned if found.planned > 0 else 0.0
    if coverage < wanted.min_coverage or found.value is None:
        return "inconclusive", (
            f"{found.trials} of {found.planned} trials have a value, "
            f"{wanted.min_coverage:.0%} must have one"
        )
    return _by_value(wanted, found)


def _by_value(wanted: Requirement, found: RequirementRuling) -> tuple[RulingVerdict, str]:
    value = 0.0 if found.value is None else found.value
    low, high = found.interval or (value, value)
    shown = f"{value:.4g} [{low:.4g}, {high:.4g}], n {found.trials}"
    seen = {"point": value, "lower": low, "upper": high}[wanted.at]
    if wanted.min is not None and seen < wanted.min:
        return "failed", f"{shown}: below {wanted.min:g}"
    if wanted.max is not None and seen > wanted.max:
        return "failed", f"{shown}: above {wanted.max:g}"
    more = "" if found.flips is None else f", {found.flips} flips"
    return "holds", f"{shown}{more}"
