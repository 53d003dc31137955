"""`research-eval compare`: what changed from one run, or one configuration, to another."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from research_eval.cli.number import ALPHA, Number
from research_eval.errors import UsageError

if TYPE_CHECKING:
    from research_eval.analysis.comparison import Absent, CompareOutput
    from research_eval.analysis.difference import CompareSettings
    from research_eval.analysis.side import Side
    from research_eval.cli.compare_sides import Made

__all__ = ["compare"]


@click.command()
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("heads", type=click.Path(path_type=Path), nargs=-1, metavar="[HEAD]...")
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
    type=Number(0, 1),
    help="Accept a loss of up to this much, if the interval shows that it is not larger.",
)
@click.option(
    "--alpha",
    type=ALPHA,
    default=0.05,
    show_default=True,
    help="The p value below which a difference counts.",
)
@click.option(
    "--coverage-floor",
    type=Number(0, 1),
    default=0.9,
    show_default=True,
    help="Share of all planned trials that must have a value on both sides.",
)
@click.option(
    "--shared",
    "is_shared",
    is_flag=True,
    help="Compare only trials that both runs planned; otherwise a trial that one run left out counts as missing.",
)
@click.option(
    "--difference",
    type=Number(1e-6, 1),
    default=0.1,
    show_default=True,
    help="The smallest difference of rates worth finding; prints how many cases it needs.",
)
@click.option("--fail-on", type=click.Choice(["regression"]), help="Exit 1 if there is one.")
@click.option(
    "--flips",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="Show at most this many changed trials.",
)
@click.option(
    "--all",
    "is_whole",
    is_flag=True,
    help="Print settings, both sides, answers and other tests too.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@click.option("--junit", type=click.Path(path_type=Path), help="Write JUnit XML here.")
@click.option(
    "--html", type=click.Path(path_type=Path), help="Write a page with every changed answer here."
)
@click.option("--markdown", type=click.Path(path_type=Path), help="Write a summary here.")
@click.option(
    "--unpaired",
    "is_unpaired",
    is_flag=True,
    help="Compare rates over different cases, which do not pair.",
)
@click.option(
    "--a-a",
    "self_check",
    is_flag=True,
    help="Compare each configuration with itself: how often chance alone flips a verdict.",
)
def compare(base: Path, heads: tuple[Path, ...], **options: Any) -> int:  # noqa: ANN401  # click's options
    """Compare each run HEAD with run BASE, or the configurations of one run.

    Where both replayed the same recordings, every trial that changed sides or lost its value counts;
    elsewhere a paired test over the cases decides.
    A configuration of BASE that HEAD lacks is named; with --fail-on regression it is inconclusive,
    unless --configuration or --shared is given.
    Three or more runs also show how much runs of one configuration differ, such as from day to day.
    The requirements of each HEAD's experiment are ruled, max_flips against BASE.
    Exits 1 on a regression with --fail-on regression or when a requirement does not hold, 3 when a
    verdict is inconclusive.
    """
    from research_eval.analysis.difference import CompareSettings
    from research_eval.cli.compare_sides import absent_of, compare_pairs, read_pairs, rulings_of

    settings = CompareSettings(
        measures=tuple(dict.fromkeys(options["measures"])),
        is_whole=options["is_whole"] or options["as_json"],
        **{key: options[key] for key in ("margin", "alpha", "coverage_floor", "difference")},
    )
    if options["self_check"]:
        return _self_check(base, heads, options["names"], settings, as_json=options["as_json"])
    if options["is_shared"] and (not heads or options["is_unpaired"]):
        raise UsageError("--shared is for two runs whose cases pair")
    if options["html"] and options["is_unpaired"]:
        raise UsageError("--html shows paired comparisons; leave --unpaired away")
    pairs = read_pairs(base, heads, options["names"], settings, is_shared=options["is_shared"])
    absent = absent_of(base, heads, options)
    rulings = rulings_of(base, heads)
    if options["is_unpaired"]:
        found = _unpaired(pairs, settings, absent).model_copy(update={"requirements": rulings})
        _print(found, [], options)
        return _close([one.verdict for one in found.unpaired], found, options["fail_on"])
    made, found = compare_pairs(pairs, settings, has_heads=bool(heads))
    found = found.model_copy(update={"absent": tuple(absent), "requirements": rulings})
    if options["html"] or options["as_json"] or options["is_whole"]:
        found = _with_answers(found, made)
    if options["junit"] or options["html"]:
        _write(found, options["junit"], options["html"])
    _print(found, made, options)
    _tell(found, heads[-1] if heads else base, options)
    verdicts = [entry.verdict for one in found.comparisons for entry in one.measures]
    return _close(verdicts, found, options["fail_on"])


def _close(verdicts: Sequence[str], found: "CompareOutput", fail_on: str | None) -> int:
    """Say how the comparison ends, and return its exit status."""
    from research_eval.cli.closing import close, most_serious, requirement_status

    lost = verdicts.count("regression")
    is_open = "inconclusive" in verdicts
    is_open = is_open or any(one.verdict == "inconclusive" for one in found.absent)
    status = most_serious(
        requirement_status(found.requirements),
        1 if lost and fail_on == "regression" else 0,
        3 if is_open else 0,
    )
    return close(status, f"{lost} of {len(verdicts)} measures regressed", found.requirements)


def _tell(found: "CompareOutput", head: Path, options: dict[str, Any]) -> None:
    """Write the summary, and annotations where GitHub runs this."""
    from research_eval.cli.compare_remarks import (
        comparison_annotations,
        comparison_markdown,
        dataset_of,
    )
    from research_eval.cli.github import annotate, on_github, tell
    from research_eval.journal import RunFolder

    markdown: Path | None = options["markdown"]
    if on_github():
        is_ruled = options["fail_on"] == "regression"
        dataset = dataset_of(RunFolder(head))
        annotate(comparison_annotations(found, dataset, is_ruled=is_ruled))
    if markdown is not None or on_github():
        tell(comparison_markdown(found), markdown)


def _write(found: "CompareOutput", junit: Path | None, page: Path | None) -> None:
    """Write the files that are asked for, each whole or not at all."""
    from research_eval.journal import write_whole
    from research_eval.report.comparison import render_comparison
    from research_eval.report.junit import comparison_junit
    from research_eval.secret import last_scrub

    for path, render in ((junit, comparison_junit), (page, render_comparison)):
        if path is None:
            continue
        try:
            write_whole(path, last_scrub().scrub_bytes(render(found)))
        except OSError as exc:
            raise UsageError(f"{path}: cannot be written: {exc.strerror}") from exc


def _with_answers(found: "CompareOutput", made: "list[Made]") -> "CompareOutput":
    """Return what was found with the answers of every trial that changed."""
    from research_eval.analysis.change import add_answers

    answered = []
    for side, others, some in made:
        for other, one in zip(others, some, strict=True):
            flips = add_answers(side, other, one.flips, len(one.flips))
            answered.append(one.model_copy(update={"flips": tuple(flips)}))
    return found.model_copy(update={"comparisons": tuple(answered)})


def _print(
    found: "CompareOutput",
    made: "list[Made]",
    options: dict[str, Any],
) -> None:
    from research_eval.cli.closing import print_rulings
    from research_eval.cli.compare_text import appendix_lines, comparison_lines

    if options["as_json"]:
        click.echo(found.model_dump_json())
        return
    lines = list(comparison_lines(found, options["flips"]))
    if options["is_whole"]:
        lines += appendix_lines(found, [(side, others) for side, others, _ in made])
    click.echo("\n".join(lines))
    print_rulings(found.requirements)


def _unpaired(
    pairs: "list[tuple[Side, list[Side]]]", settings: "CompareSettings", absent: "Sequence[Absent]"
) -> "CompareOutput":
    """Compare rates without pairing cases, which shows less and asks for no common case."""
    from research_eval.analysis.comparison import CompareOutput
    from research_eval.analysis.unpaired import unpaired

    found = tuple(
        unpaired(
            side,
            other,
            name,
            floor=settings.coverage_floor,
            confidence=1 - settings.alpha,
            difference=settings.difference,
        )
        for side, others in pairs
        for other in others
        for name in settings.measures
    )
    return CompareOutput(settings=settings, comparisons=(), unpaired=found, absent=tuple(absent))


def _self_check(
    base: Path,
    heads: Sequence[Path],
    names: Sequence[str],
    settings: "CompareSettings",
    *,
    as_json: bool,
) -> int:
    """Say how often one configuration, compared with itself, would be called different."""
    import json

    from research_eval.analysis.side import read_sides
    from research_eval.cli.compare_text import noise_line
    from research_eval.journal import RunFolder
    from research_eval.stats import aa_flip_rates

    if heads:
        raise UsageError("--a-a looks at one run alone; leave HEAD away")
    rows = []
    for side in read_sides(RunFolder(base), names or None, settings.measures):
        for name in settings.measures:
            cases = list(side.by_case(name).values())
            rates = aa_flip_rates(cases, seed=settings.seed, alpha=settings.alpha)
            rows.append((side.configuration.name, name, rates))
    if as_json:
        found = [
            {"configuration": configuration, "measure": name, **(rates._asdict() if rates else {})}
            for configuration, name, rates in rows
        ]
        click.echo(json.dumps({"schema_version": 1, "self_comparisons": found}))
    for configuration, name, rates in () if as_json else rows:
        if rates is None:
            click.echo(f"{configuration} {name}: one trial a case shows no noise")
        else:
            click.echo(noise_line(configuration, name, *rates))
    return 0 if any(rates is not None for *_, rates in rows) else 3
