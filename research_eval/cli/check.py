"""`research-eval check`: before a run, ask everybody once whom it depends on, and print who works."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from research_eval.cli.closing import close
from research_eval.cli.run import bundled_web, read_and_choose
from research_eval.cli.selection import of_experiment
from research_eval.errors import UsageError

if TYPE_CHECKING:
    from research_eval.dataset import Case
    from research_eval.experiment import Configuration, Experiment
    from research_eval.runner.check import Answers, CheckOutput
    from research_eval.runner.check_model import ModelAnswer
    from research_eval.runner.check_web import PagesAnswer, SearchAnswer

__all__ = ["check"]

SHOWN_NAMES = 3
"""Configurations that a row of a table names."""

Rows = list[tuple[str, ...]]


@click.command()
@click.argument("experiment", type=click.Path(path_type=Path))
@of_experiment
@click.option("--offline", is_flag=True, help="Check only what needs no request.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def check(experiment: Path, offline: bool, as_json: bool, **options: Any) -> int:  # noqa: ANN401  # click hands over every option
    """Check EXPERIMENT (a TOML file, `bundled` or `calibration`) before it is run against real services.

    Reads dataset, settings, prompts, gates, tools and scorers; then sends each model and each search
    provider one request and opens up to three of the pages found. A model's request costs about
    what one turn of a trial does.
    Exits 1 if a service does not answer as a run needs it, 2 if a setting is at fault or a key is not
    set.
    """
    read, cases, configurations = read_and_choose(experiment, options)
    output = _checked(read, cases, configurations, is_offline=offline)
    if as_json:
        click.echo(output.model_dump_json(indent=1))
    else:
        _print(output)
    return _ended(output)


def _checked(
    experiment: "Experiment",
    cases: "Sequence[Case]",
    configurations: "Sequence[Configuration]",
    *,
    is_offline: bool,
) -> "CheckOutput":
    from research_eval.errors import MissingSecretError
    from research_eval.runner import RunOptions
    from research_eval.runner.check import CheckOutput
    from research_eval.runner.parts import find_obstacles
    from research_eval.scorer import registry

    registry()
    options = RunOptions(out=Path(), model_mode="live", web_mode="live")
    is_world = experiment.settings.record_from == "world"
    found = {
        item.name: find_obstacles(experiment, [item], options, is_world=is_world)
        for item in configurations
    }
    at_fault = {
        name
        for name, errors in found.items()
        if not all(isinstance(one, MissingSecretError) for one in errors)
    }
    sound = [item for item in configurations if item.name not in at_fault]
    every = [one for errors in found.values() for one in errors]
    output = CheckOutput(
        experiment=experiment.settings.name,
        is_offline=is_offline,
        cases=len(cases),
        configurations=tuple(item.name for item in configurations),
        setting_faults=_words(e for e in every if not isinstance(e, MissingSecretError)),
        missing_keys=_words(e for e in every if isinstance(e, MissingSecretError)),
        answers=_answers(experiment, sound, cases[0].question, is_offline=is_offline),
    )
    return output.model_copy(update={"exit_status": _status(output)})


def _words(errors: "Iterator[UsageError]") -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(str, errors)))


def _answers(
    experiment: "Experiment",
    configurations: "Sequence[Configuration]",
    query: str,
    *,
    is_offline: bool,
) -> "Answers":
    from research_eval.runner.check import ask_everybody, known_of_everybody

    if is_offline:
        is_world = experiment.settings.record_from == "world"
        return known_of_everybody(configurations, is_world=is_world)
    with bundled_web(experiment, is_asked=True) as world:
        return asyncio.run(ask_everybody(experiment, configurations, query, world))


def _status(output: "CheckOutput") -> int:
    """Return 2 for what the settings or the environment lack, 1 for who does not answer, else 0."""
    if output.setting_faults or (output.missing_keys and not output.is_offline):
        return 2
    return 1 if output.answers.faults() else 0


def _ended(output: "CheckOutput") -> int:
    """Say how the check ended, and return its exit status.

    Raises:
        UsageError: If a setting is at fault, or a key is not set.
    """
    said = [*output.setting_faults, *(() if output.is_offline else output.missing_keys)]
    if said:
        more = f" (and {len(said) - 1} more)" if len(said) > 1 else ""
        raise UsageError(said[0] + more)
    faults = output.answers.faults()
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        return close(output.exit_status, faults[0] + more)
    return close(0, "nobody was asked" if output.is_offline else "everybody answers")


def _print(output: "CheckOutput") -> None:
    from research_eval.schema.display import visible

    for line in _lines(output):
        click.echo(visible(line))


def _lines(output: "CheckOutput") -> Iterator[str]:
    parts = "dataset, settings, prompts, gates, tools and scorers"
    yield f"{output.experiment}: {output.cases} cases, {len(output.configurations)} configurations"
    yield from (f"fault: {words}" for words in output.setting_faults)
    yield from (f"key missing: {words}" for words in output.missing_keys)
    if not output.setting_faults:
        yield f"{parts} can be used"
    yield from _table(_model_rows(output.answers.models))
    yield from _table(_search_rows(output.answers.searches))
    yield from _table(_page_rows(output.answers.pages))
    remarks = [*output.answers.faults(), *output.answers.remarks()]
    if remarks:
        yield ""
    yield from remarks


def _model_rows(models: "Sequence[ModelAnswer]") -> Rows:
    head = ("model", "of", "reachable", "key", "known", "tools", "price")
    return [
        head,
        *(
            (
                one.model,
                _names(one.configurations),
                _yes_or_no(one.is_reachable),
                one.key,
                _yes_or_no(one.is_known),
                _yes_or_no(one.calls_tools),
                f"${one.price.input:g} in, ${one.price.output:g} out" if one.price else "UNKNOWN",
            )
            for one in models
        ),
    ]


def _search_rows(searches: "Sequence[SearchAnswer]") -> Rows:
    return [
        ("search", "of", "reachable", "key", "results"),
        *(
            (
                one.provider,
                _names(one.configurations),
                _yes_or_no(one.is_reachable),
                one.key,
                "?" if one.results is None else str(one.results),
            )
            for one in searches
        ),
    ]


def _page_rows(pages: "Sequence[PagesAnswer]") -> Rows:
    return [
        ("pages", "reachable", "blocked"),
        *(
            (_names(one.configurations), f"{one.reached} of {one.asked}", str(one.blocked))
            for one in pages
        ),
    ]


def _names(configurations: Sequence[str]) -> str:
    more = len(configurations) - SHOWN_NAMES
    return ", ".join(configurations[:SHOWN_NAMES]) + (f" and {more} more" if more > 0 else "")


def _yes_or_no(value: bool | None) -> str:
    return {True: "yes", False: "NO", None: "?"}[value]


def _table(rows: Rows) -> Iterator[str]:
    """Yield the lines of a table, after an empty one; nothing where there is but the head."""
    if len(rows) == 1:
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    yield ""
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
