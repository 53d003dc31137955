"""Execute an experiment: plan, build, run, and leave a run folder that says everything."""

import asyncio
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

import httpx

from research_eval.clock import SystemClock
from research_eval.dataset import Case
from research_eval.errors import ConfigError, RunOverError, UsageError
from research_eval.experiment import Configuration, Experiment
from research_eval.journal import JournalWriter, RunFolder
from research_eval.provider_outage import ProviderOutages
from research_eval.runner.batch import run_batch
from research_eval.runner.budget import Budget, Meter
from research_eval.runner.build import LiveTrial, build_trial
from research_eval.runner.channels import Channels, open_channels
from research_eval.runner.cluster import WorkerTask, connect, require_dask, run_on_cluster
from research_eval.runner.identity import execution_now, keep_execution
from research_eval.runner.opening import (
    Whole,
    manifest_of,
    open_journal,
    require_same,
    take_back_start,
    whole_run,
    write_plan,
)
from research_eval.runner.options import RunOptions
from research_eval.runner.parts import require_parts
from research_eval.runner.plan import plan_of, remaining
from research_eval.runner.pricing import prices_of, require_bounds
from research_eval.runner.progress import ProgressView, Waits
from research_eval.runner.spending import count_earlier, keep_unrecorded
from research_eval.runner.trial import TrialResult, run_trial
from research_eval.schema import Cost, Event, ModelCalled, RunRecord, TrialKey

__all__ = ["Prepared", "RunSummary", "execute", "prepare"]


ViewFactory = Callable[[int, int, Waits], ProgressView]
"""Makes the progress view from the numbers of planned and done trials, and what tells of waiting."""

TICK_S = 1.0


class Prepared(NamedTuple):
    """A run that has been checked and may start."""

    experiment: Experiment
    cases: Sequence[Case]
    configurations: Sequence[Configuration]
    options: RunOptions
    manifest: RunRecord
    plan: list[TrialKey]
    """The trials that were selected, or their part of the shard."""
    channels: Channels
    whole: Whole
    """What the folder holds or is to hold, with what is not selected now."""
    growth: list[str]
    """What this adds to the run in the folder, in words."""


class RunSummary(NamedTuple):
    """How a run ended."""

    planned: int
    """Trials that this execution was to see done: the plan, or its shard of it."""
    done: int
    """How many of those the journal holds."""
    errors_left: int
    """How many of those ended in an error and were to run again, and did not."""
    stopped: str | None
    """Why not everything ran that was to run, or `None` if it did."""
    costs: dict[str, Cost]
    """What the model calls cost by configuration, earlier executions of the run included."""
    lost_calls: int = 0
    """Calls that broke off, so that nobody knows what they cost."""
    lost_usd: float = 0.0
    """What those cost at most, US dollars."""
    earlier_usd: float = 0.0
    """What earlier executions may have spent on calls that are in no record, US dollars."""


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
    if options.scheduler and "record" in (options.model_mode, options.web_mode):
        raise ConfigError("--scheduler: recordings have one writer; record without it")
    if options.scheduler:
        require_dask()
    if not cases or not configurations:
        raise ConfigError(f"{experiment.path}: nothing to run: no case or configuration is left")
    whole = whole_run(experiment, cases, configurations, options)
    active = whole.configurations if options.model_mode == "replay" else configurations
    require_parts(experiment, active, options, is_world=world is not None)
    channels = open_channels(experiment, active, options, world)
    channels.require_writable()
    manifest, growth = manifest_of(experiment, whole, options, channels.digest)
    require_bounds(configurations, manifest, options)
    ids, names = {case.id for case in cases}, {one.name for one in configurations}
    plan = [
        key
        for key in plan_of(manifest, options.shard)
        if key.case_id in ids and key.configuration in names
    ]
    return Prepared(
        experiment, whole.cases, active, options, manifest, plan, channels, whole, growth
    )


