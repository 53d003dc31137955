"""What `research-eval score` prints beneath the table of a configuration: reliability, F, errors."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from research_eval.scorer import Tally
    from research_eval.stats import Cluster

__all__ = [
    "beyond",
    "number",
    "print_correction",
    "print_f_score",
    "print_reliability",
    "print_support_errors",
    "print_worthiness_error",
]

BOOTSTRAP_SEED = 1
"""Of intervals that have no closed form, so that they come out the same."""


def number(value: float | None) -> str:
    """Return a rate or a mean with three digits."""
    return "-" if value is None else f"{value:.3f}"


def print_reliability(tally: "Tally", trials: int) -> None:
    """Print pass@k and pass^k of what is a pass or not, each with its cases and its interval."""
    from research_eval.stats import Cluster, pass_at_k, pass_hat_k

    for name in ("first_attempt_passed", "final_passed"):
        cases = [(case.n, round(case.total)) for case in tally.by_case(name).values()]
        if not cases or trials < 2:
            continue
        click.echo(f"  {name:24} {'pass@k':27} {'pass^k':27} cases, intervals over them")
        for k in range(1, trials + 1):
            whole = [case for case in cases if case[0] >= k]
            at, hat = (
                _ratio([Cluster(of(n, passed, k), 1.0) for n, passed in whole])
                for of in (pass_at_k, pass_hat_k)
            )
            click.echo(f"  {f'k = {k}':>24} {at:27} {hat:27} {len(whole)}")
        _print_variance(name, cases, trials)


def _ratio(clusters: "list[Cluster]") -> str:
    """Return a ratio over cases with its interval, by bootstrap where they differ."""
    from research_eval.stats import clustered_ratio

    found = clustered_ratio(clusters, seed=BOOTSTRAP_SEED)
    return "-" if found is None else f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def _print_variance(name: str, cases: "list[tuple[int, int]]", trials: int) -> None:
    """Print where the variance lies, of the cases that have all their trials."""
    from research_eval.stats import variance_components

    whole = [[1.0] * passed + [0.0] * (n - passed) for n, passed in cases if n == trials]
    found = variance_components(whole)
    if found is not None:
        click.echo(
            f"  {name}: variance between cases {found.between:.4f}, between the trials of a case"
            f" {found.within:.4f} ({len(whole)} cases)"
        )


def print_f_score(tally: "Tally") -> None:
    """Print accuracy, precision and their harmonic mean together, since each alone can be gamed."""
    from research_eval.scorer.correctness import f_part
    from research_eval.stats import Cluster

    names = ("correct", "incorrect", "abstained")
    rulings = [tally.by_case(name) for name in names]
    answers = sum(case.n for case in rulings[0].values())
    if not answers:
        return
    sums = [[one[c].total if c in one else 0.0 for one in rulings] for c in rulings[0]]
    f = _ratio([Cluster(*f_part(*one)) for one in sums])
    accuracy, precision = (tally.summary(n) for n in (names[0], "correct_given_attempted"))
    click.echo(
        f"  accuracy {number(accuracy.value)} (n {accuracy.scored}), precision"
        f" {number(precision.value)} (n {precision.scored}), F {f} (n {answers})"
    )


def print_correction(tally: "Tally") -> None:
    """Print the share of unsupported citations with the check's own errors taken out."""
    from research_eval.scorer.support_error import MEASURED
    from research_eval.stats import Cluster, corrected_rate, effective_units

    cases = tally.by_case("support_red").values()
    n = effective_units([Cluster(case.total, case.weight) for case in cases])
    if not n or not tally.measure("support_red").is_rate:
        return
    errors, share = MEASURED[0], tally.summary("support_red").value or 0.0
    estimate = corrected_rate(share * n, n, errors.as_validation(), seed=BOOTSTRAP_SEED)
    if estimate is not None:
        click.echo(
            f"  unsupported, corrected for the check's errors on {errors.labelled_set}:"
            f" {estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"
            f" (n {tally.summary('support_red').weight:g} pairs)"
            f"{beyond(estimate.low, estimate.high)}"
        )


def beyond(low: float, high: float) -> str:
    """Say where an observed share lies beyond what the check's errors leave possible."""
    if high == 0:
        return "; fewer than the check's own false alarms"
    if low == 1:
        return "; more than the check finds where all are unsupported"
    return ""


def _share(k: int, n: int) -> str:
    from research_eval.stats import wilson

    low, high = wilson(k, n)
    return f"{k / n:.0%} of {n} [{low:.0%}, {high:.0%}]" if n else "none of 0"


def print_support_errors() -> None:
    """Print how often the support check errs, as measured against people."""
    from research_eval.scorer.support_error import MEASURED

    click.echo("\nThe support check against people:")
    for errors in MEASURED:
        click.echo(
            f"  {errors.labelled_set}: RED is unsupported in"
            f" {_share(errors.red.unsupported, errors.red.total)}, GREEN is supported in"
            f" {_share(errors.green.supported, errors.green.total)}"
        )


def print_worthiness_error() -> None:
    """Print how far the choice of check-worthy sentences agrees with experts."""
    from research_eval.scorer.worthiness import MEASURED

    click.echo(
        f"\nThe choice of sentences that are worth a check, against experts"
        f" ({MEASURED.labelled_set}): agreement"
        f" {_share(MEASURED.both + MEASURED.neither, MEASURED.total)},"
        f" kappa {MEASURED.kappa or 0:.2f},"
        f" precision {_share(MEASURED.both, MEASURED.both + MEASURED.proxy_alone)},"
        f" recall {_share(MEASURED.both, MEASURED.both + MEASURED.people_alone)}"
    )
