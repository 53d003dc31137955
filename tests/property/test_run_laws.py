"""Laws of a run's folder: whatever is done to a run, in whatever order, no trial is lost or doubled."""

import asyncio
import signal
import sys
from collections import defaultdict
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from hypothesis import given, settings, strategies as st

from research_eval.dataset import Case
from research_eval.experiment import Configuration, Experiment, ExperimentSettings
from research_eval.journal import JournalWriter, RunFolder
from research_eval.provider_outage import ProviderOutages
from research_eval.runner import BudgetSettings, Prepared, RunOptions, Shard, execute
from research_eval.runner.manifest import make_manifest
from research_eval.runner.merge import merge_runs
from research_eval.runner.opening import Whole
from research_eval.runner.plan import plan_of
from research_eval.runner.trial import TrialResult
from research_eval.schema import Failure, ModelCalled, TrialKey, TrialRecord, Usage

EXECUTE = sys.modules[execute.__module__]
CASES = tuple(Case(id=name, question="Where?") for name in "abc")
SETTINGS = ExperimentSettings(
    name="e",
    dataset="d",
    cassettes="c",
    trials=2,
    configuration=tuple(
        Configuration.model_validate({"name": name, "model": "reference:honest"}) for name in "xy"
    ),
)
EXPERIMENT = Experiment(SETTINGS, Path("e.toml"))
MANIFEST = make_manifest(
    EXPERIMENT, CASES, SETTINGS.configuration, model_mode="replay", web_mode="replay",
    cassettes_sha256=None, on=date(2026, 1, 1),
)  # fmt: skip
PLAN = plan_of(MANIFEST)
TOKENS = 10
"""What a trial takes."""


class KilledError(Exception):
    """Ends an execution in the middle, as a signal does that nothing can answer."""


class Step(NamedTuple):
    """One command on the folder."""

    shard: Shard
    retry_errors: bool
    concurrency: int
    ending: str
    """What ends it: its plan, its budget, Ctrl-C or a kill."""
    after: int
    """Trials that have ended by then."""
    broken: frozenset[int]
    """Places in the plan of the trials that the provider breaks meanwhile."""


SHARDS = [Shard(part, of) for of in (1, 2, 3) for part in range(1, of + 1)]
STEPS = st.builds(
    Step,
    st.sampled_from(SHARDS),
    st.booleans(),
    st.integers(1, 4),
    st.sampled_from(["plan", "tokens", "interrupt", "kill"]),
    st.integers(0, 8),
    st.frozensets(st.integers(0, len(PLAN) - 1), max_size=5),
)
LAST = Step(Shard(1, 1), True, 3, "plan", 0, frozenset())


def result(key: TrialKey, *, is_broken: bool) -> TrialResult:
    called = ModelCalled(
        turn=1, attempt=1, text="-", finish_reason="stop", usage=Usage(requests=1, input_tokens=TOKENS)
    )  # fmt: skip
    record = TrialRecord(
        **key._asdict(), question="Where?", transcript=(called,),
        status="error" if is_broken else "completed",
        failure=Failure(kind="timeout", message="-") if is_broken else None,
    )  # fmt: skip
    return TrialResult(record, {}, {**key._asdict(), "wall_s": 1})


class View:
    """Hears of the trials that are kept, and ends the execution in the middle."""

    def __init__(self, step: Step, told: dict[TrialKey, list[str]]) -> None:
        self.step, self.told, self.ends = step, told, 0

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        pass

    def started(self, key):
        pass

    def event(self, key, event):
        pass

    def tick(self):
        pass

    def ended(self, record):
        self.told[record.key].append(record.status)
        self.ends += 1
        if self.step.ending == "interrupt" and self.ends == self.step.after:
            signal.raise_signal(signal.SIGINT)
        if self.step.ending == "kill" and self.ends > self.step.after:
            raise KilledError


async def nothing() -> None:
    pass


def prepared(step: Step, out: Path, spent: int) -> Prepared:
    limit = spent + TOKENS * step.after if step.ending == "tokens" else None
    options = RunOptions(
        out=out, retry_errors=step.retry_errors, concurrency=step.concurrency,
        shard=step.shard, budget=BudgetSettings(max_tokens=limit),
    )  # fmt: skip
    channels = SimpleNamespace(
        limiters=None,
        close=lambda: None,
        aclose=nothing,
        outage=lambda _: None,
        digest=lambda _: MANIFEST.cassettes_sha256,
        outages=ProviderOutages(),
    )
    plan = plan_of(MANIFEST, step.shard)
    folder = RunFolder(options.out)
    earlier = folder.manifest() if (folder.path / "manifest.json").exists() else None
    whole = Whole(CASES, SETTINGS.configuration, earlier)
    return Prepared(
        EXPERIMENT, CASES, SETTINGS.configuration, options, MANIFEST, plan, channels, whole, []
    )


