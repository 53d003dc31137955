"""Run one trial: the only place where a failure becomes data."""

import time
from collections.abc import Callable, Mapping
from traceback import walk_tb
from typing import Any, NamedTuple

from research_eval.agent import AgentOutcome, CustomAgent
from research_eval.dataset import Case
from research_eval.errors import CassetteMissError, ConfigError, RunOverError, TrialError
from research_eval.plugin import fault_of, is_shutdown
from research_eval.provider_outage import ProviderOutage
from research_eval.runner.build import LiveTrial
from research_eval.schema import (
    AnswerChecked,
    Failure,
    Fidelity,
    ModelCalled,
    ReplayTally,
    SourceRecord,
    TrialKey,
    TrialRecord,
)
from research_eval.schema.outside import safe_text

MOST_WORDS = 500
"""Characters that are kept of what an unexpected exception says."""

__all__ = ["TrialResult", "run_trial"]


class TrialResult(NamedTuple):
    """What a trial leaves behind."""

    record: TrialRecord
    pages: Mapping[str, str]
    """The texts that its ledger and its tool calls point at, by digest."""
    timing: Mapping[str, Any]
    """Wall-clock figures, which differ from run to run."""
    outages: Mapping[str, ProviderOutage] = {}
    """What a worker elsewhere has learned of providers that serve no more, by scope."""


class _Began(NamedTuple):
    """When a trial began."""

    wall: float
    cpu: float

    def timing(self, key: TrialKey) -> dict[str, Any]:
        """Return what it has taken until now."""
        return {
            "case_id": key.case_id,
            "configuration": key.configuration,
            "trial": key.trial,
            "wall_s": round(time.perf_counter() - self.wall, 6),
            "process_cpu_s": round(time.process_time() - self.cpu, 6),
        }


async def run_trial(key: TrialKey, case: Case, build: Callable[[], LiveTrial]) -> TrialResult:
    """Run one trial to its end; whatever goes wrong inside stands in the record.

    Args:
        key: Which trial.
        case: What is asked.
        build: Makes its parts; what that raises is an error of the trial too.

    Raises:
        CassetteWriteError: If the recordings cannot be written.
        RunOverError: If a limit of the run ended the trial.
    """
    began = _Began(time.perf_counter(), time.process_time())
    try:
        live = build()
    except BaseException as exc:  # the user's own code makes a part of it
        if is_shutdown(exc):
            raise
        unmade = AgentOutcome(status="error", failure=_failure(exc))
        return TrialResult(_record(key, case, unmade, ReplayTally(), ()), {}, began.timing(key))
    return await _run(key, case, live, began)


async def _run(key: TrialKey, case: Case, live: LiveTrial, began: "_Began") -> TrialResult:
    outcome = await _outcome(case, live)
    web, model = live.sessions
    for session in live.sessions:
        if session.broken is not None:
            raise session.broken
    problem = model.problem or web.problem
    if problem is not None:
        kind = model.problem_kind if model.problem else web.problem_kind
        outcome = _stopped(outcome, kind, problem)
    timing = began.timing(key)
    tally = _sum(web.tally(), model.tally())
    fidelity = _fidelity(live, model.tally(), outcome)
    try:
        record = _record(key, case, outcome, tally, live.agent.ledger.records())
    except Exception as exc:  # noqa: BLE001  # of what a part of the trial left in the ledger
        failed = AgentOutcome(status="error", failure=_internal(exc))
        record = _record(key, case, failed, tally, ())
    if fidelity is not None:
        record = record.model_copy(update={"fidelity": fidelity})
    return TrialResult(record, {**live.agent.ledger.texts(), **live.agent.log.texts()}, timing)


def _fidelity(live: LiveTrial, model: ReplayTally, outcome: AgentOutcome) -> Fidelity | None:
    """Return what stands behind the trial of an agent of the user's own."""
    if not isinstance(live.agent, CustomAgent):
        return None
    is_seen = bool(model.hits or model.recorded or model.live)
    unseen = dict.fromkeys(
        violation.url
        for event in outcome.transcript
        if isinstance(event, AnswerChecked)
        for violation in event.verdict.violations
        if violation.kind == "unknown_url" and violation.url
    )
    return Fidelity(
        ledger="opened",
        model="recorded" if is_seen else "unseen",
        unseen_urls=tuple(unseen) or None,
    )


