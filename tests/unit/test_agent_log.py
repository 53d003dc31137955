"""The transcript while it is written."""

from hashlib import sha256

import pytest

from research_eval.agent import EventLog
from research_eval.agent.log import MAX_RESULT_CHARS
from research_eval.clock import SystemClock, VirtualClock
from research_eval.schema import ModelCalled, PromptRendered, ToolCalled, Usage

MODEL = ModelCalled(turn=1, attempt=1, text="x", finish_reason="stop", usage=Usage())
TOOL = ToolCalled(turn=1, tool_call_id="a", tool="fetch", arguments="{}", ok=True)
PROMPT = PromptRendered(system_prompt="x", tools=())


def test_events_keep_their_order():
    log = EventLog(SystemClock())

    for event in (PROMPT, MODEL, TOOL):
        log.emit(event)

    assert log.events() == (PROMPT, MODEL, TOOL)
    assert log.events(since=2) == (TOOL,)
    assert len(log) == 3


def test_time_counts_from_the_trial_s_beginning():
    clock = VirtualClock()
    clock.advance(100.0)
    log = EventLog(clock)
    clock.advance(1.5)

    log.emit(MODEL)

    assert log.events()[0].at_s == 1.5


def test_a_stamp_that_is_there_is_kept():
    log = EventLog(VirtualClock())

    log.emit(TOOL.model_copy(update={"at_s": 7.0}))

    assert log.events()[0].at_s == 7.0


def test_an_observer_may_ask_for_some_kinds_alone():
    everything: list[object] = []
    calls: list[object] = []
    log = EventLog(SystemClock(), [everything.append])
    log.subscribe(calls.append, ToolCalled)

    log.emit(MODEL)
    log.emit(TOOL)

    assert everything == [MODEL, TOOL]
    assert calls == [TOOL]


def test_an_observer_s_fault_is_not_hidden():
    def broken(event: object) -> None:
        raise RuntimeError("no room on the screen")

    with pytest.raises(RuntimeError, match="no room"):
        EventLog(SystemClock(), [broken]).emit(MODEL)


def test_equal_results_are_kept_once_without_secrets_and_can_be_written():
    log = EventLog(SystemClock(), scrub=lambda text: text.replace("s3cret", "REDACTED"))

    first, second = log.keep("half \ud83d of s3cret"), log.keep("half \ud83d of s3cret")

    assert first == second == sha256(log.texts()[first].encode()).hexdigest()
    assert dict(log.texts()) == {first: r"half \ud83d of REDACTED"}


def test_of_an_endless_result_the_first_part_is_kept():
    log = EventLog(SystemClock())

    assert len(log.texts()[log.keep("ab" * MAX_RESULT_CHARS)]) == MAX_RESULT_CHARS
