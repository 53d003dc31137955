"""Check the requirements of an experiment against what it has: a threshold on nothing never passes."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

from research_eval.dataset import Case
from research_eval.errors import ConfigError
from research_eval.experiment.loader import Experiment
from research_eval.plugin import RENAMED
from research_eval.schema import Requirement
from research_eval.scorer import load_scorer, registry

__all__ = ["check_measure", "check_requirements"]


def check_requirements(experiment: Experiment, cases: Sequence[Case]) -> None:
    """Refuse a requirement that speaks of nothing in the experiment, whose words are misspelt.

    Args:
        experiment: The settings and their place.
        cases: All of its dataset.

    Raises:
        ConfigError: With the file and the requirement's number, from 1.
    """
    settings = experiment.settings
    names = [one.name for one in settings.configuration]
    ids = [case.id for case in cases]
    tags = sorted({tag for case in cases for tag in case.tags})
    for number, wanted in enumerate(settings.require, start=1):
        place = f"{experiment.path}: require {number}"
        _check_pattern(f"{place}: configuration", wanted.configuration, names)
        _check_pattern(f"{place}: case", wanted.case, ids)
        if wanted.tag != "*":
            _check_pattern(f"{place}: tag", wanted.tag, tags)
        check_measure(place, wanted)


def _check_pattern(place: str, pattern: str, known: Sequence[str]) -> None:
    if not any(fnmatchcase(name, pattern) for name in known):
        raise ConfigError(f"{place}: {pattern!r} matches none{_nearest(pattern, known)}")


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
    hint = _nearest(wanted.measure, names)
    if wanted.measure in RENAMED:
        hint = f"; it is called {RENAMED[wanted.measure]!r} now"
    own = '; a scorer of your own is named with scorer = "package.module:name"'
    raise ConfigError(f"{place}: measure: there is no {wanted.measure!r}{hint}{own}")


def _nearest(word: str, known: Iterable[str]) -> str:
    found = get_close_matches(word, list(known), 1, cutoff=0.5)
    return f"; did you mean {found[0]!r}?" if found else ""
