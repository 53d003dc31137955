"""Fixtures and a mark for tests of one's own agent: a gate, a ledger made from URLs, the trials of a run.

Nothing here asks a network: an experiment is replayed from its recordings, unless the mark says otherwise.
"""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from research_eval.gate import Gate
    from research_eval.ledger import SourceRegistry
    from research_eval.schema import TrialKey, TrialRecord

if sys.platform != "win32":
    import fcntl

__all__ = [
    "citation_gate",
    "make_ledger",
    "pytest_addoption",
    "pytest_configure",
    "pytest_generate_tests",
    "trial",
]

MARK = "research_experiment"
OPTIONS = {
    "cases": "--case",
    "tags": "--tag",
    "configurations": "--configuration",
    "exclude": "--exclude",
    "model": "--model",
    "web": "--web",
}
"""What the mark takes, and the option of `research-eval run` that it is."""
ENDED = (0, 1, 3, 4)
"""Exit statuses of a run that left its trials in the journal; each trial says how it ended."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that chooses the gate."""
    group = parser.getgroup("research-eval")
    group.addoption(
        "--citation-gate",
        default="default",
        help="gate of the `citation_gate` fixture: a name, name@version or dotted path",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark."""
    config.addinivalue_line(
        "markers",
        f"{MARK}(path, *, cases, tags, configurations, exclude, model, web): call the function with "
        "each `trial` of an experiment, which is run once, offline",
    )


@pytest.fixture
def citation_gate(request: pytest.FixtureRequest) -> "Gate":
    """Return the gate that `--citation-gate` names."""
    from research_eval.gate import load_gate  # noqa: PLC0415  # pytest loads this for every project

    return load_gate(str(request.config.getoption("--citation-gate")))


@pytest.fixture
def make_ledger() -> "Callable[..., SourceRegistry]":
    """Return `SourceRegistry.from_urls`, which takes `fetched`, `searched`, `failed` and `given` URLs."""
    from research_eval.ledger import SourceRegistry  # noqa: PLC0415  # see above

    return SourceRegistry.from_urls


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a marked function one item for each trial of its experiment.

    Raises:
        pytest.UsageError: If the experiment cannot be read, or the mark asks for what there is not.
    """
    mark = metafunc.definition.get_closest_marker(MARK)
    if mark is None:
        return
    if "trial" not in metafunc.fixturenames:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: {MARK} needs an argument `trial`")
    words = _words(mark, metafunc.definition.path.parent)
    keys = _planned(mark, words[0], metafunc.definition.nodeid)
    ids = ["/".join(map(str, key)) for key in keys]
    metafunc.parametrize("trial", [(words, key) for key in keys], ids=ids, indirect=True)


@pytest.fixture
def trial(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> "TrialRecord":
    """Return a trial of the experiment; one that the infrastructure broke is an error of the item."""
    words, key = request.param
    store: dict[tuple[str, ...], dict[TrialKey, TrialRecord]] = request.config.stash.setdefault(
        _RUNS, {}
    )
    if words not in store:
        store[words] = _run(words, tmp_path_factory)
    record = store[words].get(key)
    if record is None:
        pytest.fail(f"{'/'.join(map(str, key))}: is not in the run")
    if record.status == "error" and record.failure is not None:
        pytest.fail(f"{record.failure.kind}: {record.failure.message}", pytrace=False)
    return record


_RUNS = pytest.StashKey[Any]()


def _words(mark: pytest.Mark, folder: Path) -> tuple[str, ...]:
    """Return the experiment and the options that a mark asks for, as `research-eval run` takes them.

    Raises:
        pytest.UsageError: If it asks for what there is not.
    """
    unknown = sorted(mark.kwargs.keys() - OPTIONS.keys())
    if len(mark.args) != 1 or unknown:
        what = f"unknown {unknown[0]!r}" if unknown else "expected one path"
        raise pytest.UsageError(f"{MARK}: {what}; it takes a path and {', '.join(OPTIONS)}")
    given = {key: [one] if isinstance(one, str) else list(one) for key, one in mark.kwargs.items()}
    options = [word for key, some in given.items() for one in some for word in (OPTIONS[key], one)]
    return (str((folder / str(mark.args[0])).resolve()), *options)


def _planned(mark: pytest.Mark, path: str, place: str) -> "list[TrialKey]":
    from research_eval.errors import UsageError  # noqa: PLC0415  # see above
    from research_eval.experiment import load_experiment  # noqa: PLC0415
    from research_eval.experiment.selection import select  # noqa: PLC0415
    from research_eval.runner import plan_trials  # noqa: PLC0415

    given = {key: [one] if isinstance(one, str) else one for key, one in mark.kwargs.items()}
    try:
        experiment = load_experiment(Path(path), ())
        cases, configurations = select(
            experiment,
            ids=given.get("cases"),
            tags=given.get("tags"),
            names=given.get("configurations"),
            excluded=given.get("exclude"),
        )
    except UsageError as exc:
        raise pytest.UsageError(f"{place}: {exc}") from exc
    names = [one.name for one in configurations]
    return plan_trials([case.id for case in cases], names, experiment.settings.trials)


def _run(
    words: tuple[str, ...], temporary: pytest.TempPathFactory
) -> "dict[TrialKey, TrialRecord]":
    """Run the experiment, or wait for the worker that does, and return its trials."""
    from hashlib import sha256  # noqa: PLC0415  # see above

    from research_eval.journal import RunFolder  # noqa: PLC0415

    base = temporary.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    name = f"research-eval-{sha256(shlex.join(words).encode()).hexdigest()[:12]}"
    folder, said = shared / name, shared / f"{name}.txt"
    with _locked(shared / f"{name}.lock"):
        if not said.exists():
            said.write_text(_execute(words, folder), encoding="utf-8")
    if complaint := said.read_text("utf-8"):
        pytest.fail(complaint, pytrace=False)
    return {record.key: record for record in RunFolder(folder).trials()}


def _execute(words: tuple[str, ...], folder: Path) -> str:
    """Run the experiment in a process of its own, and return what went wrong with the whole of it."""
    command = [sys.executable, "-m", "research_eval", "run", *words, "--out", str(folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    environment.pop("GITHUB_ACTIONS", None)
    done = subprocess.run(  # noqa: S603  # our own command
        [*command, "--no-report"], capture_output=True, text=True, check=False, env=environment
    )
    return "" if done.returncode in ENDED else done.stderr.strip()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let one process at a time in; the lock goes with the process."""
    with path.open("w", encoding="utf-8") as file:
        if sys.platform != "win32":
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
