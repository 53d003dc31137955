"""Execute an experiment: plan, build, run, and leave a run folder that says everything."""

import asyncio
import random
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import httpx

from research_eval.cassette import Mode, ModelCassette, Redactor, WebCassette
from research_eval.clock import SystemClock
from research_eval.dataset import Case
from research_eval.errors import ConfigError, MissingSecretError, UsageError
from research_eval.experiment import (
    Configuration,
    Experiment,
    PlaceholderSecrets,
    known_secrets,
    read_secrets,
)
from research_eval.journal import JournalWriter, RunFolder, write_manifest, write_whole
from research_eval.model import build_model
from research_eval.runner.batch import run_batch
from research_eval.runner.budget import Budget, BudgetSettings
from research_eval.runner.build import Channels, build_trial, web_networks
from research_eval.runner.manifest import differences, make_manifest
from research_eval.runner.plan import Shard, plan_trials, remaining
from research_eval.runner.progress import ProgressView
from research_eval.runner.trial import TrialResult, run_trial
from research_eval.schema import Record, RunRecord, TrialKey
from research_eval.tool.search import missing_secrets

__all__ = ["Prepared", "RunOptions", "RunSummary", "execute", "prepare"]


ViewFactory = Callable[[int, int], ProgressView]
"""Makes the progress view from the numbers of planned and done trials."""


class RunOptions(Record):
    """How an experiment is executed; nothing here changes what a replayed trial records."""

    out: Path
    """The run's folder."""
    model_mode: Mode = "replay"
    web_mode: Mode = "replay"
    concurrency: int = 16
    """Trials in flight."""
    resume: bool = False
    """Whether an earlier, unfinished run in the same folder is continued."""
    retry_errors: bool = False
    """Whether trials that ended in an error of the infrastructure run again."""
    shard: Shard = Shard(1, 1)
    budget: BudgetSettings = BudgetSettings()
    real_time: bool = False
    """Whether a replay waits as long as the recording did."""


class Prepared(NamedTuple):
    """A run that has been checked and may start."""

    experiment: Experiment
    cases: Sequence[Case]
    configurations: Sequence[Configuration]
    options: RunOptions
    manifest: RunRecord
    plan: list[TrialKey]
    channels: Channels


class RunSummary(NamedTuple):
    """How a run ended."""

    planned: int
    done: int
    stopped: str | None
    """Why trials are missing, or `None` when none is."""


def prepare(
    experiment: Experiment,
    cases: Sequence[Case],
    configurations: Sequence[Configuration],
    options: RunOptions,
    *,
    world: httpx.AsyncBaseTransport | None = None,
) -> Prepared:
    """Check everything that can be checked before the first trial, and write nothing.

    Args:
        experiment: The settings and their place.
        cases: The cases that were selected, in the dataset's order.
        configurations: The configurations that were selected.
        options: How to run.
        world: The way to the bundled web, which stands in for the network.

    Raises:
        UsageError: If a recording, a key or a part is missing.
    """
    if not cases or not configurations:
        raise ConfigError(f"{experiment.path}: nothing to run: no case or configuration is left")
    channels = _channels(experiment, configurations, options, world)
    manifest = make_manifest(
        experiment,
        cases,
        configurations,
        model_mode=options.model_mode,
        web_mode=options.web_mode,
        cassettes_sha256=_digest(channels) if channels.is_replay else None,
    )
    plan = plan_trials(
        manifest.case_ids,
        [configuration.name for configuration in configurations],
        experiment.settings.trials,
        shard=options.shard,
    )
    return Prepared(experiment, cases, configurations, options, manifest, plan, channels)


def _channels(
    experiment: Experiment,
    configurations: Sequence[Configuration],
    options: RunOptions,
    world: httpx.AsyncBaseTransport | None,
) -> Channels:
    _check_secrets(configurations, options, needs_search_keys=world is None)
    redactor = Redactor(known_secrets())
    folder = experiment.cassettes_path
    is_replay = options.model_mode == "replay" and options.web_mode == "replay"
    web = WebCassette(
        folder / "web",
        mode=options.web_mode,
        redactor=redactor,
        miss="stop" if is_replay else "tool_error",
    )
    models = {
        configuration.name: ModelCassette(
            folder / configuration.name,
            mode="live" if configuration.model.is_reference_agent else options.model_mode,
            redactor=redactor,
        )
        for configuration in configurations
    }
    search, fetch = web_networks(options.web_mode, world)
    return Channels(
        web=web,
        models=models,
        model_mode=options.model_mode,
        web_mode=options.web_mode,
        secrets=PlaceholderSecrets() if is_replay or world is not None else read_secrets(),
        search_network=search,
        fetch_network=fetch,
        real_time=options.real_time,
    )


