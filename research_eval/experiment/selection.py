"""Which cases and configurations of an experiment are chosen: names and patterns in, both lists out."""

from collections.abc import Iterable, Sequence

from research_eval.dataset import Case, load_cases, select_cases
from research_eval.dataset.select import matching
from research_eval.errors import ConfigError
from research_eval.experiment.loader import Experiment
from research_eval.experiment.requirement import check_requirements
from research_eval.experiment.settings import Configuration

__all__ = ["select"]


def select(
    experiment: Experiment,
    *,
    ids: Iterable[str] | None = None,
    tags: Iterable[str] | None = None,
    limit: int | None = None,
    names: Iterable[str] | None = None,
    excluded: Iterable[str] | None = None,
) -> tuple[Sequence[Case], Sequence[Configuration]]:
    """Return the cases and configurations that are chosen, in the order of their files.

    Args:
        experiment: The settings and their place.
        ids: Cases: ids, or patterns with `*` and `?`; none chooses all.
        tags: Only cases with one of these tags.
        limit: Only so many cases, from the first.
        names: Configurations: names or patterns; none chooses all.
        excluded: Cases and configurations that are left out: names or patterns.

    Raises:
        UsageError: If the dataset cannot be read, or a name or requirement speaks of nothing in it.
    """
    every = load_cases(experiment.dataset_path)
    check_requirements(experiment, every)
    configurations = experiment.settings.configuration
    known = [item.name for item in configurations]
    both = [*(case.id for case in every), *known]
    left_out = set(matching("case or configuration", excluded or (), both))
    cases = select_cases(
        [case for case in every if case.id not in left_out], ids=ids, tags=tags, limit=limit
    )
    wanted = matching("configuration", names or (), known) or known
    picked = [item for item in configurations if item.name in {*wanted} - left_out]
    if not picked:
        raise ConfigError("no configuration is left: all that were chosen are excluded")
    return cases, picked
