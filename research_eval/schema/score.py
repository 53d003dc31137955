"""A score, or the reason why there is none."""

from typing import Annotated, Literal

from pydantic import Field

from research_eval.schema.record import Record

__all__ = ["Score", "Scored", "Unscored"]


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
