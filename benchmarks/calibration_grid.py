"""Coverage, false alarms and promised power over a grid of cases, trials and rates, by simulation.

    python benchmarks/calibration_grid.py                 500 draws a cell
    python benchmarks/calibration_grid.py --draws 5000    what is published

Each draw has true rates case by case (a beta distribution around the rate), a second configuration with
the same rates, and a third that is better by the difference which `detectable_difference` promises to
show with a chance of 80 %. All go through the functions that commands and reports use. From 30 cases on
it exits 1 where an interval holds the truth in less than 93 or more than 97 % of the draws, the test
rejects a true null in more than 5 %, or the promised 80 % are not within 77 and 83 %, each beyond what
chance does to so many draws.
"""

import argparse
import math
import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from research_eval.analysis.difference import gap_interval
from research_eval.stats import (
    Cluster,
    clustered_interval,
    detectable_difference,
    paired_permutation,
)

CASES = (10, 30, 60, 120, 240)
TRIALS = (1, 3)
RATES = (0.5, 0.65, 0.8)
SPREAD = 3.0
"""The parameters of the cases' beta distribution add to it."""
ALPHA = 0.05
FIRST = 30
"""Smaller numbers of cases are printed and ruled on by nobody."""


class Cell(NamedTuple):
    """What came of one cell of the grid."""

    cases: int
    trials: int
    rate: float
    rate_coverage: float
    gap_coverage: float
    false_alarms: float
    power: float
    difference: float


def simulate(cases: int, trials: int, rate: float, draws: int, seed: int) -> Cell:
    """Return what comes of so many experiments of one kind."""
    rng = np.random.default_rng((seed, cases, trials, int(rate * 100)))
    lift = promised(cases, trials, rate, rng)
    held = found = gaps = alarms = 0
    for number in range(draws):
        rates = rng.beta(SPREAD * rate, SPREAD * (1 - rate), cases)
        ours, twin = rng.binomial(trials, rates), rng.binomial(trials, rates)
        better = rng.binomial(trials, moved(rates, rate, lift))
        bounds = clustered_interval([Cluster(float(k), trials) for k in ours], is_rate=True)
        held += bounds is not None and bounds.low <= rate <= bounds.high
        a, b, c = ((one / trials).tolist() for one in (ours, twin, better))
        low, high = gap_interval(a, c, 1 - ALPHA, is_rate=True)
        gaps += low <= lift <= high
        alarms += rejects(a, b, number)
        found += rejects(a, c, number)
    shares = (held / draws, gaps / draws, alarms / draws, found / draws)
    return Cell(cases, trials, rate, *shares, lift)


def moved(rates: npt.NDArray[np.float64], rate: float, lift: float) -> npt.NDArray[np.float64]:
    """Return rates that are higher by `lift` on average: every case gains this share of its lack."""
    return rates + lift / (1 - rate) * (1 - rates)


def promised(cases: int, trials: int, rate: float, rng: np.random.Generator) -> float:
    """Return the difference that so many cases are said to show, by the variance that it has itself."""
    lift = min(0.2, (1 - rate) / 2)
    rates = rng.beta(SPREAD * rate, SPREAD * (1 - rate), 200_000)
    for _ in range(8):
        better = rng.binomial(trials, moved(rates, rate, lift))
        variance = float(((better - rng.binomial(trials, rates)) / trials).var())
        shown = detectable_difference(cases, variance, step=1 / trials)
        lift = min(shown if shown is not None else 1.0, 0.999 * (1 - rate))
    return lift


def rejects(a: Sequence[float], b: Sequence[float], seed: int) -> bool:
    return paired_permutation([y - x for x, y in zip(a, b, strict=True)], seed=seed) <= ALPHA


def problems(cell: Cell, draws: int) -> list[str]:
    """Return what lies out of range, beyond three standard errors of so many draws."""
    if cell.cases < FIRST:
        return []
    found = []
    for what, value, low, high in (
        ("rate", cell.rate_coverage, 0.93, 0.97),
        ("difference", cell.gap_coverage, 0.93, 0.97),
        ("alarms", cell.false_alarms, 0.0, 0.05),
        ("power", cell.power, 0.77, 0.83),
    ):
        slack = 3 * math.sqrt(0.05 * 0.95 / draws)
        if what in {"power", "difference"} and cell.difference > 0.95 * (1 - cell.rate):
            continue  # no rate can be so much better
        if not low - slack <= value <= high + slack:
            found.append(what)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one row a cell."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--seed", type=int, default=20260101)
    options = parser.parse_args(arguments)
    print("cases trials rate  rate in CI  difference in CI  false alarms  difference  power")
    is_fine = True
    for cases in CASES:
        for trials in TRIALS:
            for rate in RATES:
                cell = simulate(cases, trials, rate, options.draws, options.seed)
                wrong = problems(cell, options.draws)
                is_fine = is_fine and not wrong
                print(
                    f"{cases:>5} {trials:>6} {rate:>4}  {cell.rate_coverage:>10.3f}"
                    f"  {cell.gap_coverage:>16.3f}  {cell.false_alarms:>12.3f}"
                    f"  {cell.difference:>10.3f}  {cell.power:>5.3f}"
                    f"{'  OUT OF RANGE: ' + ', '.join(wrong) if wrong else ''}",
                    flush=True,
                )
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
