"""Execute an experiment: plan, build, run, and leave a run folder that says everything."""

import asyncio
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import httpx

from research_eval.clock import SystemClock
from research_eval.dataset import Case
from research_eval.errors import ConfigError, RunOverError, UsageError
from research_eval.experiment import Configuration, Experiment
from research_eval.journal import JournalWriter, RunFolder, write_manifest, write_whole
from research_eval.provider_outage import ProviderOutages
from research_eval.runner.batch import run_batch
from research_eval.runner.budget import Budget, Meter
from research_eval.runner.build import LiveTrial, build_trial
from research_eval.runner.channels import Channels, open_channels
from research_eval.runner.cluster import WorkerTask, connect, require_dask, run_on_cluster
from research_eval.runner.identity import execution_now, keep_execution
from research_eval.runner.manifest import differences, make_manifest
from research_eval.runner.options import RunOptions
from research_eval.runner.parts import require_parts
from research_eval.runner.plan import plan_of, remaining
from research_eval.runner.pricing import prices_of, require_bounds, today
from research_eval.runner.progress import ProgressView, Waits
from research_eval.runner.spending import count_earlier, keep_unrecorded
from research_eval.runner.trial import TrialResult, run_trial
from research_eval.schema import Cost, Event, ModelCalled, RunRecord, TrialKey
from research_eval.secret import clean_json

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
    channels: Channels


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
    require_parts(experiment, configurations, options, is_world=world is not None)
    channels = open_channels(experiment, configurations, options, world)
    channels.require_writable()
    manifest = make_manifest(
        experiment,
        cases,
        configurations,
        model_mode=options.model_mode,
        web_mode=options.web_mode,
        cassettes_sha256=channels.digest(),
        on=today(),
    )
    require_bounds(configurations, manifest, options)
    plan = plan_of(manifest, options.shard)
    return Prepared(experiment, cases, configurations, options, manifest, plan, channels)


def execute(prepared: Prepared, view_of: ViewFactory) -> RunSummary:
    """Run what was prepared; every finished trial is in the journal whatever happens next.

    Raises:
        UsageError: If the folder holds another run, or cannot be written, before or during the run.
        KeyboardInterrupt: If the run was interrupted twice.
    """
    folder = RunFolder(prepared.options.out)
    had_folder, had_run = folder.path.exists(), (folder.path / "manifest.json").exists()
    try:
        journal = _open_journal(folder, prepared)
        try:
            place = prepared.experiment.path.resolve().parent
            keep_execution(folder, execution_now(prepared.options.command, place))
            return _run_in(folder, journal, prepared, view_of)
        except UsageError:
            journal.close()
            if not had_run:
                _take_back_start(folder, keeps_folder=had_folder)
            raise
        finally:
            journal.close()
    except OSError as exc:
        raise UsageError(f"{folder.path}: cannot be written: {exc.strerror}") from exc
    finally:
        prepared.channels.close()


def _take_back_start(folder: RunFolder, *, keeps_folder: bool) -> None:
    """Remove what stands in a run's folder before the first trial, if no trial followed."""
    before = (folder.path / "manifest.json", folder.cases_path, folder.executions_path,
              folder.spending_path)  # fmt: skip
    empty = (folder.trials_path, folder.timing_path)
    if not all(map(_is_empty, empty)):
        return
    for path in (*before, *empty):
        path.unlink(missing_ok=True)
    if not keeps_folder and not any(folder.path.iterdir()):
        folder.path.rmdir()


def _is_empty(path: Path) -> bool:
    return not path.exists() or path.stat().st_size == 0


def _run_in(
    folder: RunFolder, journal: JournalWriter, prepared: Prepared, view_of: ViewFactory
) -> RunSummary:
    """Run what the journal lacks of the plan, and what is to run again."""
    plan = prepared.plan
    again = _errors(folder) if prepared.options.retry_errors else frozenset()
    todo = remaining(plan, journal.done - again)
    limiters = prepared.channels.limiters
    waits = limiters.status if limiters else dict
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

    async def _run_here(self, todo: Sequence[TrialKey]) -> None:
        ticking = asyncio.create_task(self._tick())
        try:
            with _signals(self._stop):
                async with asyncio.timeout(self._prepared.options.budget.max_time_s):
                    await run_batch(
                        todo,
                        self._run_one,
                        self._keep,
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


def _open_journal(folder: RunFolder, prepared: Prepared) -> JournalWriter:
    path = folder.path
    if not (path / "manifest.json").exists():
        _start_folder(folder, prepared)
    elif prepared.options.resume or prepared.options.retry_errors:
        _go_on_with(folder, prepared.manifest)
    else:
        raise UsageError(f"{path}: holds a run already: use --resume, --overwrite or another --out")
    return JournalWriter(folder)


def _start_folder(folder: RunFolder, prepared: Prepared) -> None:
    """Write what stands in a run's folder before the first trial; the manifest says that it does."""
    path = folder.path
    if path.exists() and not all(map(_is_leftover, path.iterdir())):
        raise UsageError(f"{path}: is not empty and holds no run; give another --out")
    path.mkdir(parents=True, exist_ok=True)
    lines = (
        clean_json(case.model_dump_json(exclude_none=True)).encode() + b"\n"
        for case in prepared.cases
    )
    write_whole(folder.cases_path, lines)
    write_manifest(folder, prepared.manifest)


def _is_leftover(path: Path) -> bool:
    """Return whether a start that was killed left this behind."""
    return path.name == "cases.jsonl" or (path.name.startswith(".") and path.suffix == ".tmp")


def _go_on_with(folder: RunFolder, manifest: RunRecord) -> None:
    """Refuse to resume another experiment; keep the prices and the requirements of today."""
    earlier = folder.manifest()
    changed = differences(earlier, manifest)
    if changed:
        more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
        raise UsageError(f"{folder.path}: holds a run of something else: {changed[0]}{more}")
    named = ("configurations", "requirements")
    if any(getattr(earlier, name) != getattr(manifest, name) for name in named):
        of_today = {name: getattr(manifest, name) for name in named}
        write_manifest(folder, earlier.model_copy(update=of_today))
