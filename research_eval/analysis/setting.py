"""Which settings of two configurations differ, by their dotted names."""

from collections.abc import Iterator, Mapping
from typing import Any

from research_eval.analysis.resilience import fault_words
from research_eval.analysis.side import Side
from research_eval.schema import Record, RunRecord

__all__ = ["SettingDifference", "is_identical_traffic", "setting_differences"]

ABSENT = "(absent)"
OF_EXECUTION = frozenset({"run.git", "run.platform", "run.python"})
"""What runs of earlier versions do not say."""


class SettingDifference(Record):
    """One setting that is not the same on both sides."""

    name: str
    """Dotted, for instance `configuration.agent.max_retries` or `run.code_version`."""
    base: str
    head: str


def setting_differences(base: Side, head: Side) -> list[SettingDifference]:
    """Return what differs between two sides: their settings, and what their runs were made with."""
    ours, theirs = dict(_settings(base)), dict(_settings(head))
    return [
        SettingDifference(name=name, base=ours.get(name, ABSENT), head=theirs.get(name, ABSENT))
        for name in sorted(ours.keys() | theirs.keys())
        if ours.get(name, ABSENT) != theirs.get(name, ABSENT)
        and not (
            name in OF_EXECUTION and ABSENT in {ours.get(name, ABSENT), theirs.get(name, ABSENT)}
        )
    ]


def is_identical_traffic(base: Side, head: Side) -> bool:
    """Return whether every trial of both sides met the very same recorded exchanges.

    So it is where both replay the same recordings, of the web and of this configuration's model,
    whatever other configurations a run has; both under one configuration's name, with the same
    question in each case that ran on both sides, and no trial went on after asking for what was
    never recorded. Then a difference is an effect, never chance: also that a trial has no value,
    since what stopped it would stop it again.
    """
    modes = {
        mode for side in (base, head) for mode in (side.manifest.model_mode, side.manifest.web_mode)
    }
    return (
        modes == {"replay"}
        and base.configuration.name == head.configuration.name
        and base.strays == head.strays == 0
        and _asks_the_same(base, head)
        and _is_same_cassette(base.manifest, head.manifest, base.configuration.name)
    )


def _asks_the_same(base: Side, head: Side) -> bool:
    """Return whether each case that both sides ran asks the same on both."""
    ours, theirs = base.run.questions, head.run.questions
    shared = {place[0] for place in base.ran} & {place[0] for place in head.ran}
    return all(ours[case_id] == theirs[case_id] for case_id in shared)


def _is_same_cassette(one: RunRecord, other: RunRecord, configuration: str) -> bool:
    """Return whether two replays of a configuration are known to read the same recordings."""
    if one.cassettes_sha256 is None or other.cassettes_sha256 is None:
        return False
    if one.cassettes_sha256 == other.cassettes_sha256:
        return True
    if one.recordings and other.recordings:
        alone = {run.recordings.digest([configuration]) for run in (one, other) if run.recordings}
        return len(alone) == 1 and None not in alone
    return _holds(one, other) or _holds(other, one)


def _holds(part: RunRecord, run: RunRecord) -> bool:
    """Return whether the recordings that a narrowed run knows make up those of another run."""
    if part.recordings is None:
        return False
    return part.recordings.digest(c.name for c in run.configurations) == run.cassettes_sha256


def _settings(side: Side) -> Iterator[tuple[str, str]]:
    run = side.manifest.model_dump(
        mode="json", exclude={"configurations", "case_ids", "recordings", "requirements"}
    )
    yield from _flat("run", run)
    yield "run.cases", str(len(side.manifest.case_ids))
    yield from _execution(side)
    configuration = side.configuration.model_dump(mode="json")
    settings = configuration["settings"]
    settings.pop("name", None)  # which stands above them already
    faults = settings.pop("fault", None)
    if faults:
        yield "configuration.settings.fault", "; ".join(map(fault_words, faults))
    yield from _flat("configuration", configuration)


def _execution(side: Side) -> Iterator[tuple[str, str]]:
    """Yield where a run was executed last, as far as its folder says."""
    executions = side.run.folder.executions() if side.run.folder else []
    if executions:
        last = executions[-1]
        yield "run.python", last.python
        yield "run.platform", last.platform
        if last.git is not None:
            yield "run.git", last.git.commit + ("" if last.git.is_clean else ", with changes")


def _flat(prefix: str, value: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401  # any JSON
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _flat(f"{prefix}.{key}", inner)
    else:
        yield prefix, str(value)
