"""What `--dry-run` prints: cells, calls, and an estimate in tokens and dollars with its assumptions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from research_eval.errors import RecordError

if TYPE_CHECKING:
    from research_eval.cassette import Prospect
    from research_eval.dataset import Case
    from research_eval.experiment import Configuration, Experiment
    from research_eval.model import ModelSettings
    from research_eval.runner import RunOptions
    from research_eval.runner.estimate import Estimate, Measured
    from research_eval.schema import Price, TrialKey

__all__ = ["price_words", "print_plan"]


def print_plan(
    experiment: "Experiment",
    cases: "Sequence[Case]",
    configurations: "Sequence[Configuration]",
    options: "RunOptions",
    pilot: Path | None = None,
) -> int:
    """Print what a run would do, and run nothing.

    Args:
        experiment: The experiment.
        cases: The cases that were selected.
        configurations: The configurations that were selected.
        options: How it would run.
        pilot: An earlier run, from which calls and tokens of a trial are taken.

    Raises:
        RecordError: If the earlier run cannot be read.
    """
    todo = _print_cells(experiment, cases, configurations, options)
    measured = _measured(pilot, configurations)
    recorded = _recorded(experiment, configurations, options, todo)
    estimates = [
        _print_configuration(item, len(todo[item.name]), measured, recorded.get(item.name))
        for item in configurations
    ]
    asked = [one for one in estimates if one is not None]
    if asked:
        _print_total(asked, pilot, options)
    if options.model_mode == "replay":
        click.echo("replies are replayed: no model is asked and nothing is paid")
    return _print_obstacles(experiment, configurations, options)


def _print_obstacles(
    experiment: "Experiment", configurations: "Sequence[Configuration]", options: "RunOptions"
) -> int:
    """Print what would stop the run at its first request; return 2 unless it is a missing key."""
    from research_eval.errors import MissingSecretError
    from research_eval.runner.parts import find_obstacles

    is_world = experiment.settings.record_from == "world"
    found = find_obstacles(experiment, configurations, options, is_world=is_world)
    for obstacle in dict.fromkeys(map(str, found)):
        click.echo(f"would be refused: {obstacle}")
    return 0 if all(isinstance(one, MissingSecretError) for one in found) else 2


def _print_cells(
    experiment: "Experiment",
    cases: "Sequence[Case]",
    configurations: "Sequence[Configuration]",
    options: "RunOptions",
) -> "dict[str, list[TrialKey]]":
    """Print how many trials there are; return those that are to run, by configuration."""
    from research_eval.runner import plan_trials

    trials = experiment.settings.trials
    every = len(cases) * len(configurations) * trials
    click.echo(
        f"{len(cases)} cases x {len(configurations)} configurations x {trials} trials = "
        f"{every} trials into {options.out}"
    )
    names = [item.name for item in configurations]
    plan = plan_trials([case.id for case in cases], names, trials, shard=options.shard)
    done = _done(options)
    todo = {name: [key for key in plan if key.configuration == name] for name in names}
    todo = {name: [key for key in keys if key not in done] for name, keys in todo.items()}
    left = sum(map(len, todo.values()))
    if len(plan) != every:
        click.echo(f"  part {options.shard.part} of {options.shard.of}: {len(plan)} trials")
    if done:
        click.echo(f"  {len(plan) - left} are done, {left} are to run")
    return todo


def _done(options: "RunOptions") -> "frozenset[TrialKey]":
    """Return the trials that the run would not run again."""
    from research_eval.journal import RunFolder

    folder = RunFolder(options.out)
    if options.overwrite or not folder.trials_path.is_file():
        return frozenset()
    return frozenset(
        trial.key
        for trial in folder.trials()
        if not (options.retry_errors and trial.status == "error")
    )


def _recorded(
    experiment: "Experiment",
    configurations: "Sequence[Configuration]",
    options: "RunOptions",
    todo: "Mapping[str, Sequence[TrialKey]]",
) -> "dict[str, Counter[Prospect]]":
    """Return what recording will do with how many trials, by configuration; nothing but recording asks."""
    from research_eval.cassette import Redactor
    from research_eval.runner.channels import model_cassettes

    if options.model_mode != "record":
        return {}
    cassettes = model_cassettes(experiment, configurations, options, Redactor())
    found = {name: Counter(map(one.prospect, todo[name])) for name, one in cassettes.items()}
    for one in cassettes.values():
        one.close()
    return found


def _print_recorded(found: "Counter[Prospect]") -> None:
    if found["replayed"]:
        click.echo(
            f"    recorded: {found['replayed']} of {found.total()} trials; they are replayed and cost "
            "nothing while they fit: what no longer fits is asked again from there, and is not in the "
            "estimate"
        )
    if found["left"]:
        click.echo(
            f"    {found['left']} of {found.total()} trials have no usable recording, and are left "
            "without one: they end as errors (record --stale records them again)"
        )


def _measured(
    pilot: Path | None, configurations: "Sequence[Configuration]"
) -> "dict[str, Measured]":
    """Return what the trials of the earlier run took, or what is assumed without one."""
    from research_eval.journal import RunFolder
    from research_eval.runner.estimate import assumed, measure_pilot
    from research_eval.runner.pricing import price_of, today

    prices = {item.name: price_of(item, today()) for item in configurations}
    if pilot is None:
        return {item.name: assumed(item, prices[item.name]) for item in configurations}
    found = measure_pilot(RunFolder(pilot), prices)
    for item in configurations:
        if item.name not in found:
            raise RecordError(f"{pilot}: holds no finished trial of configuration {item.name}")
    return found


def _print_configuration(
    item: "Configuration",
    trials: int,
    measured: "dict[str, Measured]",
    recorded: "Counter[Prospect] | None",
) -> "Estimate | None":
    from research_eval.runner.estimate import estimate
    from research_eval.runner.pricing import price_of, today

    if item.agent.is_custom:
        click.echo(f"  {item.name}: an agent of your own; what it asks its model is not known")
        return None
    most = (item.agent.max_retries + 1) * item.agent.max_turns
    search = "" if item.search.chain else ", no search: search.chain is empty"
    click.echo(f"  {item.name}: {item.model.name}, at most {most} model calls a trial{search}")
    if item.model.is_reference_agent:
        return None
    if recorded is not None:
        _print_recorded(recorded)
        trials = recorded["sent"]
    found = estimate(trials, measured[item.name])
    click.echo(f"    estimate for {trials} trials: {_amounts(found)}")
    click.echo(f"    price: {price_words(item.model, price_of(item, today()))}")
    return found


def price_words(model: "ModelSettings", price: "Price | None") -> str:
    """Say what a model's calls cost, and who says so."""
    from research_eval.model import reports_cost

    if price is None:
        reported = "; its provider reports the cost of each call" if reports_cost(model) else ""
        return f"UNKNOWN: no price list has it{reported}; set price = {{ input = …, output = … }}"
    longer = f", more above {price.steps[0].above:,} tokens" if price.steps else ""
    return (
        f"${price.input:g} in, ${price.output:g} out for a million tokens{longer} ({price.source})"
    )