def execute(prepared: Prepared, view_of: ViewFactory) -> RunSummary:
    """Run what was prepared; every finished trial is in the journal whatever happens next.

    Raises:
        UsageError: If the folder holds another run, or cannot be written, before or during the run.
        KeyboardInterrupt: If the run was interrupted twice.
    """
    folder = RunFolder(prepared.options.out)
    had_folder, had_run = folder.path.exists(), (folder.path / "manifest.json").exists()
    try:
        journal = open_journal(folder, prepared.whole, prepared.manifest)
        try:
            place = prepared.experiment.path.resolve().parent
            keep_execution(folder, execution_now(prepared.options.command, place))
            return _run_in(folder, journal, prepared, view_of)
        except UsageError:
            journal.close()
            if not had_run:
                take_back_start(folder, keeps_folder=had_folder)
            raise
        finally:
            journal.close()
    except OSError as exc:
        raise UsageError(f"{folder.path}: cannot be written: {exc.strerror}") from exc
    finally:
        prepared.channels.close()


def _run_in(
    folder: RunFolder, journal: JournalWriter, prepared: Prepared, view_of: ViewFactory
) -> RunSummary:
    """Run what the journal lacks of the plan, and what is to run again."""
    plan = prepared.plan
    again = _errors(folder) if prepared.options.retry_errors else frozenset()
    limiters = prepared.channels.limiters
    waits = limiters.status if limiters else dict
    again |= _unlike(folder, prepared, journal, view_of)
    write_plan(folder, prepared.whole, prepared.manifest)
    todo = remaining(plan, journal.done - again)
    with view_of(len(plan), len(plan) - len(todo), waits) as view:
        execution = _Execution(prepared, journal, view)
        if prepared.options.model_mode != "replay":
            count_earlier(execution.budget, folder)
        try:
            stopped = execution.run(todo)
        finally:
            keep_unrecorded(execution.budget, folder)
    journal.finish(plan_of(prepared.manifest))
    return RunSummary(
        planned=len(plan),
        done=len(journal.done.intersection(plan)),
        errors_left=len(again.intersection(todo) - execution.kept),
        stopped=stopped,
        costs=execution.costs,
        lost_calls=execution.budget.lost_calls,
        lost_usd=execution.budget.lost.usd,
        earlier_usd=execution.budget.earlier.usd,
    )


def _unlike(
    folder: RunFolder, prepared: Prepared, journal: JournalWriter, view_of: ViewFactory
) -> frozenset[TrialKey]:
    """Replay what is done where the recordings changed; return the trials that left the earlier ones.

    Raises:
        UsageError: If another trial would end otherwise now.
    """
    earlier = prepared.whole.earlier
    if earlier is None or prepared.channels.digest([c.name for c in earlier.configurations]) == (
        earlier.cassettes_sha256
    ):
        return frozenset()
    left = frozenset(
        record.key
        for record in folder.trials()
        if record.failure is not None and record.failure.kind.startswith("cassette_")
    )
    same = sorted(journal.done - left)
    with view_of(len(same), 0, dict) as view:
        execution = _Execution(prepared, journal, view)
        stopped, found = execution.replay(same)
    if stopped:
        raise UsageError(f"{folder.path}: {stopped}; nothing was changed")
    require_same(folder, found)
    return left


def _errors(folder: RunFolder) -> frozenset[TrialKey]:
    return frozenset(record.key for record in folder.trials() if record.status == "error")


