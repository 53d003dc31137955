"""More than two sides at once: every pair with one correction, and how much several runs differ."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from research_eval.analysis.side import Side
from research_eval.schema import Record
from research_eval.stats.day import run_variation
from research_eval.stats.paired import holm, paired_difference, paired_permutation

__all__ = ["PairOutput", "RunsOutput", "every_pair", "runs_vary"]

FEW_RUNS = 3
"""So many runs of one configuration show how much runs differ."""


class PairOutput(Record):
    """The difference of two of several configurations."""

    measure: str
    base: str
    head: str
    difference: float
    """Head minus base, over the cases that both have."""
    interval: tuple[float, float]
    """By Student's t over cases, for this pair alone."""
    p: float
    """Of the paired permutation test, after Holm's correction over all pairs."""
    cases: int


class RunsOutput(Record):
    """How much several runs of one configuration differ, for instance from day to day."""

    measure: str
    configuration: str
    values: Mapping[str, float]
    """The mean of each run, over the cases that all have."""
    cases: int
    sd: float
    """Standard deviation between runs, beyond what cases do by chance."""
    interval: tuple[float, float]
    p: float
    """Of the test that the runs do not differ at all."""


def every_pair(
    sides: Sequence[Side], measures: Sequence[str], *, alpha: float, seed: int
) -> list[PairOutput]:
    """Return the difference of every pair of sides, with p values corrected over all pairs."""
    found = []
    for name in measures:
        means = [(side.configuration.name, side.case_means(name)) for side in sides]
        pairs = []
        for (base, ours), (head, theirs) in combinations(means, 2):
            shared = sorted(ours.keys() & theirs.keys())
            if len(shared) < 2:
                continue
            a, b = [theirs[case] for case in shared], [ours[case] for case in shared]
            gap = paired_difference(a, b, 1 - alpha)
            p = paired_permutation([x - y for x, y in zip(a, b, strict=True)], seed=seed)
            pairs.append(
                PairOutput(
                    measure=name,
                    base=base,
                    head=head,
                    difference=gap.value,
                    interval=(gap.low, gap.high),
                    p=p,
                    cases=gap.n,
                )
            )
        adjusted = holm([one.p for one in pairs])
        found += [one.model_copy(update={"p": p}) for one, p in zip(pairs, adjusted, strict=True)]
    return found


def runs_vary(sides: Sequence[Side], measures: Sequence[str], *, alpha: float) -> list[RunsOutput]:
    """Return how much runs of one configuration differ; nothing where there are fewer than three."""
    found = []
    for name in measures:
        means = [side.case_means(name) for side in sides]
        shared = sorted(set.intersection(*map(set, means))) if means else []
        if len(sides) < FEW_RUNS or len(shared) < 2:
            continue
        table = [[one[case] for case in shared] for one in means]
        spread = run_variation(table, 1 - alpha)
        values = {
            side.run.name: sum(row) / len(row) for side, row in zip(sides, table, strict=True)
        }
        found.append(
            RunsOutput(
                measure=name,
                configuration=sides[0].configuration.name,
                values=values,
                cases=len(shared),
                sd=spread.sd,
                interval=spread.interval,
                p=spread.p,
            )
        )
    return found
