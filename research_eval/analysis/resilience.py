"""What a fault costs: pass rates of the same cases with and without it, as a ratio."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from research_eval.analysis.difference import CompareSettings, power_fields
from research_eval.analysis.side import Side
from research_eval.analysis.summary import estimate
from research_eval.schema import ConfigurationSummary, Record
from research_eval.stats.cluster import Cluster
from research_eval.stats.ratio import paired_ratio

__all__ = ["Resilience", "clean_twins", "fault_words", "resilience"]

_APART = frozenset({"name", "fault"})
"""Settings in which a configuration and its clean twin may differ."""


class Resilience(Record):
    """One measure of one agent under a fault, as a share of the same measure without it."""

    clean: str
    """The configuration without the fault."""
    faulted: str
    faults: tuple[str, ...]
    measure: str
    clean_rate: float | None
    """Mean over the cases that have a value with and without the fault."""
    faulted_rate: float | None
    ratio: float | None
    """`faulted_rate` over `clean_rate`; `None` where the clean one is zero or unknown."""
    interval: tuple[float, float] | None
    """Of the ratio, by Student's t over cases; never below 0."""
    strict_ratio: float | None
    """The same over all planned trials: one that broke has passed nothing."""
    strict_interval: tuple[float, float] | None
    clean_interval: tuple[float, float] | None
    """Of the rate without the fault, over cases."""
    faulted_interval: tuple[float, float] | None
    cases: int
    clean_coverage: float
    """Share of the planned trials with a value, without the fault."""
    faulted_coverage: float
    detectable: float | None = None
    """The difference of both rates that so many cases show with a chance of 80 %."""
    needed_cases: int | None = None
    """How many cases show the smallest difference worth finding."""
    is_bound: bool = False
    """Whether both are the most that is left possible where no case, or hardly one, differs."""


def fault_words(fault: Mapping[str, Any]) -> str:
    """Return one fault in words.

    >>> fault_words({"channel": "search", "host": "a.example", "kind": "status", "status": 503})
    'search a.example: status 503'
    """
    where = " ".join(str(fault[k]) for k in ("channel", "host", "path") if fault.get(k))
    what = f"status {fault['status']}" if fault.get("status") else str(fault.get("kind"))
    rest = [
        f"{name} {fault[key]}"
        for key, name in (
            ("probability", "chance"),
            ("requests", "requests"),
            ("every", "every"),
            ("between_s", "seconds"),
            ("delay_s", "delay"),
        )
        if fault.get(key)
    ]
    return ", ".join((f"{where}: {what}", *rest))


def clean_twins(
    configurations: Iterable[ConfigurationSummary],
) -> list[tuple[ConfigurationSummary, ConfigurationSummary]]:
    """Return each configuration with faults behind the one that differs from it in nothing else."""
    every = list(configurations)
    clean = [one for one in every if not one.settings.get("fault")]
    return [
        (twin, one)
        for one in every
        if one.settings.get("fault")
        for twin in clean
        if _without_fault(twin) == _without_fault(one)
    ]


def _without_fault(configuration: ConfigurationSummary) -> dict[str, Any]:
    return {k: v for k, v in configuration.settings.items() if k not in _APART}


def resilience(one: Side, other: Side, settings: CompareSettings) -> list[Resilience]:
    """Return what the fault of one of two sides costs; nothing if more than a fault differs.

    A measure that no trial without the fault has is left out.
    """
    with_fault = [side for side in (one, other) if side.configuration.settings.get("fault")]
    if len(with_fault) != 1:
        return []
    faulted = with_fault[0]
    clean = other if faulted is one else one
    if _without_fault(clean.configuration) != _without_fault(faulted.configuration):
        return []
    known = (name for name in settings.measures if clean.values(name))
    return [_measured(clean, faulted, name, settings) for name in known]


def _measured(clean: Side, faulted: Side, name: str, settings: CompareSettings) -> Resilience:
    confidence, measure = 1 - settings.alpha, clean.measure(name)
    ours, theirs = clean.case_means(name), faulted.case_means(name)
    shared = sorted(ours.keys() & theirs.keys())
    base, under = [ours[c] for c in shared], [theirs[c] for c in shared]
    found = paired_ratio(under, base, confidence)
    strict = paired_ratio(*_strict(faulted, clean, name), confidence)
    power = power_fields(clean, faulted, measure, settings, 1) if len(shared) > 1 else {}
    return Resilience(
        clean=clean.configuration.name,
        faulted=faulted.configuration.name,
        faults=tuple(fault_words(f) for f in faulted.configuration.settings["fault"]),
        measure=name,
        clean_rate=math.fsum(base) / len(base) if base else None,
        faulted_rate=math.fsum(under) / len(under) if under else None,
        ratio=found.value if found else None,
        interval=(max(0.0, found.low), found.high) if found else None,
        strict_ratio=strict.value if strict else None,
        strict_interval=(max(0.0, strict.low), strict.high) if strict else None,
        clean_interval=_over_cases(base, confidence, is_rate=measure.is_rate),
        faulted_interval=_over_cases(under, confidence, is_rate=measure.is_rate),
        cases=len(shared),
        clean_coverage=clean.summary(name).coverage,
        faulted_coverage=faulted.summary(name).coverage,
        **power,
    )


def _over_cases(
    means: Sequence[float], confidence: float, *, is_rate: bool
) -> tuple[float, float] | None:
    found = estimate([Cluster(m, 1.0) for m in means], is_rate=is_rate, level=confidence)
    return None if found is None or found.low == found.high else (found.low, found.high)


def _strict(faulted: Side, clean: Side, name: str) -> tuple[list[float], list[float]]:
    """Return what each case passed under the fault and without it, of all planned trials."""
    under, base = faulted.by_case(name), clean.by_case(name)
    cases = sorted(under.keys() | base.keys())
    return (
        [math.fsum(under.get(c, ())) / faulted.plan.trials for c in cases],
        [math.fsum(base.get(c, ())) / clean.plan.trials for c in cases],
    )
