"""Check the requirements of an experiment against what it has: a threshold on nothing never passes."""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from research_eval.dataset import Case
from research_eval.errors import ConfigError
from research_eval.experiment.loader import Experiment
from research_eval.hint import did_you_mean
from research_eval.plugin import RENAMED
from research_eval.schema import Requirement
from research_eval.scorer import load_scorer, registry

__all__ = ["check_measure", "check_requirements"]


def check_requirements(
    experiment: Experiment, cases: Sequence[Case] | None, *, has_all_names: bool = True
) -> None:
    """Refuse requirements that speak of nothing in the experiment, whose words are misspelt.

    Args:
        experiment: The settings and their place.
        cases: All of its dataset; `None` if it cannot be read.
        has_all_names: Whether all configurations could be read.

    Raises:
        ConfigError: With the file and each requirement's number, from 1.
    """
    faults = list(_faults(experiment, cases, has_all_names=has_all_names))
    if faults:
        raise ConfigError(*faults)


def _faults(
    experiment: Experiment, cases: Sequence[Case] | None, *, has_all_names: bool
) -> Iterator[str]:
    settings = experiment.settings
    names = [one.name for one in settings.configuration] if has_all_names else None
    ids = None if cases is None else [case.id for case in cases]
    tags = None if cases is None else sorted({tag for case in cases for tag in case.tags})
    for number, wanted in enumerate(settings.require, start=1):
        place = f"require {number}"
        patterns = (("configuration", names), ("case", ids), ("tag", tags))
        for what, known in patterns:
            pattern = getattr(wanted, what)
            if known is not None and pattern != "*" and not _matches(pattern, known):
                hint = did_you_mean(pattern, known)
                where = experiment.where(("require", number - 1, what))
                yield f"{where}: {place}: {what}: {pattern!r} matches none{hint}"
        try:
            check_measure(place, wanted)
        except ConfigError as exc:
            where = experiment.where(("require", number - 1, "measure"))
            yield from (f"{where}: {fault}" for fault in exc.faults)


def _matches(pattern: str, known: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for name in known)


def check_measure(place: str, wanted: Requirement) -> None:
    """Refuse a requirement on a measure that no scorer declares.

    Raises:
        ConfigError: If it is one; the message names the nearest measure.
    """
    if wanted.scorer is not None:
        load_scorer(wanted.scorer)
        return
    known = registry()
    if wanted.measure is None or wanted.measure in known:
        return
    names = [one.name for one in known if not one.is_family]
    hint = did_you_mean(wanted.measure, names)
    if wanted.measure in RENAMED:
        hint = f"; it is called {RENAMED[wanted.measure]!r} now"
    own = '; a scorer of your own is named with scorer = "package.module:name"'
    raise ConfigError(f"{place}: measure: there is no {wanted.measure!r}{hint}{own}")
