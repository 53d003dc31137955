"""Configurations of the base run that the head run does not have."""

from typing import Literal

from research_eval.journal import RunFolder
from research_eval.schema import Record

__all__ = ["Absent", "find_absent"]


class Absent(Record):
    """One configuration that is not compared, since head lacks it."""

    base: str
    """The run and the configuration, for people."""
    head: str
    """The run without it."""
    configuration: str
    verdict: Literal["inconclusive", "not_compared"]
    """`not_compared` where nobody asks for a ruling, or some were left out on purpose."""


def find_absent(base: RunFolder, head: RunFolder, *, is_ruled: bool) -> list[Absent]:
    """Return the configurations that head lacks, inconclusive where a ruling is asked for.

    Raises:
        UsageError: If a run has no manifest.
        RecordError: If a manifest cannot be read.
    """
    theirs = {one.name for one in head.manifest().configurations}
    return [
        Absent(
            base=f"{base.path}: {one.name}",
            head=str(head.path),
            configuration=one.name,
            verdict="inconclusive" if is_ruled else "not_compared",
        )
        for one in base.manifest().configurations
        if one.name not in theirs
    ]
