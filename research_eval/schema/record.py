"""The one base class of everything that crosses a border or touches the disk."""

from collections.abc import Iterator
from typing import get_args

from pydantic import BaseModel, ConfigDict

__all__ = ["Record", "records_in"]


class Record(BaseModel):
    """A frozen value; unknown fields are an error, not a surprise."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


def records_in(annotation: object) -> Iterator[type[BaseModel]]:
    """Yield the models that a value of a type may be, or hold in its lists and tables."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from records_in(inner)
