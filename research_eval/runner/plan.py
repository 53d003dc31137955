"""Which trials a run consists of, and in which order: pure, so that planning and resuming agree."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from research_eval.errors import UsageError
from research_eval.schema import RunRecord, TrialKey

__all__ = ["Shard", "parse_shard", "plan_of", "plan_trials", "remaining"]


class Shard(NamedTuple):
    """One of several equal parts of a plan."""

    part: int
    """From 1."""
    of: int


def plan_trials(
    case_ids: Iterable[str],
    configurations: Iterable[str],
    trials: int,
    *,
    shard: Shard | None = None,
) -> list[TrialKey]:
    """Return the trials in journal order: all configurations of a case side by side.

    So whatever drifts while a live run lasts hits every configuration alike.

    >>> [tuple(key) for key in plan_trials(["a"], ["x", "y"], 2)]
    [('a', 'x', 1), ('a', 'y', 1), ('a', 'x', 2), ('a', 'y', 2)]
    """
    names = list(configurations)
    keys = [
        TrialKey(case_id, name, trial)
        for case_id in case_ids
        for trial in range(1, trials + 1)
        for name in names
    ]
    return keys if shard is None else keys[shard.part - 1 :: shard.of]


def plan_of(manifest: RunRecord, shard: Shard | None = None) -> list[TrialKey]:
    """Return the trials that a run is meant to hold, or one part of them, in journal order."""
    names = [configuration.name for configuration in manifest.configurations]
    return plan_trials(manifest.case_ids, names, manifest.trials, shard=shard)


def remaining(plan: Iterable[TrialKey], done: Collection[TrialKey]) -> list[TrialKey]:
    """Return the trials of `plan` that are still to run."""
    return [key for key in plan if key not in done]


def parse_shard(text: str) -> Shard:
    """Return the shard that `text` names, for instance `2/8`.

    Raises:
        UsageError: If it is not INDEX/COUNT with 1 <= INDEX <= COUNT.
    """
    index, slash, count = text.partition("/")
    if slash and index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count):
        return Shard(int(index), int(count))
    raise UsageError(f"--shard {text!r}: expected INDEX/COUNT, for instance 2/8")
