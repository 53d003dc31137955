"""Run trials on a Dask cluster: the same plan, the same journal; a lost worker loses nothing."""

import asyncio
import logging
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from research_eval.dataset import Case
from research_eval.errors import ConfigError
from research_eval.experiment import Experiment, ExperimentSettings
from research_eval.runner.build import build_trial
from research_eval.runner.channels import Channels, open_channels
from research_eval.runner.options import RunOptions
from research_eval.runner.trial import TrialResult, run_trial
from research_eval.schema import TrialKey

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

__all__ = ["WorkerTask", "connect", "require_dask", "run_on_cluster", "spread"]

Item = TypeVar("Item")
Result = TypeVar("Result")

LOCAL = "local"
"""The scheduler's address that means: start workers on this machine."""

AHEAD = 2
"""Items in flight for each thread of the workers, so that none waits for its next one."""


class WorkerTask(NamedTuple):
    """What a worker needs to run any trial of a run; the same bytes for all of them."""

    experiment: str
    """The resolved settings, as JSON."""
    path: str
    """The experiment's file; workers read its recordings there, on a shared file system."""
    options: str
    """The run's options, as JSON."""
    cases: tuple[str, ...]
    """The cases, as JSON."""


def require_dask() -> None:
    """Refuse to go on without Dask.

    Raises:
        ConfigError: If it is not installed.
    """
    try:
        import distributed  # noqa: F401, PLC0415  # an optional extra
    except ImportError as exc:
        raise ConfigError("--scheduler needs the extra: pip install 'research-eval[dask]'") from exc


@contextmanager
def connect(address: str) -> "Iterator[Client]":
    """Connect to the scheduler at `address`, or start workers here for `local`.

    Raises:
        ConfigError: If Dask is not installed, or the scheduler cannot be reached.
    """
    require_dask()
    from distributed import Client, LocalCluster  # noqa: PLC0415  # an optional extra

    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # its errors are raised too
    with ExitStack() as stack:
        try:
            place: Any = address
            if address == LOCAL:
                place = stack.enter_context(_workers_here(LocalCluster))
            client = stack.enter_context(Client(place, timeout="10s"))
        except (OSError, ValueError, AssertionError) as exc:  # the last for a port left out
            why = str(exc) or "expected tcp://HOST:PORT"
            raise ConfigError(f"--scheduler {address}: cannot be reached: {why}") from exc
        yield client


def _workers_here(start: "type[LocalCluster]") -> "LocalCluster":
    """Start workers that Ctrl-C in this terminal does not reach: this process ends them.

    Processes and threads hold back the signals that the thread which starts them holds back.
    """
    with ThreadPoolExecutor(1, initializer=_hold_back_interrupts) as pool:
        return pool.submit(
            start,
            processes=True,
            threads_per_worker=1,
            silence_logs=logging.ERROR,
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # any free port
        ).result()


def _hold_back_interrupts() -> None:
    if sys.platform != "win32":
        resource_tracker.ensure_running()  # or whoever starts it later lets them through again
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def run_on_cluster(
    client: "Client",
    task: WorkerTask,
    keys: Sequence[TrialKey],
    keep: Callable[[TrialResult], None],
    *,
    may_start: Callable[[], bool],
    is_served: Callable[[TrialKey], bool],
    in_flight: int,
) -> None:
    """Run the trials of `keys` on the cluster and keep each result once, as it comes.

    Trials are idempotent: Dask sends one again when its worker is lost, and the first result counts.

    Args:
        client: The connection to the cluster.
        task: What the workers need.
        keys: The trials, in order.
        keep: Takes a result; called in this process alone.
        may_start: Asked before each start.
        is_served: Asked before each start; a trial of which it says no is passed over.
        in_flight: Trials submitted at once.
    """
    from distributed import as_completed  # noqa: PLC0415  # an optional extra

    shared = client.submit(
        WorkerTask, *task, pure=False
    )  # scattered, it would die with its workers
    waiting = (key for key in keys if is_served(key))
    completed: Any = as_completed([])

    def submit() -> bool:
        if not may_start():
            return False
        key = next(waiting, None)
        if key is None:
            return False
        completed.add(client.submit(run_remote, shared, tuple(key), pure=False, retries=3))
        return True

    while completed.count() < in_flight and submit():
        pass
    for future in completed:
        keep(_result(future))
        submit()


def spread(
    client: "Client",
    work: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    in_flight: int | None = None,
) -> Iterator[Result]:
    """Yield what `work` makes of each item, in their order; at most `in_flight` are kept at once.

    `work` gives the same result for the same item, so that a lost worker's items are done again.

    Args:
        client: The connection to the cluster.
        work: What a worker does with an item; it and the item are pickled.
        items: Taken one by one, no sooner than they are sent.
        in_flight: Items sent and not yet yielded; by default as many as keep the workers busy.

    Raises:
        ConfigError: If the cluster is lost, or an item kills every worker that it is given to.
    """
    most = in_flight or max(16, AHEAD * sum(client.nthreads().values()))
    waiting: deque[Any] = deque()
    for item in items:
        waiting.append(client.submit(work, item, pure=False, retries=3))
        if len(waiting) >= most:
            yield _result(waiting.popleft())
    while waiting:
        yield _result(waiting.popleft())


def _result(future: Any) -> Any:  # noqa: ANN401  # Dask's futures have no types
    """Return what a future holds.

    Raises:
        ConfigError: If the cluster is lost, or the task kills every worker that it is given to.
    """
    from distributed import KilledWorker  # noqa: PLC0415  # an optional extra
    from distributed.comm.core import CommClosedError  # noqa: PLC0415  # an optional extra

    try:
        return future.result()
    except KilledWorker as exc:
        raise ConfigError("--scheduler: every worker that was given one task died of it") from exc
    except (CancelledError, CommClosedError) as exc:
        raise ConfigError("--scheduler: the connection to the scheduler is lost") from exc


def run_remote(task: WorkerTask, key: tuple[str, str, int]) -> TrialResult:
    """Run one trial in a worker; all of a worker's trials share one event loop."""
    return _loop().run(_run(task, TrialKey(*key)))


@lru_cache(maxsize=1)
def _loop() -> asyncio.Runner:
    return asyncio.Runner()


async def _run(task: WorkerTask, key: TrialKey) -> TrialResult:
    experiment, cases, channels = _opened(task)
    configuration = next(
        item for item in experiment.configuration if item.name == key.configuration
    )
    result = await run_trial(
        key, cases[key.case_id], lambda: build_trial(key, experiment, configuration, channels)
    )
    return result._replace(outages=channels.outages.known())


@lru_cache(maxsize=2)
def _opened(task: WorkerTask) -> tuple[ExperimentSettings, dict[str, Case], Channels]:
    """Open recordings once for all trials of a run that a worker gets."""
    settings = ExperimentSettings.model_validate_json(task.experiment)
    options = RunOptions.model_validate_json(task.options)
    cases = [Case.model_validate_json(text) for text in task.cases]
    channels = open_channels(
        Experiment(settings, Path(task.path)), settings.configuration, options, None
    )
    return settings, {case.id: case for case in cases}, channels