def _check_secrets(
    configurations: Sequence[Configuration], options: RunOptions, *, needs_search_keys: bool
) -> None:
    """Refuse a run that would fail at its first request for want of a key or a model."""
    secrets = read_secrets()
    is_replay = options.model_mode == "replay"
    for configuration in configurations:
        build_model(
            configuration.model,
            transport=None,
            secrets=PlaceholderSecrets() if is_replay else secrets,
            clock=SystemClock(),
            rng=random.Random(0),
            case_seed="",
        )
        if options.web_mode == "replay" or not needs_search_keys:
            continue
        for name in missing_secrets(configuration.search, secrets):
            raise MissingSecretError(
                f"configuration {configuration.name}: {name} is not set in the environment"
            )


def _digest(channels: Channels) -> str:
    hasher = sha256(channels.web.digest().encode())
    for name, cassette in sorted(channels.models.items()):
        hasher.update(f"{name} {cassette.digest()}\n".encode())
    return hasher.hexdigest()


def execute(prepared: Prepared, view_of: ViewFactory) -> RunSummary:
    """Run what was prepared; every finished trial is in the journal whatever happens next.

    Raises:
        UsageError: If the folder holds another run, or cannot be written.
        KeyboardInterrupt: If the run was interrupted twice.
    """
    folder = RunFolder(prepared.options.out)
    journal = _open_journal(folder, prepared)
    budget = Budget(prepared.options.budget, SystemClock())
    todo = remaining(prepared.plan, journal.done)
    try:
        with view_of(len(prepared.plan), len(prepared.plan) - len(todo)) as view:
            stopped = asyncio.run(_run(prepared, todo, journal, budget, view))
    finally:
        journal.finish(prepared.plan)
        prepared.channels.web.close()
        for cassette in prepared.channels.models.values():
            cassette.close()
    return RunSummary(len(prepared.plan), len(journal.done), stopped)


async def _run(
    prepared: Prepared,
    todo: Sequence[TrialKey],
    journal: JournalWriter,
    budget: Budget,
    view: ProgressView,
) -> str | None:
    cases = {case.id: case for case in prepared.cases}
    configurations = {item.name: item for item in prepared.configurations}
    stop: list[str] = []

    async def run_one(key: TrialKey) -> TrialResult:
        view.started(key)
        live = build_trial(
            key,
            prepared.experiment.settings,
            configurations[key.configuration],
            prepared.channels,
            (lambda event: view.event(key, event),),
        )
        return await run_trial(key, cases[key.case_id], live)

    def keep(result: TrialResult) -> None:
        journal.add(result.record, result.pages, result.timing)
        budget.add(result.record.usage, result.record.usage.reported_cost_usd)
        view.ended(result.record)

    def may_start() -> bool:
        if not stop and (why := budget.exhausted()):
            stop.append(why)
        return not stop

    with _signals(stop):
        await run_batch(
            todo, run_one, keep, concurrency=prepared.options.concurrency, may_start=may_start
        )
    return stop[0] if stop and len(journal.done) < len(prepared.plan) else None


@contextmanager
def _signals(stop: list[str]) -> Iterator[None]:
    """Let the first SIGINT or SIGTERM drain the run, and the second end it."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()

    def ask() -> None:
        if stop and stop[0] == "interrupted" and task is not None:
            task.cancel()
        stop.insert(0, "interrupted")

    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, ask)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.remove_signal_handler(number)


def _open_journal(folder: RunFolder, prepared: Prepared) -> JournalWriter:
    path = folder.path
    is_old = (path / "manifest.json").exists()
    if is_old and not (prepared.options.resume or prepared.options.retry_errors):
        raise UsageError(f"{path}: holds a run already; continue it with --resume, or give --out")
    if is_old:
        _check_same(folder, prepared.manifest)
    try:
        _start_folder(folder, prepared, is_old=is_old)
        journal = JournalWriter(folder)
    except OSError as exc:
        raise UsageError(f"{path}: cannot be written: {exc.strerror}") from exc
    if is_old and prepared.options.retry_errors:
        errors = [record.key for record in folder.trials() if record.status == "error"]
        journal.drop(errors, path / "superseded.jsonl")
    return journal


def _start_folder(folder: RunFolder, prepared: Prepared, *, is_old: bool) -> None:
    path = folder.path
    if not is_old and path.exists() and any(path.iterdir()):
        raise UsageError(f"{path}: is not empty and holds no run; give another --out")
    path.mkdir(parents=True, exist_ok=True)
    if not is_old:
        lines = (
            case.model_dump_json(exclude_none=True).encode() + b"\n" for case in prepared.cases
        )
        write_whole(folder.cases_path, lines)
        write_manifest(folder, prepared.manifest)


def _check_same(folder: RunFolder, manifest: RunRecord) -> None:
    changed = differences(folder.manifest(), manifest)
    if changed:
        more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
        raise UsageError(f"{folder.path}: the experiment has changed: {changed[0]}{more}")
