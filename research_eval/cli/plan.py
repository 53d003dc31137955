"""`research-eval plan`: what a number of cases can show, and how many a difference needs."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from research_eval.cli.number import ALPHA, Number
from research_eval.errors import UsageError

if TYPE_CHECKING:
    from research_eval.scorer.compare import Side

__all__ = ["plan"]

LEAST = 1e-6
"""The smallest difference that cases are counted for."""
MOST = 10**9
"""Cases, trials and comparisons that anybody may plan."""


class Assumed(NamedTuple):
    """What is taken for granted of two configurations before they run."""

    rate: float | None
    """The rate of the first, for intervals; `None` of a measure that is no rate."""
    between: float
    """Variance, over cases, of the true differences."""
    within: float
    """Mean variance of the trials of one case, of one configuration."""
    origin: str
    note: str = ""
    """What a pilot cannot tell."""
    is_bound: bool = False
    """Whether the variances are the largest that the pilot leaves possible."""
    cases: int | None = None
    """Cases of the pilot, for a plan that names none."""
    trials: int | None = None
    """Trials a case of the pilot."""


@click.command()
@click.argument("experiment", type=click.Path(path_type=Path), required=False)
@click.option(
    "--cases",
    type=click.IntRange(2, MOST),
    help="Cases; default: those of EXPERIMENT, or of the run of --from, or 50.",
)
@click.option(
    "--trials",
    type=click.IntRange(1, MOST),
    help="Trials a case; default: those of EXPERIMENT, or of the run of --from, or 1.",
)
@click.option(
    "--difference",
    type=Number(LEAST, MOST),
    default=0.1,
    show_default=True,
    help="The smallest difference worth finding; of rates, below 1.",
)
@click.option(
    "--rate", type=Number(0, 1, True, True), default=0.7, show_default=True,
    help="The rate that is expected.",
)  # fmt: skip
@click.option(
    "--between-share",
    type=Number(0, 1),
    default=0.5,
    show_default=True,
    help="Share of the variance that lies between cases, not between trials of one.",
)
@click.option(
    "--correlation",
    type=Number(0, 1),
    default=0.5,
    show_default=True,
    help="How alike the two configurations' rates are, case by case.",
)
@click.option(
    "--from", "pilot", type=click.Path(path_type=Path), help="Measure the variances in this run."
)
@click.option(
    "--configuration", "names", multiple=True, metavar="NAME", help="With --from: the two to take."
)
@click.option(
    "--measure", default="final_passed", show_default=True, help="With --from: the measure."
)
@click.option(
    "--comparisons",
    type=click.IntRange(1, MOST),
    help="Comparisons made together; default: one less than EXPERIMENT has configurations, or 1.",
)
@click.option(
    "--alpha",
    type=ALPHA,
    default=0.05,
    show_default=True,
    help="Chance of seeing a difference where there is none.",
)
@click.option(
    "--power",
    type=ALPHA,
    default=0.8,
    show_default=True,
    help="Chance of seeing a difference that is there.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def plan(
    experiment: Path | None,
    cases: int | None,
    trials: int | None,
    difference: float,
    rate: float,
    between_share: float,
    correlation: float,
    pilot: Path | None,
    names: tuple[str, ...],
    measure: str,
    comparisons: int | None,
    alpha: float,
    power: float,
    as_json: bool,
) -> int:
    """Say which difference the planned cases can show, and how many cases a difference needs.

    Runs nothing. EXPERIMENT, a TOML file, gives the number of cases, trials and configurations.
    """
    if names and not pilot:
        raise UsageError("--configuration names two of the run that --from measures")
    if experiment is not None:
        planned = _planned(experiment)
        cases, trials = cases or planned[0], trials or planned[1]
        comparisons = comparisons or max(1, planned[2] - 1)
    assumed = (
        _measured(pilot, names, measure) if pilot else _guessed(rate, between_share, correlation)
    )
    if assumed.rate is not None and difference >= 1:
        raise UsageError(f"--difference: two rates differ by less than 1, not by {difference:g}")
    rows = _rows(
        assumed,
        cases=cases or assumed.cases or 50,
        trials=trials or assumed.trials or 1,
        difference=difference,
        alpha=alpha / (comparisons or 1),
        power=power,
    )
    _show(assumed, rows, comparisons or 1, as_json=as_json)
    return 0


def _planned(path: Path) -> tuple[int, int, int]:
    from research_eval.dataset import load_cases
    from research_eval.experiment import load_experiment

    experiment = load_experiment(path)
    settings = experiment.settings
    return len(load_cases(experiment.dataset_path)), settings.trials, len(settings.configuration)


def _guessed(rate: float, between_share: float, correlation: float) -> Assumed:
    variance = rate * (1 - rate)
    between = 2 * between_share * variance * (1 - correlation)
    origin = f"rate {rate:g}, share between cases {between_share:g}, correlation {correlation:g}: assumed"
    return Assumed(rate, between, (1 - between_share) * variance, origin)


def _measured(pilot: Path, names: tuple[str, ...], measure: str) -> Assumed:
    """Take the variances from an earlier run of two configurations.

    Raises:
        UsageError: If two configurations, or two cases that both have, are not there.
    """
    from research_eval.journal import RunFolder
    from research_eval.scorer.compare import collect
    from research_eval.scorer.measure import merged

    if len(names) > 2:
        raise UsageError(f"--configuration: {len(names)} names; expected the two to take")
    sides = collect(RunFolder(pilot), names or None, (measure,))[:2]
    if len(sides) < 2:
        raise UsageError(f"{pilot}: one configuration alone; a difference needs two")
    a, b = (side.by_case(measure) for side in sides)
    shared = sorted(a.keys() & b.keys())
    if len(shared) < 2:
        raise UsageError(f"{pilot}: fewer than two cases have {measure!r} in both configurations")
    within = sum(_within(side, shared, measure) for side in sides) / 2
    gaps = [_mean(a[c]) - _mean(b[c]) for c in shared]
    noise = within * (sum(1 / len(a[c]) + 1 / len(b[c]) for c in shared) / len(shared))
    centre = _mean(gaps)
    spread = sum((g - centre) ** 2 for g in gaps) / (len(gaps) - 1)
    is_rate = merged(side.kinds for side in sides).of(measure).is_rate
    rate = _mean([_mean(a[c]) for c in shared]) if is_rate else None
    size = (len(sides[0].plan.case_ids), sides[0].plan.trials)
    origin = (
        f"measured on {measure} of {sides[0].configuration.name} and {sides[1].configuration.name},"
        f" {len(shared)} cases"
    )
    if spread == 0 and within == 0:
        if rate is None:
            raise UsageError(f"{pilot}: {measure!r} is the same everywhere: no spread to plan with")
        return _bounded(rate, len(shared), origin)._replace(cases=size[0], trials=size[1])
    note = ""
    if all(len(side[c]) == 1 for side in (a, b) for c in shared):
        note = (
            "one trial a case: the pilot cannot tell the spread of trials from that of cases,"
            " so that more trials may help more than the table says"
        )
    between = max(0.0, spread - noise)
    return Assumed(rate, between, within, origin, note, cases=size[0], trials=size[1])


def _bounded(rate: float, cases: int, origin: str) -> Assumed:
    """Take the largest variance that a pilot without any leaves possible.

    A case on which the two differ was never seen, which bounds the share of such cases; differences
    between -1 and 1 on that share of the cases have at most that variance.
    """
    from research_eval.stats import zero_events_upper

    share = zero_events_upper(cases)
    note = (
        f"no case of this pilot tells the two apart, so that no variance can be measured; up to"
        f" {share:.3f} of all cases may still differ (95 % bound of an event never seen in"
        f" {cases}): the figures below are the largest that this leaves possible"
    )
    return Assumed(rate, share, 0.0, origin, note, is_bound=True)


def _within(side: "Side", cases: list[str], measure: str) -> float:
    values = side.by_case(measure)
    repeated = [values[c] for c in cases if len(values[c]) > 1]
    if not repeated:
        return 0.0
    return sum(
        sum((v - _mean(trials)) ** 2 for v in trials) / (len(trials) - 1) for trials in repeated
    ) / len(repeated)


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


def _rows(
    assumed: Assumed, *, cases: int, trials: int, difference: float, alpha: float, power: float
) -> dict[str, float]:
    from research_eval.stats import detectable_difference, needed_cases

    found: dict[str, float] = {
        "cases": cases,
        "trials": trials,
        "alpha": alpha,
        "power": power,
        "difference": difference,
    }
    for count in sorted({1, trials, 3, 5, 10}):
        variance = assumed.between + 2 * assumed.within / count
        found[f"detectable_at_{count}"] = max(
            0.0, detectable_difference(cases, between=variance, alpha=alpha, power=power)
        )
        found[f"needed_at_{count}"] = max(
            1, math.ceil(needed_cases(difference, between=variance, alpha=alpha, power=power))
        )
    if assumed.rate is not None:
        found |= _of_rates(assumed, assumed.rate, cases, difference, (alpha, power))
    return found


def _of_rates(
    assumed: Assumed, rate: float, cases: int, difference: float, errors: tuple[float, float]
) -> dict[str, float]:
    """Return what only rates have: an interval, and the cases that two other tests need."""
    from research_eval.stats import independent_n, mcnemar_pairs, wilson

    alpha, power = errors
    interval = wilson(min(cases, rate * cases), cases)
    # cases on which the two differ are at least as many as the difference of their rates
    discordant = max(difference, min(1.0, assumed.between + 2 * assumed.within + difference**2))
    pairs = mcnemar_pairs(discordant, difference, alpha=alpha, power=power)
    found: dict[str, float] = {
        "rate_low": interval.low,
        "rate_high": interval.high,
        "mcnemar_pairs": math.ceil(pairs),
    }
    other = rate - difference if rate > difference else rate + difference
    if other <= 1:
        each = independent_n(rate, other, alpha=alpha, power=power)
        found |= {"unpaired_rate": other, "unpaired_cases_each": max(1, math.ceil(each))}
    return found


def _show(assumed: Assumed, rows: dict[str, float], comparisons: int, *, as_json: bool) -> None:
    if as_json:
        import json

        click.echo(json.dumps({**assumed._asdict(), **rows, "comparisons": comparisons}))
        return
    _show_assumed(assumed, rows, comparisons)
    most = "at most " if assumed.is_bound else ""
    click.echo(
        f"\n{'trials a case':>13}  {'detectable difference':>21}"
        f"  cases that show a difference of {rows['difference']:g}"
    )
    for name, value in rows.items():
        if name.startswith("detectable_at_"):
            count = name.removeprefix("detectable_at_")
            mark = "  (planned)" if count == f"{rows['trials']:.0f}" else ""
            needed = rows[f"needed_at_{count}"]
            shown = f"{most}{value:.3f}"
            click.echo(f"{count:>13}  {shown:>21}  {most}{needed:.0f}{mark}")
    click.echo(
        f"Detectable: shown with a chance of {rows['power']:.0%} by {rows['cases']:.0f} cases;"
        " smaller differences can stay hidden."
    )
    if "mcnemar_pairs" in rows:
        click.echo(
            f"With one trial a case McNemar's test needs {most}{rows['mcnemar_pairs']:.0f} cases for"
            f" {rows['difference']:g}."
        )
    if "unpaired_cases_each" in rows:
        click.echo(
            f"On different cases a rate of {rows['unpaired_rate']:.3f} is told from"
            f" {assumed.rate:.3f} by {rows['unpaired_cases_each']:.0f} cases each."
        )


def _show_assumed(assumed: Assumed, rows: dict[str, float], comparisons: int) -> None:
    click.echo(assumed.origin)
    if assumed.note:
        click.echo(f"note: {assumed.note}")
    click.echo(
        f"variance of case-wise differences {assumed.between:.4f}, of one case's trials"
        f" {assumed.within:.4f}"
    )
    what = "1 comparison" if comparisons == 1 else f"{comparisons} comparisons"
    click.echo(f"two-sided alpha {rows['alpha']:.4g} ({what}), power {rows['power']:g}")
    if assumed.rate is None:
        return
    click.echo(
        f"a rate of {assumed.rate:.3f} over {rows['cases']:.0f} cases, one trial each:"
        f" 95 % interval {rows['rate_low']:.3f} to {rows['rate_high']:.3f}"
    )
