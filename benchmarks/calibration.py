"""Do the intervals hold the truth, and do the tests cry wolf? Simulated experiments with known rates.

    python benchmarks/calibration.py                     200 experiments
    python benchmarks/calibration.py --experiments 2000  the same, with less chance in the answer

Each experiment has eight configurations. For each it draws the true rate of every case, then the
trials, and puts them through the same functions that reports and comparisons use. Exits 1 if a 95 % interval holds the truth in fewer than
93 % or more than 97 % of the experiments, or a test rejects a true null in more than 7 %.
An exact test of yes or no may reject more rarely than it is allowed to; so may McNemar's.
"""

import argparse
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from research_eval.stats import (
    Cluster,
    aa_flip_rates,
    cluster_bootstrap,
    clustered_mean,
    clustered_wilson,
    mcnemar,
    newcombe,
    paired_bootstrap,
    paired_difference,
    paired_permutation,
    paired_ratio,
    wilson,
)

RATES = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85)
"""True rates of the configurations of an experiment."""
CASES = 60
TRIALS = 4
EFFECT = 0.1
ALPHA = 0.05
DRAWS = 1000
SPREAD = 3.0
"""Of the cases' rates around the true rate: the parameters of their beta distribution add to it."""


class Column(NamedTuple):
    """A configuration, a twin with the same true rates on the same cases, and a better one."""

    rate: float
    effect: float
    ours: list[list[int]]
    twin: list[list[int]]
    better: list[list[int]]
    strangers: list[int]
    """One trial a case, of other cases."""


def simulate(number: int, seed: int) -> list[Column]:
    """Return the columns of one experiment."""
    return [_column(rate, random.Random(f"{seed}-{number}-{rate}")) for rate in RATES]


def _column(rate: float, rng: random.Random) -> Column:
    case_rates = [rng.betavariate(SPREAD * rate, SPREAD * (1 - rate)) for _ in range(CASES)]
    lift = EFFECT / (1 - rate)  # moves every case by this share of what it lacks

    def trials(rates: Sequence[float]) -> list[list[int]]:
        return [[int(rng.random() < p) for _ in range(TRIALS)] for p in rates]

    return Column(
        rate=rate,
        effect=EFFECT,
        ours=trials(case_rates),
        twin=trials(case_rates),
        better=trials([p + lift * (1 - p) for p in case_rates]),
        strangers=[
            int(rng.random() < rng.betavariate(SPREAD * rate, SPREAD * (1 - rate)))
            for _ in range(CASES)
        ],
    )


def means(rows: Sequence[Sequence[int]]) -> list[float]:
    return [sum(row) / len(row) for row in rows]


def clusters(rows: Sequence[Sequence[int]]) -> list[Cluster]:
    return [Cluster(float(sum(row)), float(len(row))) for row in rows]


def holds(low: float, high: float, truth: float) -> bool:
    return low <= truth <= high


def _wilson(e: Column, seed: int) -> bool:
    del seed
    return holds(*wilson(sum(row[0] for row in e.ours), CASES), e.rate)


def _clustered(e: Column, seed: int) -> bool:
    del seed
    estimate = clustered_mean(clusters(e.ours))
    return estimate is not None and holds(estimate.low, estimate.high, e.rate)


def _clustered_wilson(e: Column, seed: int) -> bool:
    del seed
    return holds(*clustered_wilson(clusters(e.ours)), e.rate)


def _bootstrap(e: Column, seed: int) -> bool:
    estimate = cluster_bootstrap(clusters(e.ours), seed=seed, draws=DRAWS)
    return estimate is not None and holds(estimate.low, estimate.high, e.rate)


def _newcombe(e: Column, seed: int) -> bool:
    del seed
    first = sum(row[0] for row in e.ours)
    estimate = newcombe(first, CASES, sum(e.strangers), CASES)
    return holds(estimate.low, estimate.high, 0.0)


def _paired(e: Column, seed: int) -> bool:
    del seed
    gap = paired_difference(means(e.better), means(e.ours))
    return holds(gap.low, gap.high, e.effect)


def _paired_bootstrap(e: Column, seed: int) -> bool:
    gaps = [x - y for x, y in zip(means(e.better), means(e.ours), strict=True)]
    estimate = paired_bootstrap(gaps, seed=seed, draws=DRAWS)
    return estimate is not None and holds(estimate.low, estimate.high, e.effect)


