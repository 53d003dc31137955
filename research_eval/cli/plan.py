"""`research-eval plan`: what a number of cases can show, and how many a difference needs."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from research_eval.errors import UsageError

if TYPE_CHECKING:
    from research_eval.scorer.compare import Side

__all__ = ["plan"]


class Assumed(NamedTuple):
    """What is taken for granted of two configurations before they run."""

    rate: float
    """The rate of the first, for intervals."""
    between: float
    """Variance, over cases, of the true differences."""
    within: float
    """Mean variance of the trials of one case, of one configuration."""
    origin: str


@click.command()
@click.argument("experiment", type=click.Path(path_type=Path), required=False)
@click.option("--cases", type=click.IntRange(2), help="Cases; default: those of EXPERIMENT, or 50.")
@click.option(
    "--trials", type=click.IntRange(1), help="Trials a case; default: those of EXPERIMENT, or 1."
)
@click.option(
    "--difference",
    type=click.FloatRange(0, 1, True, True),
    default=0.1,
    show_default=True,
    help="The smallest difference worth finding.",
)
@click.option(
    "--rate", type=click.FloatRange(0, 1, True, True), default=0.7, show_default=True,
    help="The rate that is expected.",
)  # fmt: skip
@click.option(
    "--between-share",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Share of the variance that lies between cases, not between trials of one.",
)
@click.option(
    "--correlation",
    type=click.FloatRange(0, 1),
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
    type=click.IntRange(1),
    help="Comparisons made together; default: one less than EXPERIMENT has configurations, or 1.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, True, True),
    default=0.05,
    show_default=True,
    help="Chance of seeing a difference where there is none.",
)
@click.option(
    "--power",
    type=click.FloatRange(0, 1, True, True),
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
    if experiment is not None:
        planned = _planned(experiment)
        cases, trials = cases or planned[0], trials or planned[1]
        comparisons = comparisons or max(1, planned[2] - 1)
    assumed = (
        _measured(pilot, names, measure) if pilot else _guessed(rate, between_share, correlation)
    )
    rows = _rows(
        assumed,
        cases=cases or 50,
        trials=trials or 1,
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
    """Take the variances from an earlier run of two configurations."""
    from research_eval.journal import RunFolder
    from research_eval.scorer.compare import collect

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
    rate = _mean([_mean(a[c]) for c in shared])
    origin = (
        f"measured on {measure} of {sides[0].configuration.name} and {sides[1].configuration.name},"
        f" {len(shared)} cases"
    )
    return Assumed(rate, max(0.0, spread - noise), within, origin)


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
    from research_eval.stats import detectable_difference, needed_cases, wilson

    interval = wilson(assumed.rate * cases, cases)
    found: dict[str, float] = {
        "cases": cases,
        "trials": trials,
        "alpha": alpha,
        "power": power,
        "rate_low": interval.low,
        "rate_high": interval.high,
        "difference": difference,
    }
    for count in sorted({1, trials, 3, 5, 10}):
        variance = assumed.between + 2 * assumed.within / count
        found[f"detectable_at_{count}"] = detectable_difference(
            cases, between=variance, alpha=alpha, power=power
        )
        found[f"needed_at_{count}"] = math.ceil(
            needed_cases(difference, between=variance, alpha=alpha, power=power)
        )
    return found


def _show(assumed: Assumed, rows: dict[str, float], comparisons: int, *, as_json: bool) -> None:
    if as_json:
        import json

        click.echo(json.dumps({**assumed._asdict(), **rows, "comparisons": comparisons}))
        return
    click.echo(f"{assumed.origin}")
    click.echo(
        f"variance of case-wise differences {assumed.between:.4f}, of one case's trials"
        f" {assumed.within:.4f}"
    )
    click.echo(
        f"two-sided alpha {rows['alpha']:.4g} ({comparisons} comparisons), power {rows['power']:g}"
    )
    click.echo(
        f"a rate of {assumed.rate:.3f} over {rows['cases']:.0f} cases, one trial each:"
        f" [{rows['rate_low']:.3f}, {rows['rate_high']:.3f}]"
    )
    click.echo(f"\n{'trials':>7} {'detectable':>11}  cases for {rows['difference']:g}")
    for name, value in rows.items():
        if name.startswith("detectable_at_"):
            count = name.removeprefix("detectable_at_")
            mark = "  planned" if count == f"{rows['trials']:.0f}" else ""
            needed = rows[f"needed_at_{count}"]
            click.echo(f"{count:>7} {value:>11.3f}  {needed:.0f}{mark}")
