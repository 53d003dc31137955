"""A requirement: a threshold that decides an exit status, and what came of it."""

from fnmatch import fnmatchcase
from typing import Any, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from research_eval.schema.record import Record

__all__ = ["Requirement", "RequirementRuling", "Requirements", "RulingVerdict"]

RulingVerdict = Literal["failed", "inconclusive", "holds", "skipped"]
"""`inconclusive`: too few trials have a value. `skipped`: nothing of this run was asked for."""

EVERYTHING = "*"


class Requirement(Record):
    """A threshold on a measure, or on the number of errors; changes no result of a trial."""

    measure: str | None = None
    """The measure's name; `max_errors` alone needs none."""
    scorer: str | None = None
    """A scorer of one's own that gives the measure, `package.module:name`."""
    configuration: str = EVERYTHING
    """Which configurations: a name, or a pattern with `*` and `?`; each is ruled apart."""
    case: str = EVERYTHING
    """Only trials of these cases: an id or a pattern."""
    tag: str = EVERYTHING
    """Only trials of cases with such a tag: a tag or a pattern."""
    min: float | None = None
    """The value must not be lower."""
    max: float | None = None
    """The value must not be higher."""
    at: Literal["point", "lower", "upper"] = "point"
    """What is compared with `min` or `max`: the value, or a bound of its 95 % interval."""
    max_flips: int | None = Field(default=None, ge=0)
    """Trials whose value may differ from the base's; ruled by `compare`, which has a base."""
    max_errors: int | None = Field(default=None, ge=0)
    """Trials that the infrastructure may break."""
    min_coverage: float = Field(default=0.9, ge=0, le=1)
    """Share of the planned trials that must have a value; with fewer nothing is decided."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        bounds = [self.min, self.max, self.max_flips]
        if all(value is None for value in (*bounds, self.max_errors)):
            raise ValueError("demands nothing: give min, max, max_flips or max_errors")
        if self.measure is None and any(value is not None for value in bounds):
            raise ValueError("min, max and max_flips need a measure")
        if self.measure is None and self.scorer is not None:
            raise ValueError("scorer needs a measure")
        if self.at == "lower" and (self.min is None or self.max is not None):
            raise ValueError('at = "lower" goes with min alone')
        if self.at == "upper" and (self.max is None or self.min is not None):
            raise ValueError('at = "upper" goes with max alone')
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min:g} is above max {self.max:g}")
        return self

    @model_serializer(mode="wrap")
    def _without_defaults(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields = type(self).model_fields
        return {k: v for k, v in handler(self).items() if v != fields[k].default}

    @property
    def words(self) -> str:
        """What it demands, in one line."""
        bound = {"point": "", "lower": " at the lower bound", "upper": " at the upper bound"}
        name = self.measure or ""
        parts = [
            text
            for value, text in (
                (self.min, f"{name} >= {self.min}{bound[self.at]}"),
                (self.max, f"{name} <= {self.max}{bound[self.at]}"),
                (self.max_flips, f"flips of {name} <= {self.max_flips}"),
                (self.max_errors, f"errors <= {self.max_errors}"),
            )
            if value is not None
        ]
        where = [
            f"{what} {pattern}"
            for what, pattern in (("case", self.case), ("tag", self.tag))
            if pattern != EVERYTHING
        ]
        return " and ".join(parts) + (f" ({', '.join(where)})" if where else "")

    def covers_configuration(self, name: str) -> bool:
        """Return whether it speaks of a configuration."""
        return fnmatchcase(name, self.configuration)

    def covers_case(self, case_id: str, tags: tuple[str, ...]) -> bool:
        """Return whether it speaks of the trials of a case."""
        has_tag = self.tag == EVERYTHING or any(fnmatchcase(tag, self.tag) for tag in tags)
        return has_tag and fnmatchcase(case_id, self.case)


class RequirementRuling(Record):
    """What came of a requirement under one configuration."""

    requirement: str
    """What is demanded, in words."""
    configuration: str
    """Its name; the requirement's pattern where none of the run matches."""
    verdict: RulingVerdict
    reason: str
    measure: str | None = None
    value: float | None = None
    interval: tuple[float, float] | None = None
    """95 %."""
    trials: int = 0
    """Trials with a value."""
    planned: int = 0
    """Trials that were to have one."""
    errors: int = 0
    flips: int | None = None
    """Trials whose value differs from the base's, where there is a base."""


class Requirements(Record):
    """All rulings of a run, the file `requirements.json` of its folder."""

    schema_version: Literal[1] = 1
    verdict: RulingVerdict
    """The most serious one: a failure, then what is inconclusive; `inconclusive` if all were skipped."""
    rulings: tuple[RequirementRuling, ...]