def _paired_ratio(e: Column, seed: int) -> bool:
    del seed
    found = paired_ratio(means(e.ours), means(e.better))
    return found is not None and holds(found.low, found.high, e.rate / (e.rate + e.effect))


def _permutation(e: Column, seed: int) -> bool:
    gaps = [x - y for x, y in zip(means(e.ours), means(e.twin), strict=True)]
    return paired_permutation(gaps, seed=seed) <= ALPHA


def _t_test(e: Column, seed: int) -> bool:
    del seed
    gap = paired_difference(means(e.ours), means(e.twin))
    return not holds(gap.low, gap.high, 0.0)


def _discordant(e: Column) -> tuple[int, int]:
    pairs = [(x[0], y[0]) for x, y in zip(e.ours, e.twin, strict=True)]
    return sum(x > y for x, y in pairs), sum(y > x for x, y in pairs)


def _mid_p(e: Column, seed: int) -> bool:
    del seed
    return mcnemar(*_discordant(e)).mid_p <= ALPHA


def _exact_p(e: Column, seed: int) -> bool:
    del seed
    return mcnemar(*_discordant(e)).exact_p <= ALPHA


def _power(e: Column, seed: int) -> bool:
    gaps = [x - y for x, y in zip(means(e.better), means(e.ours), strict=True)]
    return paired_permutation(gaps, seed=seed) <= ALPHA


Look = Callable[[Column, int], bool]
INTERVALS: dict[str, Look] = {
    "Wilson, one trial a case": _wilson,
    "clustered t, all trials": _clustered,
    "Wilson over effective trials, all trials": _clustered_wilson,
    "cluster bootstrap (BCa), all trials": _bootstrap,
    "Newcombe, different cases": _newcombe,
    "paired t, true difference 0.1": _paired,
    "paired bootstrap (BCa), true difference 0.1": _paired_bootstrap,
    "paired ratio, true difference 0.1": _paired_ratio,
}
NULLS: dict[str, Look] = {
    "paired permutation": _permutation,
    "paired t": _t_test,
    "McNemar mid-p, one trial a case": _mid_p,
    "McNemar exact, one trial a case": _exact_p,
}


def share(columns: Sequence[Column], look: Look) -> tuple[float, float, float]:
    hits = sum(look(e, number) for number, e in enumerate(columns))
    low, high = wilson(hits, len(columns))
    return hits / len(columns), low, high


def rows(columns: Sequence[Column]) -> Iterator[tuple[str, str, float, bool]]:
    """Yield what is printed of each check, its share, and whether it is as it should be."""
    for name, look in INTERVALS.items():
        value, low, high = share(columns, look)
        text = f"{value:.3f} [{low:.3f}, {high:.3f}]"
        yield f"holds the truth: {name}", text, value, 0.93 <= value <= 0.97
    for name, look in NULLS.items():
        value, low, high = share(columns, look)
        text = f"{value:.3f} [{low:.3f}, {high:.3f}]"
        yield f"rejects a true null: {name}", text, value, value <= 0.07
    value, low, high = share(columns, _power)
    yield (
        "finds a difference of 0.1 (permutation)",
        f"{value:.3f} [{low:.3f}, {high:.3f}]",
        value,
        True,
    )


def self_comparison(columns: Sequence[Column]) -> float:
    """Return how often the A/A mode finds a difference, over the first columns."""
    found = [aa_flip_rates(e.ours, seed=n, splits=25) for n, e in enumerate(columns[:160])]
    return sum(rates.false_alarms for rates in found if rates) / len(found)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--experiments", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20260101)
    options = parser.parse_args(arguments)
    columns = [c for n in range(options.experiments) for c in simulate(n, options.seed)]
    print(
        f"{options.experiments} experiments, {len(RATES)} configurations with true rates"
        f" {RATES[0]} to {RATES[-1]}, {CASES} cases, {TRIALS} trials a case"
    )
    is_fine = True
    for name, text, _, fine in rows(columns):
        print(f"  {name:58} {text}{'' if fine else '   OUT OF RANGE'}")
        is_fine = is_fine and fine
    alarms = self_comparison(columns)
    fine = alarms <= 0.07
    print(f"  {'A/A mode finds a difference':58} {alarms:.3f}{'' if fine else '   OUT OF RANGE'}")
    return 0 if is_fine and fine else 1


if __name__ == "__main__":
    sys.exit(main())