def take(step: Step, out: Path, told: dict[TrialKey, list[str]]):
    """Execute one step; return how it ended, or `None` if it was killed."""

    async def run_trial(key, *_):
        await asyncio.sleep(0)
        return result(key, is_broken=PLAN.index(key) in step.broken)

    spent = TOKENS * sum(map(len, told.values()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EXECUTE, "build_trial", lambda *_, **__: None)
        patch.setattr(EXECUTE, "run_trial", run_trial)
        try:
            return execute(prepared(step, out, spent), lambda *_: View(step, told))
        except KilledError:
            return None


def history(folder: RunFolder) -> dict[TrialKey, list[str]]:
    """Return how the executions of each trial ended, as far as they are kept."""
    found = defaultdict(list)
    for trial in (*folder.superseded(), *folder.trials()):
        found[trial.key].append(trial.status)
    return found


def check(folder: RunFolder, told: dict[TrialKey, list[str]], step: Step, summary) -> None:
    """Refuse a trial that was told of and is not there, once, and a summary that says otherwise."""
    keys = [trial.key for trial in folder.trials()]
    assert sorted(keys) == sorted(told), "also before the next command repairs what a kill left"
    JournalWriter(folder).close()
    assert history(folder) == told
    if summary is None:
        return
    assert [trial.key for trial in folder.trials()] == [key for key in PLAN if key in told]
    plan = plan_of(MANIFEST, step.shard)
    assert summary.planned == len(plan)
    assert summary.done == len(told.keys() & set(plan))
    errors = {key for key in plan if told.get(key, [""])[-1] == "error"}
    if summary.stopped is None:
        assert summary.done == summary.planned
        assert summary.errors_left == 0
        assert not step.retry_errors or errors <= {PLAN[place] for place in step.broken}
    else:
        assert summary.done < summary.planned or summary.errors_left
        assert summary.errors_left <= len(errors)


WHOLE = b"".join(
    result(key, is_broken=False).record.model_dump_json(exclude_none=True).encode() + b"\n"
    for key in PLAN
)


HALF = settings(max_examples=max(1, settings().max_examples // 2))
"""Of the usual examples, each of which is a number of executions."""


@HALF
@given(st.lists(STEPS, max_size=6))
def test_no_sequence_of_commands_loses_or_doubles_a_trial_and_all_end_in_the_same_bytes(
    tmp_path_factory, steps
):
    folder = RunFolder(tmp_path_factory.mktemp("run") / "run")
    told = defaultdict(list)
    for step in (*steps, LAST):
        summary = take(step, folder.path, told)
        check(folder, told, step, summary)

    assert folder.trials_path.read_bytes() == WHOLE
    assert {path.name for path in folder.path.iterdir()} - {"superseded.jsonl"} == {
        "cases.jsonl", "executions.jsonl", "manifest.json", "timing.jsonl", "trials.jsonl"
    }  # fmt: skip


@HALF
@given(st.integers(1, 4), st.lists(STEPS, min_size=1, max_size=6), st.data())
def test_merged_parts_are_the_whole_run_with_every_earlier_try_and_all_figures(
    tmp_path_factory, count, steps, data
):
    place = tmp_path_factory.mktemp("merge")
    told = defaultdict(list)
    parts = [place / str(part) for part in range(1, count + 1)]
    for part, out in enumerate(parts, start=1):
        own = data.draw(st.lists(st.sampled_from(steps), max_size=3))
        told_here = defaultdict(list)
        for step in (*own, LAST):
            take(step._replace(shard=Shard(part, count)), out, told_here)
        told |= told_here

    assert merge_runs(parts, place / "merged") == (len(PLAN), len(PLAN))

    merged = RunFolder(place / "merged")
    assert merged.trials_path.read_bytes() == WHOLE
    assert history(merged) == told
    figures = b"".join((part / "timing.jsonl").read_bytes() for part in parts)
    assert merged.timing_path.read_bytes() == figures
