"""`research-eval plan`: what a number of cases can show, and how many a difference needs."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from research_eval.cli.number import ALPHA, Number
from research_eval.errors import UsageError

if TYPE_CHECKING:
    from research_eval.analysis.side import Side
    from research_eval.stats.power import Power

__all__ = ["plan"]

LEAST = 1e-6
"""The smallest difference that cases are counted for."""
MOST = 10**9
"""Cases, trials and comparisons that anybody may plan."""


class Assumed(NamedTuple):
    """What is taken for granted of two configurations before they run."""

    rate: float | None
    """The rate of the first; `None` of a measure that is no rate."""
    between: float
    """Variance, over cases, of the true differences."""
    within: float
    """Mean variance of the trials of one case, of one configuration."""
    origin: str
    note: str = ""
    """What a pilot cannot tell."""
    cases: int | None = None
    """Cases of the pilot, for a plan that names none."""
    trials: int | None = None
    """Trials a case of the pilot."""
    spread: float | None = None
    """Variance of the differences of case means in the pilot, at its number of trials."""
    differing: int | None = None
    """Cases of the pilot on which the two differ."""

    def power_of(
        self, cases: int, trials: int, difference: float, alpha: float, power: float
    ) -> "Power":
        """Return what so many cases can show, by the function that comparisons use."""
        from research_eval.stats.power import power_of

        variance = self.between + 2 * self.within / trials
        if self.spread is not None and trials == self.trials:
            variance = self.spread
        return power_of(
            cases,
            variance,
            differing=cases if self.differing is None else self.differing,
            is_rate=self.rate is not None,
            trials=trials,
            difference=difference,
            alpha=alpha,
            power=power,
        )


@click.command()
@click.argument("experiment", type=click.Path(path_type=Path), required=False)
@click.option(
    "--cases",
    type=click.IntRange(2, MOST),
    help="Number of cases; default: as in EXPERIMENT, or in the run of --from, or 50.",
)
@click.option(
    "--trials",
    type=click.IntRange(1, MOST),
    help="Trials of each case; default: as in EXPERIMENT, or in the run of --from, or 1.",
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
    help="Intraclass correlation: the share of the variance between cases.",
)
@click.option(
    "--correlation",
    type=Number(0, 1),
    default=0.5,
    show_default=True,
    help="Correlation of the rates of the two configurations over cases.",
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
    help="Number of comparisons to correct for; default: configurations of EXPERIMENT minus one, or 1.",
)
@click.option(
    "--alpha",
    type=ALPHA,
    default=0.05,
    show_default=True,
    help="Accepted chance of a false alarm.",
)
@click.option(
    "--power",
    type=ALPHA,
    default=0.8,
    show_default=True,
    help="Chance to detect the difference.",
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
    from research_eval.stats.power import Assumption

    one = Assumption(rate, between_share, correlation)
    return Assumed(rate, one.between, one.within, f"assumed: {one}")


def _measured(pilot: Path, names: tuple[str, ...], measure: str) -> Assumed:
    """Take the variances from an earlier run of two configurations.

    Raises:
        UsageError: If two configurations, or two cases that both have, are not there.
    """
    from research_eval.analysis.side import read_sides
    from research_eval.journal import RunFolder

    if len(names) > 2:
        raise UsageError(f"--configuration: {len(names)} names; expected the two to take")
    sides = read_sides(RunFolder(pilot), names or None, (measure,))[:2]
    if len(sides) < 2:
        raise UsageError(f"{pilot}: one configuration alone; a difference needs two")
    a, b = (side.by_case(measure) for side in sides)
    shared = sorted(a.keys() & b.keys())
    if len(shared) < 2:
        raise UsageError(f"{pilot}: fewer than two cases have {measure!r} in both configurations")
    one, other = (side.case_means(measure) for side in sides)
    gaps = [other[case] - one[case] for case in shared]
    centre = _mean(gaps)
    spread = math.fsum((gap - centre) ** 2 for gap in gaps) / (len(gaps) - 1)
    within = sum(_within(side, shared, measure) for side in sides) / 2
    noise = within * (sum(1 / len(a[c]) + 1 / len(b[c]) for c in shared) / len(shared))
    is_rate = sides[0].measure(measure).is_rate
    if spread == 0 and not is_rate:
        raise UsageError(f"{pilot}: {measure!r} is the same everywhere: no spread to plan with")
    return Assumed(
        rate=_mean([one[c] for c in shared]) if is_rate else None,
        between=max(0.0, spread - noise),
        within=within,
        origin=(
            f"measured on {measure} of {sides[0].configuration.name} and"
            f" {sides[1].configuration.name}, {len(shared)} cases"
        ),
        note=_note(spread, len(shared), [a, b], shared),
        cases=len(sides[0].plan.case_ids),
        trials=sides[0].plan.trials,
        spread=spread,
        differing=sum(gap != 0 for gap in gaps),
    )


def _note(
    spread: float, cases: int, sides: "list[dict[str, list[float]]]", shared: list[str]
) -> str:
    """Return what a pilot cannot tell; nothing if it can tell all."""
    if spread == 0:
        return (
            f"no case of this pilot tells the two apart, so that no variance can be measured; the"
            f" figures are the largest that an event never seen in {cases} cases leaves possible"
        )
    if all(len(side[c]) == 1 for side in sides for c in shared):
        return (
            "one trial a case: the pilot cannot tell the spread of trials from that of cases,"
            " so that more trials may help more than the table says"
        )
    return ""


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
) -> dict[str, object]:
    table = []
    for count in sorted({1, trials, 3, 5, 10}):
        found = assumed.power_of(cases, count, difference, alpha, power)
        needed = found.needed
        if needed is None:
            from research_eval.stats.power import needed_cases

            variance = assumed.between + 2 * assumed.within / count
            needed = needed_cases(difference, variance, alpha=alpha, power=power)
        table.append(
            {
                "trials": count,
                "is_planned": count == trials,
                "detectable": found.detectable,
                "needed_cases": needed,
                "is_bound": found.is_bound,
            }
        )
    return {
        "cases": cases,
        "trials": trials,
        "alpha": alpha,
        "power": power,
        "difference": difference,
        "rows": table,
    }


def _show(assumed: Assumed, found: dict[str, Any], comparisons: int, *, as_json: bool) -> None:
    shown = {key: getattr(assumed, key) for key in ("rate", "between", "within", "origin", "note")}
    if as_json:
        import json

        whole = {"schema_version": 1, **shown, **found, "comparisons": comparisons}
        click.echo(json.dumps(whole))
        return
    planned = next(row for row in found["rows"] if row["is_planned"])
    cases, trials, power = found["cases"], found["trials"], found["power"]
    click.echo(
        f"{cases} cases with {trials} trial{'s' * (trials != 1)} each show"
        f" {_difference(planned)} with a chance of {power:.0%}; a difference of"
        f" {found['difference']:g} needs {_needed(planned)} cases."
    )
    what = "1 comparison" if comparisons == 1 else f"{comparisons} comparisons at once"
    click.echo(
        f"({assumed.origin}; paired permutation test, two-sided alpha {found['alpha']:.4g}, {what})"
    )
    if assumed.note:
        click.echo(f"note: {assumed.note}")
    click.echo(f"\n{'trials a case':>13}  {'detectable difference':>21}  cases needed")
    for row in found["rows"]:
        mark = "  (planned)" if row["is_planned"] else ""
        bound = "at most " if row["is_bound"] else ""
        value = "none" if row["detectable"] is None else f"{bound}{row['detectable']:.3f}"
        click.echo(f"{row['trials']:>13}  {value:>21}  {_needed(row)}{mark}")


def _difference(row: dict[str, Any]) -> str:
    if row["detectable"] is None:
        return "no difference"
    most = "at most " if row["is_bound"] else ""
    return f"a difference of {most}{row['detectable']:.3f} or more"


def _needed(row: dict[str, Any]) -> str:
    return f"{'at most ' if row['is_bound'] else ''}{row['needed_cases']}"
