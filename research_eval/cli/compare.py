"""`research-eval compare`: what changed from one run, or one configuration, to another."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from research_eval.errors import UsageError

if TYPE_CHECKING:
    from research_eval.scorer.compare import CompareSettings, Comparison, Flip, Side

__all__ = ["compare"]


@click.command()
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("head", type=click.Path(path_type=Path), required=False)
@click.option(
    "--configuration",
    "names",
    multiple=True,
    metavar="NAME",
    help="With two runs: this one, or first BASE's then HEAD's. With one run: the first is the base.",
)
@click.option(
    "--measure",
    "measures",
    multiple=True,
    default=("first_attempt_passed", "final_passed"),
    show_default=True,
    metavar="NAME",
    help="What to compare; repeatable.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0, 1),
    help="Accept a loss up to this, and ask for proof that it is not larger.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, True, True),
    default=0.05,
    show_default=True,
    help="The p value below which a difference counts.",
)
@click.option(
    "--coverage-floor",
    type=click.FloatRange(0, 1),
    default=0.9,
    show_default=True,
    help="Share of planned trials that must have a value on both sides.",
)
@click.option("--fail-on", type=click.Choice(["regression"]), help="Exit 1 if there is one.")
@click.option(
    "--flips",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="Most changed trials shown.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON line each.")
@click.option("--junit", type=click.Path(path_type=Path), help="Write JUnit XML here.")
@click.option(
    "--a-a",
    "self_check",
    is_flag=True,
    help="Compare each configuration with itself: how often chance alone flips a verdict.",
)
def compare(base: Path, head: Path | None, **options: Any) -> int:  # noqa: ANN401  # click's options
    """Compare run HEAD with run BASE, or the configurations of one run.

    Where both replayed the same recordings, every trial that changed sides counts; elsewhere paired
    tests over the cases decide.
    Exits 1 on a regression with --fail-on regression, 3 when a verdict is inconclusive.
    """
    from research_eval.scorer.compare import CompareSettings, compare_sides

    settings = CompareSettings(
        measures=tuple(dict.fromkeys(options["measures"])),
        margin=options["margin"],
        alpha=options["alpha"],
        coverage_floor=options["coverage_floor"],
    )
    if options["self_check"]:
        return _self_check(base, head, options["names"], settings, as_json=options["as_json"])
    pairs = _pairs(base, head, options["names"], settings)
    comparisons = [(side, others, compare_sides(side, others, settings)) for side, others in pairs]
    found = [c for _, _, some in comparisons for c in some]
    if options["junit"]:
        _write_junit(options["junit"], found)
    for side, others, some in comparisons:
        for other, comparison in zip(others, some, strict=True):
            _show(side, other, comparison, options)
        if len(others) > 1 and not options["as_json"]:
            _show_all(side, others, settings)
    return _status(found, options["fail_on"])


def _pairs(
    base: Path, head: Path | None, names: Sequence[str], settings: "CompareSettings"
) -> "list[tuple[Side, list[Side]]]":
    """Return each base side with the sides that are compared with it."""
    from research_eval.journal import RunFolder
    from research_eval.scorer.compare import collect

    if head is None:
        sides = collect(RunFolder(base), names or None, settings.measures)
        if names:
            sides.sort(key=lambda side: names.index(side.configuration.name))
        if len(sides) < 2:
            raise UsageError(f"{base}: one configuration alone; name two, or a second run")
        return [(sides[0], sides[1:])]
    if len(names) > 2:
        raise UsageError(f"--configuration: {len(names)} names for two runs; expected 1 or 2")
    ours = collect(RunFolder(base), names[:1] or None, settings.measures)
    theirs = collect(RunFolder(head), names[-1:] or None, settings.measures)
    if names:
        return [(ours[0], theirs)]
    by_name = {side.configuration.name: side for side in theirs}
    shared = [s for s in ours if s.configuration.name in by_name]
    if not shared:
        raise UsageError(f"{base} and {head} have no configuration in common; name two")
    return [(side, [by_name[side.configuration.name]]) for side in shared]


def _status(comparisons: "Sequence[Comparison]", fail_on: str | None) -> int:
    verdicts = {comparison.verdict for comparison in comparisons}
    if "regression" in verdicts and fail_on == "regression":
        return 1
    inconclusive = any(m.verdict == "inconclusive" for c in comparisons for m in c.measures)
    return 3 if inconclusive else 0


def _write_junit(path: Path, comparisons: "Sequence[Comparison]") -> None:
    from research_eval.journal import write_whole
    from research_eval.scorer.compare import junit_xml

    try:
        write_whole(path, junit_xml(comparisons))
    except OSError as exc:
        raise UsageError(f"{path}: cannot be written: {exc.strerror}") from exc


def _show(side: "Side", other: "Side", comparison: "Comparison", options: dict[str, Any]) -> None:
    from research_eval.scorer.compare import add_answers

    if options["as_json"]:
        flips = add_answers(side, other, comparison.flips, len(comparison.flips))
        whole = comparison.model_copy(update={"flips": tuple(flips)})
        text = whole.model_dump_json()
        click.echo(f'{text[:-1]},"verdict":"{comparison.verdict}"}}')
        return
    click.echo(f"base {comparison.base}\nhead {comparison.head}")
    for difference in comparison.settings:
        click.echo(f"  {difference.name}: {difference.base} -> {difference.head}")
    if not comparison.settings:
        click.echo("  no setting differs")
    traffic = "identical recorded traffic" if comparison.is_identical_traffic else "other traffic"
    click.echo(
        f"  {traffic}; errors {comparison.base_errors} of {comparison.base_trials}"
        f" and {comparison.head_errors} of {comparison.head_trials} trials"
    )
    _show_measures(comparison)
    for flip in add_answers(side, other, comparison.flips, options["flips"]):
        _show_flip(flip)
    hidden = len(comparison.flips) - options["flips"]
    if hidden > 0:
        click.echo(f"  {hidden} more flips: --flips {len(comparison.flips)}, or --json")
    click.echo(f"RESULT: {comparison.verdict.replace('_', ' ').upper()}\n")


def _show_measures(comparison: "Comparison") -> None:
    for entry in comparison.measures:
        click.echo(
            f"  {entry.measure}: {_number(entry.base)} -> {_number(entry.head)}"
            f" over {entry.cases} cases; {entry.verdict.replace('_', ' ')} ({entry.reason})"
        )
        if entry.difference is None or entry.interval is None:
            continue
        low, high = entry.interval
        line = f"    difference {entry.difference:+.3f} [{low:+.3f}, {high:+.3f}]"
        line += f", permutation p {_p(entry.permutation_p)}, Holm {_p(entry.adjusted_p)}"
        if entry.mcnemar_exact_p is not None:
            line += f", McNemar p {_p(entry.mcnemar_exact_p)} (mid-p {_p(entry.mcnemar_mid_p)})"
        click.echo(f"{line}, detectable {_number(entry.detectable)}")


def _show_flip(flip: "Flip") -> None:
    what = "worse" if flip.is_worse else "better"
    click.echo(
        f"  {what}: {flip.case_id} #{flip.trial} {flip.measure} {flip.base:g} -> {flip.head:g}"
    )
    for side, answer in (("base", flip.base_answer), ("head", flip.head_answer)):
        text = " ".join((answer or "(no answer)").split())
        click.echo(f"    {side}: {text[:240]}{'…' if len(text) > 240 else ''}")


def _show_all(base: "Side", heads: "Sequence[Side]", settings: "CompareSettings") -> None:
    """Show one test and one ranking over all configurations of a run."""
    from research_eval.scorer.measure import measure
    from research_eval.stats import cochran_q, rank_intervals

    sides = [base, *heads]
    for name in settings.measures:
        means = {side.configuration.name: side.case_means(name) for side in sides}
        shared = sorted(set.intersection(*(set(m) for m in means.values())))
        if not shared:
            click.echo(f"{name}: no case has a value in every configuration")
            continue
        known = measure(name)
        if known.unit == "yes_no":
            every = [side.by_case(name) for side in sides]
            q = cochran_q([[int(all(m[c])) for m in every] for c in shared])
            click.echo(
                f"{name}: Cochran's Q {q.q:.2f} on {q.degrees} degrees, p {_p(q.p)}"
                f" ({len(shared)} cases, passed in every repetition)"
            )
        values = {configuration: [m[c] for c in shared] for configuration, m in means.items()}
        ranks = rank_intervals(values, seed=settings.seed, higher_is_better=known.better != "lower")
        for configuration, rank in sorted(ranks.items(), key=lambda item: item[1].rank):
            click.echo(f"  rank {rank.rank} [{rank.low} to {rank.high}]  {configuration}")


def _self_check(
    base: Path,
    head: Path | None,
    names: Sequence[str],
    settings: "CompareSettings",
    *,
    as_json: bool,
) -> int:
    """Say how often one configuration, compared with itself, would be called different."""
    import json

    from research_eval.journal import RunFolder
    from research_eval.scorer.compare import collect
    from research_eval.stats import aa_flip_rates

    if head is not None:
        raise UsageError("--a-a looks at one run alone; leave HEAD away")
    shown = False
    for side in collect(RunFolder(base), names or None, settings.measures):
        for name in settings.measures:
            cases = list(side.by_case(name).values())
            rates = aa_flip_rates(cases, seed=settings.seed, alpha=settings.alpha)
            row = {"configuration": side.configuration.name, "measure": name}
            if as_json:
                click.echo(json.dumps({**row, **(rates._asdict() if rates else {})}))
            elif rates is None:
                click.echo(f"{side.configuration.name} {name}: one trial a case shows no noise")
            else:
                click.echo(
                    f"{side.configuration.name} {name}: two trials of a case differ in"
                    f" {rates.case_flips:.1%}; a comparison with itself finds a difference in"
                    f" {rates.false_alarms:.1%} of {rates.splits} splits ({rates.cases} cases)"
                )
            shown = shown or rates is not None
    return 0 if shown else 3


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _p(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
