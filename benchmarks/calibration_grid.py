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
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from research_eval.analysis.difference import gap_interval
from research_eval.stats import (
    Cluster,
    clustered_interval,
    detectable_difference,
    holm,
    paired_permutation,
    rank_intervals,
)
from research_eval.stats.day import run_variation

CASES = (10, 30, 60, 120, 240)
TRIALS = (1, 3)
RATES = (0.5, 0.65, 0.8)
MANY_CASES = (10, 30, 60, 120)
SPREAD = 3.0
"""The parameters of the cases' beta distribution add to it."""
ALPHA = 0.05
FIRST = 30
"""Smaller numbers of cases are printed and ruled on by nobody."""


Counts = npt.NDArray[np.int64]


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
    for _ in range(draws):
        rates = rng.beta(SPREAD * rate, SPREAD * (1 - rate), cases)
        ours, twin = rng.binomial(trials, rates), rng.binomial(trials, rates)
        better = rng.binomial(trials, moved(rates, rate, lift))
        bounds = clustered_interval([Cluster(float(k), trials) for k in ours], is_rate=True)
        held += bounds is not None and bounds.low <= rate <= bounds.high
        a, c = ((one / trials).tolist() for one in (ours, better))
        low, high = gap_interval(a, c, 1 - ALPHA, is_rate=True)
        gaps += low <= lift <= high
        alarms += p_value(ours, twin, trials) <= ALPHA
        found += p_value(ours, better, trials) <= ALPHA
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


def p_value(a: Counts, b: Counts, trials: int) -> float:
    """Return the product's p value, asked once for draws that have the same differences.

    The test is exact here: it depends on nothing but how many differences of each size there are, and
    on their sum.
    """
    steps = b.astype(np.int64) - a
    sizes = np.bincount(np.abs(steps), minlength=trials + 1)[1:].tolist()
    return _exact_p(tuple(sizes), abs(int(steps.sum())), trials)


@lru_cache(maxsize=200_000)
def _exact_p(sizes: tuple[int, ...], total: int, trials: int) -> float:
    steps, left = [], sum((k + 1) * n for k, n in enumerate(sizes)) - total
    for size in range(len(sizes), 0, -1):
        for _ in range(sizes[size - 1]):
            is_down = 2 * size <= left
            left -= 2 * size * is_down
            steps.append(-size if is_down else size)
    if left:  # no choice of signs by size alone gives the sum; draws of it are rare
        steps = _signed(sizes, total)
    return paired_permutation([step / trials for step in steps], seed=1)


def _signed(sizes: tuple[int, ...], total: int) -> list[int]:
    """Return differences of these sizes whose sum is `total`, by looking at every split."""
    splits = [range(n + 1) for n in sizes]
    for downs in product(*splits):
        if (
            sum((k + 1) * (n - 2 * d) for k, (n, d) in enumerate(zip(sizes, downs, strict=True)))
            == total
        ):
            parts = zip(sizes, downs, strict=True)
            return [s for k, (n, d) in enumerate(parts) for s in [k + 1] * (n - d) + [-k - 1] * d]
    raise ValueError(f"no differences of sizes {sizes} have the sum {total}")


MODELS = 6
RANK_DRAWS = 400
"""Of the bootstrap of ranks here; commands and reports draw 10,000."""


class Many(NamedTuple):
    """What came of comparing many models: of draws, or of models in all draws."""

    cases: int
    false_alarms: float
    """Draws in which any pair of equal models was called different, after Holm over all pairs."""
    rank_coverage: float
    """Models, all different, whose true rank lies within the interval of their rank."""
    days_coverage: float
    """Draws in which the interval of the standard deviation between days holds the true one."""
    days_alarms: float
    """Draws without any variation between days in which one was called shown."""


def simulate_many(cases: int, draws: int, seed: int) -> Many:
    """Return what comes of so many comparisons of several models, and of several days."""
    rng = np.random.default_rng((seed, cases, MODELS))
    pairs = list(combinations(range(MODELS), 2))
    alarms = ranked = held = days = 0
    for number in range(draws):
        rates = rng.beta(SPREAD * 0.6, SPREAD * 0.4, cases)
        same = rng.binomial(1, np.tile(rates, (MODELS, 1)))
        alarms += min(holm([p_value(same[i], same[j], 1) for i, j in pairs])) <= ALPHA
        apart = [moved(rates, 0.6, 0.05 * place) for place in range(MODELS)]
        values = {str(m): rng.binomial(3, rate) / 3.0 for m, rate in enumerate(apart)}
        found = rank_intervals(values, seed=number, draws=RANK_DRAWS)
        ranked += sum(one.low <= MODELS - int(m) <= one.high for m, one in found.items())
        base = rng.normal(0.6, 0.2, cases)
        noise = base + rng.normal(0, 0.3, (DAYS, cases))
        days += run_variation(noise.tolist()).p <= ALPHA
        varied = noise + rng.normal(0, DAY_SD, (DAYS, 1))
        bounds = run_variation(varied.tolist()).interval
        held += bounds[0] <= DAY_SD <= bounds[1]
    return Many(cases, alarms / draws, ranked / draws / MODELS, held / draws, days / draws)


DAYS, DAY_SD = 4, 0.05


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
    print("\nsix models; four days\ncases  any false pair  rank in CI  days in CI  false days")
    for cases in MANY_CASES:
        many = simulate_many(cases, options.draws, options.seed)
        print(
            f"{cases:>5}  {many.false_alarms:>14.3f}  {many.rank_coverage:>10.3f}"
            f"  {many.days_coverage:>10.3f}  {many.days_alarms:>10.3f}",
            flush=True,
        )
        slack = 3 * math.sqrt(0.05 * 0.95 / options.draws)
        if cases >= FIRST:
            is_fine = is_fine and many.false_alarms <= 0.05 + slack
            is_fine = is_fine and many.rank_coverage >= 0.93 - slack
            is_fine = is_fine and many.days_alarms <= 0.05 + slack
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
