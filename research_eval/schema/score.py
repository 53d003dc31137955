"""A score, or the reason why there is none."""

from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from research_eval.schema.record import Record

__all__ = ["Better", "Score", "Scored", "Unit", "Unscored"]

Better = Literal["higher", "lower", "neither"]
Unit = Literal["yes_no", "share", "count", "points", "seconds", "usd"]
"""`yes_no`: once an answer. `share`: of the citations, claims or facts of an answer. `points`: a mark
that may be negative."""


class Scored(Record):
    """A scorer reached a value."""

    status: Literal["scored"] = "scored"
    name: str
    """What was measured, for instance `first_attempt_passed`."""
    value: float
    """For a yes or no: 1 or 0."""
    weight: float = 1.0
    """Size of the value's own denominator, for rates per citation; 1 for rates per answer."""
    detail: str = ""
    unit: Unit | None = None
    """What the value is, where the measure is none of the project's own; absent where nobody said."""
    better: Better | None = None
    """Whether more is better, likewise."""

    @model_serializer(mode="wrap")
    def _without_what_is_unknown(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        for name in ("unit", "better"):
            if data[name] is None:
                del data[name]
        return data


class Unscored(Record):
    """A scorer could not tell; counted and shown, never averaged in."""

    status: Literal["unscored"] = "unscored"
    name: str
    reason: str
    cause: Literal["error", "not_applicable", "undecided"] = "undecided"
    """`error`: the infrastructure failed; `not_applicable`: there was nothing to measure, so that
    the trial is no part of the denominator; `undecided`: the scorer reached no verdict."""


Score = Annotated[Scored | Unscored, Field(discriminator="status")]
"""The outcome of one measure on one trial."""
