"""A scorer of the user's own, held to what scores must be before anything is made of them."""

from collections.abc import Iterable
from typing import get_args

from pydantic import ValidationError

from research_eval.dataset import Case
from research_eval.errors import ConfigError, ResearchEvalError
from research_eval.plugin import fault_of, is_shutdown, shown
from research_eval.schema import Score, Scored, TrialRecord, Unscored
from research_eval.scorer.measure import Better, Measure, Registry, Unit, measures_of
from research_eval.scorer.protocol import Pages, Scorer

__all__ = ["CustomScorer", "is_of_this_project"]

MOST = 1e100
"""Values and weights beyond this cannot be squared and added up."""
RESERVED = ("weight:", "unscored:", "tries:", "score:")
"""How columns of a report begin that are no scores."""


class CustomScorer:
    """Passes on what a scorer says, and refuses what would spoil a table."""

    def __init__(self, name: str, scorer: Scorer, built_in: Registry) -> None:
        """Hold a scorer to what it declares.

        Args:
            name: The name that the user gave.
            scorer: The user's.
            built_in: The measures whose names are taken.

        Raises:
            ConfigError: If it declares no measure, or one whose name is taken.
        """
        self.__name__ = name
        self._scorer = scorer
        self.measures = measures_of(scorer)
        for measure in self.measures:
            if problem := _bad_declaration(measure, built_in):
                raise ConfigError(f"scorer {name!r}: {problem}")
        self._declared = Registry(self.measures)
        if not self.measures:
            raise ConfigError(
                f"scorer {name!r} declares no measure; put @declares(Measure(name, unit, better,"
                " heading, meaning)) of research_eval.scorer above it"
            )

    def __call__(self, case: Case | None, trial: TrialRecord, pages: Pages) -> Iterable[Score]:
        """Return the scorer's scores.

        Raises:
            ConfigError: If one of them is no score, no finite number, or called like another, or
                the scorer raises.
        """
        try:
            found = tuple(self._scorer(case, trial, pages))
        except ResearchEvalError:
            raise
        except ValidationError as exc:
            first = exc.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"])) or exc.title
            raise self._refusal(
                trial, f"{place}: {first['msg']}, not {shown(first['input'])}"
            ) from exc
        except BaseException as exc:
            if is_shutdown(exc):
                raise
            what = f"it gives no scores: {exc}" if _is_of_the_call(exc) else fault_of(exc)
            raise self._refusal(trial, what) from exc
        self._check(trial, found)
        return found

    def _check(self, trial: TrialRecord, scores: tuple[Score, ...]) -> None:
        seen = set[str]()
        for score in scores:
            problem = _problem(score, seen, self._declared)
            if problem:
                raise self._refusal(trial, problem)
            seen.add(score.name)

    def _refusal(self, trial: TrialRecord, what: str) -> ConfigError:
        where = f"{trial.case_id}, {trial.configuration}, trial {trial.trial}"
        return ConfigError(f"scorer {self.__name__!r}: {what} ({where})")


def _is_of_the_call(exc: BaseException) -> bool:
    """Return whether the error was raised by the call itself, not within the scorer."""
    trace = exc.__traceback__
    return isinstance(exc, TypeError) and trace is not None and trace.tb_next is None


def _bad_declaration(measure: object, built_in: Registry) -> str | None:
    """Return what is wrong with a declaration; `None` if nothing is."""
    if not isinstance(measure, Measure):
        return f"{shown(measure)} declares no measure; expected a Measure"
    name = measure.name
    if not name.strip() or name.startswith(RESERVED):
        return f"{name!r} cannot be the name of a measure"
    if name in built_in or any(one.name == name for one in built_in):
        return f"{name!r} is a measure of the scorers built in; give it another name"
    if measure.unit not in get_args(Unit) or measure.better not in get_args(Better):
        return (
            f"{name!r}: unit {measure.unit!r}, better {measure.better!r}; expected a unit of"
            f" {', '.join(get_args(Unit))}, and better as {', '.join(get_args(Better))}"
        )
    return None


def _problem(score: object, seen: set[str], declared: Registry) -> str | None:
    """Return what is wrong with a score; `None` if nothing is."""
    if not isinstance(score, Scored | Unscored):
        return f"{shown(score)} is no score"
    name = score.name
    if name in seen:
        return f"it gives {name!r} twice"
    measure = declared.find(name)
    if measure is None:
        known = ", ".join(one.name for one in declared)
        return f"it gives {name!r}, which it does not declare; declared: {known}"
    return _bad_value(score, measure) if isinstance(score, Scored) else None


def _bad_value(score: Scored, measure: Measure) -> str | None:
    if score.weight < 0:
        return f"the weight of {score.name!r} is {score.weight:g}, below 0"
    if max(abs(score.value), score.weight) > MOST:
        return f"{score.name!r} is too large to be added up: {score.value:g}"
    return measure.problem(score.value, score.weight)


def is_of_this_project(scorer: object) -> bool:
    """Return whether a scorer, or a class that it comes from, is one of the project's own."""
    modules = {getattr(scorer, "__module__", ""), *(c.__module__ for c in type(scorer).__mro__)}
    return any(m.startswith("research_eval.scorer.") for m in modules - {Scorer.__module__})
