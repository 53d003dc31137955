"""How often the support check errs, as measured against people; printed beside its shares.

`benchmarks/support.py FOLDER` measures the published sets again and compares with this table.
"""

from typing import NamedTuple

from research_eval.stats.agreement import Validation

__all__ = ["MEASURED", "LevelCounts", "SupportErrors"]


class LevelCounts(NamedTuple):
    """How many claims of one level people called supported, and how many not."""

    supported: int
    unsupported: int

    @property
    def total(self) -> int:
        """All claims of the level."""
        return self.supported + self.unsupported


class SupportErrors(NamedTuple):
    """The check's confusion table on one labelled set."""

    labelled_set: str
    red: LevelCounts
    green: LevelCounts
    undecided: LevelCounts

    @property
    def red_precision(self) -> float | None:
        """Of the claims that are RED, the share that people called unsupported."""
        return self.red.unsupported / self.red.total if self.red.total else None

    @property
    def green_precision(self) -> float | None:
        """Of the claims that are GREEN, the share that people called supported."""
        return self.green.supported / self.green.total if self.green.total else None

    def as_validation(self) -> Validation:
        """Return RED as a test of being unsupported, to correct an observed share of RED with."""
        return Validation(
            true_positive=self.red.unsupported,
            false_negative=self.green.unsupported + self.undecided.unsupported,
            true_negative=self.green.supported + self.undecided.supported,
            false_positive=self.red.supported,
        )


MEASURED: tuple[SupportErrors, ...] = (
    SupportErrors(
        "WiCE dev, whole cited pages",
        red=LevelCounts(8, 103),
        green=LevelCounts(37, 9),
        undecided=LevelCounts(70, 122),
    ),
    SupportErrors(
        "ExpertQA a, passages cut from pages",
        red=LevelCounts(130, 62),
        green=LevelCounts(61, 13),
        undecided=LevelCounts(156, 81),
    ),
)
"""People's labels: partial support counts as none."""
