"""Run one trial: the only place where a failure becomes data."""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from research_eval.agent import AgentOutcome
from research_eval.dataset import Case
from research_eval.errors import CassetteMissError, ConfigError, TrialError
from research_eval.refusal import Refusal
from research_eval.runner.build import LiveTrial
from research_eval.schema import Failure, ModelCalled, ReplayTally, TrialKey, TrialRecord

__all__ = ["TrialResult", "run_trial"]


class TrialResult(NamedTuple):
    """What a trial leaves behind."""

    record: TrialRecord
    pages: Mapping[str, str]
    """The texts that its ledger and its tool calls point at, by digest."""
    timing: Mapping[str, Any]
    """Wall-clock figures, which differ from run to run."""
    refusals: Mapping[str, Refusal] = {}
    """What a worker elsewhere has learned of providers that serve no more, by scope."""


async def run_trial(key: TrialKey, case: Case, live: LiveTrial) -> TrialResult:
    """Run one trial to its end; whatever goes wrong inside stands in the record.

    Raises:
        ConfigError: If a part of the user's own fails.
    """
    began = time.perf_counter()
    began_cpu = time.process_time()
    try:
        outcome = await _outcome(case, live)
    except ConfigError as exc:
        where = f"{key.case_id}, {key.configuration}, trial {key.trial}"
        raise ConfigError(f"{exc} ({where})") from exc
    finally:
        await live.aclose()
    web, model = live.sessions
    problem = model.problem or web.problem
    if problem is not None:
        kind = model.problem_kind if model.problem else web.problem_kind
        outcome = _stopped(outcome, kind, problem)
    record = TrialRecord(
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
        sources=live.agent.ledger.records(),
        transcript=outcome.transcript,
        replay=_sum(web.tally(), model.tally()),
    )
    timing = {
        "case_id": key.case_id,
        "configuration": key.configuration,
        "trial": key.trial,
        "wall_s": round(time.perf_counter() - began, 6),
        "process_cpu_s": round(time.process_time() - began_cpu, 6),
    }
    texts = {**live.agent.ledger.texts(), **live.agent.log.texts()}
    return TrialResult(record, texts, timing)


async def _outcome(case: Case, live: LiveTrial) -> AgentOutcome:
    try:
        return await live.agent.run(case.question)
    except CassetteMissError as exc:
        failure = Failure(kind="cassette_miss", message=str(exc), turn=_turn(live))
    except TrialError as exc:
        failure = Failure(kind=str(getattr(exc, "kind", "other")), message=str(exc))
    return AgentOutcome(status="error", failure=failure, transcript=live.agent.log.events())


def _turn(live: LiveTrial) -> int:
    """Return the turn that a miss ended: the next model call's, or the one whose tools were at work."""
    events = live.agent.log.events()
    turns = sum(isinstance(event, ModelCalled) for event in events)
    _, model = live.sessions
    return turns + 1 if model.problem else turns


def _stopped(outcome: AgentOutcome, kind: str, problem: str) -> AgentOutcome:
    """Return the outcome of a trial whose tape did not hold: an error, whatever came after."""
    turn = outcome.failure.turn if outcome.failure else None
    failure = Failure(kind=kind, message=problem, turn=turn)
    return outcome.model_copy(update={"status": "error", "failure": failure})


def _sum(first: ReplayTally, second: ReplayTally) -> ReplayTally:
    return ReplayTally(
        **{name: getattr(first, name) + getattr(second, name) for name in ReplayTally.model_fields}
    )