def _record(
    key: TrialKey,
    case: Case,
    outcome: AgentOutcome,
    tally: ReplayTally,
    sources: tuple[SourceRecord, ...],
) -> TrialRecord:
    return TrialRecord(
        case_id=key.case_id,
        configuration=key.configuration,
        trial=key.trial,
        question=case.question,
        language=case.language,
        tags=case.tags,
        status=outcome.status,
        answer=outcome.answer,
        references=outcome.references,
        usage=outcome.usage,
        failure=outcome.failure,
        sources=sources,
        transcript=outcome.transcript,
        replay=tally,
    )


async def _outcome(case: Case, live: LiveTrial) -> AgentOutcome:
    """Let the agent answer and close what it used.

    This is the boundary round a trial: nothing passes but the end of the run or of its task.
    """
    try:
        outcome = await _answered(case, live)
    finally:
        closing = await _closed(live)
    return outcome if closing is None else _with_failure(live, closing)


async def _answered(case: Case, live: LiveTrial) -> AgentOutcome:
    try:
        return await live.agent.run(case.question)
    except CassetteMissError as exc:
        failure = Failure(kind="cassette_miss", message=str(exc), turn=_turn(live))
    except TrialError as exc:
        failure = Failure(kind=str(getattr(exc, "kind", "other")), message=str(exc))
    except BaseException as exc:  # the boundary: data and plug-ins raise anything
        if is_shutdown(exc) or isinstance(exc, RunOverError):
            raise
        failure = _failure(exc)
    return _with_failure(live, failure)


async def _closed(live: LiveTrial) -> Failure | None:
    """Close what a trial used; return what went wrong, unless it ends the run."""
    try:
        await live.aclose()
    except BaseException as exc:  # a plug-in's own way to close
        if is_shutdown(exc):
            raise
        return _internal(exc)
    return None


def _with_failure(live: LiveTrial, failure: Failure) -> AgentOutcome:
    return AgentOutcome(status="error", failure=failure, transcript=live.agent.log.events())


def _failure(exc: BaseException) -> Failure:
    if isinstance(exc, ConfigError):
        return Failure(kind="plugin", message=safe_text(str(exc)))
    return _internal(exc)


def _internal(exc: BaseException) -> Failure:
    """Return an exception that nobody expected, with the part that it came from."""
    words = " ".join(fault_of(exc).split())[:MOST_WORDS]
    return Failure(kind="internal", message=safe_text(f"{_part(exc)}: {words}"))


def _part(exc: BaseException) -> str:
    """Return the part of the system under test that raised: the innermost of our packages."""
    names = [frame.f_globals.get("__name__", "") for frame, _ in walk_tb(exc.__traceback__)]
    ours = [name for name in names if name.startswith("research_eval.")]
    words = ours[-1].split(".") if ours else ["", "trial"]
    return " ".join(words[1:3] if words[1] == "tool" else words[1:2])


def _turn(live: LiveTrial) -> int:
    """Return the turn that a miss ended: the next model call's, or the one whose tools were at work."""
    events = live.agent.log.events()
    turns = sum(isinstance(event, ModelCalled) for event in events)
    _, model = live.sessions
    return turns + 1 if model.problem else turns


def _stopped(outcome: AgentOutcome, kind: str, problem: str) -> AgentOutcome:
    """Return the outcome of a trial whose cassette did not hold: an error, whatever came after."""
    turn = outcome.failure.turn if outcome.failure else None
    failure = Failure(kind=kind, message=problem, turn=turn)
    return outcome.model_copy(update={"status": "error", "failure": failure})


def _sum(first: ReplayTally, second: ReplayTally) -> ReplayTally:
    return ReplayTally(
        **{name: getattr(first, name) + getattr(second, name) for name in ReplayTally.model_fields}
    )