def _amounts(found: "Estimate") -> str:
    from research_eval.runner.budget import dollars

    money = dollars(found.usd)
    if found.is_lower_bound:
        money = f"{money} and what is UNKNOWN" if found.usd else "cost UNKNOWN"
    return (
        f"{found.calls:,.0f} calls, {found.input_tokens:,.0f} tokens in,"
        f" {found.output_tokens:,.0f} out, {money}"
    )


def _print_total(asked: "Sequence[Estimate]", pilot: Path | None, options: "RunOptions") -> None:
    from research_eval.runner.budget import dollars
    from research_eval.runner.estimate import AssumedTrial, total

    found = total(asked)
    click.echo(f"estimate for all: {_amounts(found)}; what searches cost is not in it")
    limit = options.budget.max_cost_usd
    if limit is not None and found.usd > limit:
        click.echo(f"  --max-cost {dollars(limit)} would end the run before it is complete")
    elif limit is not None and found.is_lower_bound:
        click.echo(f"  --max-cost {dollars(limit)} cannot hold where a price is UNKNOWN")
    if pilot is not None:
        click.echo(f"  an estimate from the trials of {pilot}, at the prices of today")
        return
    one = AssumedTrial()
    click.echo(
        f"  an estimate that nothing measured: {one.calls} calls a trial, a first prompt of"
        f" {one.first_prompt_tokens:,} tokens, {one.result_tokens:,} more after each tool result,"
        f" replies of {one.reply_tokens}, no retries; --from RUN takes them from an earlier run"
    )