class _Execution:
    """One execution while it lasts: where results go, and why it may have to stop."""

    def __init__(self, prepared: Prepared, journal: JournalWriter, view: ProgressView) -> None:
        self._prepared = prepared
        self._journal = journal
        self._view = view
        self.budget = Budget(
            prepared.options.budget,
            SystemClock(),
            prices_of(prepared.manifest),
        )
        self._stop: list[str] = []
        self.kept: set[TrialKey] = set()
        self._cases = {case.id: case for case in prepared.cases}
        self._configurations = {item.name: item for item in prepared.configurations}

    @property
    def costs(self) -> dict[str, Cost]:
        """What the model calls cost, by configuration."""
        return dict(self.budget.costs)

    def run(self, todo: Sequence[TrialKey]) -> str | None:
        """Run the trials of `todo`; return why some of them did not run, if some did not."""
        if self._prepared.options.scheduler:
            self._run_on_cluster(todo, self._prepared.options.scheduler)
        else:
            try:
                asyncio.run(self._run_here(todo))
            except ExceptionGroup as group:
                raise group.exceptions[0] from None
            except asyncio.CancelledError:
                raise KeyboardInterrupt from None
        refused = dict.fromkeys(item.words for item in self._outages().known().values())
        if refused:
            self._stop.append("; ".join(refused))
        is_all = len(self.kept) == len(todo) and not refused
        return self._stop[0] if self._stop and not is_all else None

    def replay(self, keys: Sequence[TrialKey]) -> tuple[str | None, dict[TrialKey, str]]:
        """Run trials again and keep nothing; return why not all of them ran, and each record's line."""
        found: dict[TrialKey, str] = {}

        def note(result: TrialResult) -> None:
            found[result.record.key] = result.record.json_line()
            self._view.ended(result.record)

        asyncio.run(self._run_here(keys, note))
        return (self._stop[0] if self._stop else None), found

    async def _run_here(
        self, todo: Sequence[TrialKey], keep: Callable[[TrialResult], None] | None = None
    ) -> None:
        ticking = asyncio.create_task(self._tick())
        try:
            with _signals(self._stop):
                async with asyncio.timeout(self._prepared.options.budget.max_time_s):
                    await run_batch(
                        todo,
                        self._run_one,
                        keep or self._keep,
                        concurrency=self._prepared.options.concurrency,
                        may_start=self._may_start,
                        is_served=self._is_served,
                    )
        except TimeoutError:
            self._stop.append(self.budget.overdue() or "the time is up")
        finally:
            ticking.cancel()
            await self._prepared.channels.aclose()

    async def _tick(self) -> None:
        """Let the view tell waiting from hanging while no trial moves."""
        while True:
            await asyncio.sleep(TICK_S)
            self._view.tick()

    def _run_on_cluster(self, todo: Sequence[TrialKey], address: str) -> None:
        options = self._prepared.options
        settings = self._prepared.experiment.settings
        task = WorkerTask(
            settings.model_dump_json(),
            str(self._prepared.experiment.path.resolve()),
            options.model_dump_json(),
            tuple(case.model_dump_json() for case in self._prepared.cases),
        )
        with connect(address) as client:
            run_on_cluster(
                client,
                task,
                todo,
                self._keep_remote,
                may_start=self._may_start,
                is_served=self._is_served,
                in_flight=options.concurrency,
            )

    async def _run_one(self, key: TrialKey) -> TrialResult | None:
        """Run a trial; return nothing of one that a limit of the run ended."""
        self._view.started(key)
        configuration = self._configurations[key.configuration]
        meter = self.budget.meter(key.configuration, configuration.model.max_tokens)
        settings, channels = self._prepared.experiment.settings, self._prepared.channels

        def build() -> LiveTrial:
            noting = (lambda event: self._note(key, event, meter),)
            return build_trial(key, settings, configuration, channels, noting, meter)

        result: TrialResult | None = None
        try:
            result = await run_trial(key, self._cases[key.case_id], build)
        except RunOverError as exc:
            if not self._stop:
                self._stop.append(str(exc))
            self._view.dropped(key)
        finally:
            meter.close(is_kept=result is not None)
        return result

    def _note(self, key: TrialKey, event: Event, meter: Meter) -> None:
        if isinstance(event, ModelCalled):
            is_custom = self._configurations[key.configuration].agent.is_custom
            (meter.told if is_custom else meter.replied)(event.usage)
        self._view.event(key, event)

    def _keep(self, result: TrialResult) -> None:
        self._journal.add(result.record, result.pages, result.timing)
        self.kept.add(result.record.key)
        self._view.ended(result.record)

    def _keep_remote(self, result: TrialResult) -> None:
        for scope, outage in result.outages.items():
            self._outages().note(scope, outage)
        if self._prepared.options.model_mode != "replay":
            self.budget.add_trial(result.record)
        self._keep(result)

    def _outages(self) -> ProviderOutages:
        return self._prepared.channels.outages

    def _is_served(self, key: TrialKey) -> bool:
        """Return whether the trial's providers serve; else it stays missing."""
        configuration = self._configurations[key.configuration]
        return self._prepared.channels.outage(configuration) is None

    def _may_start(self) -> bool:
        if not self._stop and (why := self.budget.exhausted()):
            self._stop.append(why)
        return not self._stop


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
