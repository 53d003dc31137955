"""Numbers as options take them: within bounds, and never the one that is no number."""

import math
from typing import Any

import click
from typing_extensions import override

__all__ = ["ALPHA", "Number"]


class Number(click.FloatRange):
    """A number between two bounds."""

    @override
    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number.

        Raises:
            BadParameter: If it is none, or lies beyond the bounds.
        """
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


ALPHA = Number(1e-6, 0.999999)
"""A chance of error, as far as tests and intervals can be calculated."""
