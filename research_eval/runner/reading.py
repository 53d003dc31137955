"""Read an experiment and what is chosen of it; where anything is wrong, say everything that is."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from research_eval.dataset import Case, load_cases
from research_eval.errors import ConfigError, DatasetError, MissingSecretError, UsageError
from research_eval.experiment import Configuration, Experiment, ExperimentError, load_experiment
from research_eval.experiment.requirement import check_requirements
from research_eval.experiment.selection import select
from research_eval.runner.options import RunOptions
from research_eval.runner.parts import find_obstacles

__all__ = ["read_experiment"]


def read_experiment(
    path: Path,
    overrides: Iterable[str] = (),
    **selection: Any,  # noqa: ANN401  # handed on
) -> tuple[Experiment, Sequence[Case], Sequence[Configuration]]:
    """Return the experiment at `path`, and the cases and configurations that are chosen of it.

    Args:
        path: The TOML file.
        overrides: `key=value` pairs that go over it.
        selection: As `research_eval.experiment.selection.select` takes it.

    Raises:
        UsageError: With every mistake of the file, of its dataset, of its requirements, and of the
            parts that its configurations name.
    """
    experiment = None
    try:
        experiment = load_experiment(path, overrides)
        return (experiment, *select(experiment, **selection))
    except UsageError as exc:
        is_cut = isinstance(exc, ExperimentError)
        rest = exc.rest if isinstance(exc, ExperimentError) else experiment
        if rest is None:
            raise
        has_all_names = not isinstance(exc, ExperimentError) or exc.has_all_names
        faults = [*exc.faults, *_further(rest, has_all_names=has_all_names)]
        distinct = tuple(dict.fromkeys(faults))
        if not is_cut and distinct == exc.faults:
            raise
        raise ConfigError(*distinct) from exc


def _further(experiment: Experiment, *, has_all_names: bool) -> Iterator[str]:
    """Yield what else is wrong with an experiment of which something is."""
    cases = None
    if experiment.settings.dataset:
        try:
            cases = load_cases(experiment.dataset_path)
        except DatasetError as exc:
            yield from exc.faults
    try:
        check_requirements(experiment, cases, has_all_names=has_all_names)
    except ConfigError as exc:
        yield from exc.faults
    options = RunOptions(out=Path())
    is_world = experiment.settings.record_from == "world"
    configurations = experiment.settings.configuration
    for error in find_obstacles(experiment, configurations, options, is_world=is_world):
        if not isinstance(error, MissingSecretError):
            yield from error.faults
