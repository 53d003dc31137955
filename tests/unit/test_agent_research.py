"""The loop: turns, the gate, retries, how a trial ends, what it tells."""

import pytest

from research_eval.agent import (
    AgentOutcome,
    AgentSettings,
    EventLog,
    Exchange,
    ResearchAgent,
)
from research_eval.clock import Clock, SystemClock, VirtualClock
from research_eval.errors import ModelError, ToolError
from research_eval.gate import load_gate
from research_eval.ledger import SourceRegistry
from research_eval.schema import (
    AnswerChecked,
    Fetched,
    ModelCalled,
    ModelReply,
    PromptRendered,
    ToolCall,
    ToolCalled,
    Usage,
)
from research_eval.testing import ScriptedModel, ScriptedTool, call_tool
from research_eval.tool.kit import ToolKit
from research_eval.tool.protocol import ToolOutcome

PAGE = "https://port.example/history"
CITED = f"It opened in 1907 ({PAGE})."
UNCITED = "It opened in 1907."
FETCH = call_tool("fetch", f'{{"url": "{PAGE}"}}')

pytestmark = pytest.mark.anyio


class OpeningTool(ScriptedTool):
    """A fetch tool that files what it opens, as the real one does."""

    def __init__(self, ledger, log):
        super().__init__("fetch", ["the page"] * 99, ["url"])
        self._ledger, self._log = ledger, log

    async def __call__(self, arguments):
        event = Fetched(url=str(arguments["url"]), final_url=str(arguments["url"]), ok=True)
        self._log.emit(event)
        self._ledger.add_page(event, "The port opened in 1907.")
        return await super().__call__(arguments)


def build(replies, *, clock: Clock | None = None, tools=None, observers=(), **settings):
    clock = clock or VirtualClock()
    log, ledger = EventLog(clock, observers), SourceRegistry()
    kit = ToolKit(
        fetch=OpeningTool(ledger, log),
        search=ScriptedTool("web_search", ["1. A\n   URL: https://a.example/"] * 99, ["query"]),
        extra=tools or (),
    )
    model = replies if hasattr(replies, "reply") else ScriptedModel(replies)
    agent = ResearchAgent(
        AgentSettings(**settings),
        model=model,
        kit=kit,
        ledger=ledger,
        gate=load_gate("default"),
        log=log,
        clock=clock,
    )
    return agent, model


async def ask(replies, **settings) -> tuple[AgentOutcome, ScriptedModel]:
    agent, model = build(replies, **settings)
    return await agent.run("When did the port open?"), model


async def test_an_answer_that_cites_an_opened_page_completes_with_its_references():
    outcome, _ = await ask([FETCH, CITED])

    assert outcome.status == "completed"
    assert outcome.answer == CITED
    assert [reference.url for reference in outcome.references] == [PAGE]
    assert outcome.failure is None


async def test_a_rejected_answer_comes_back_as_a_user_turn_and_may_be_repaired():
    outcome, model = await ask([UNCITED, FETCH, CITED])

    rejected, told = model.seen[1][-2:]
    assert outcome.status == "completed"
    assert (rejected.role, rejected.text) == ("assistant", UNCITED)
    assert told.role == "user"
    assert "URL" in told.text


async def test_every_attempt_is_checked_the_last_one_too():
    outcome, _ = await ask([UNCITED, UNCITED, UNCITED, CITED])

    checks = [event for event in outcome.transcript if isinstance(event, AnswerChecked)]
    assert [check.attempt for check in checks] == [1, 2, 3]
    assert [check.corrective is None for check in checks] == [False, False, True]


async def test_an_answer_that_never_passes_is_rejected_with_its_text_and_violations():
    outcome, _ = await ask([UNCITED] * 3)

    assert outcome.status == "rejected"
    assert outcome.answer == UNCITED
    assert [violation.kind for violation in outcome.verdict.violations] == ["no_citation"]
    assert outcome.references == ()


async def test_without_retries_the_one_answer_is_still_checked():
    outcome, model = await ask([UNCITED, CITED], max_retries=0)

    assert outcome.status == "rejected"
    assert len(model.seen) == 1


async def test_a_model_that_never_answers_meets_the_turn_limit():
    outcome, model = await ask([FETCH] * 9, max_turns=3)

    assert (outcome.status, outcome.failure.kind) == ("limit", "turns")
    assert len(model.seen) == 3


async def test_turns_count_anew_in_every_attempt():
    outcome, _ = await ask([FETCH, UNCITED, FETCH, CITED], max_turns=2)

    assert outcome.status == "completed"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (FETCH, "turns"),
        (ModelReply(text="No.", finish_reason="refusal"), "refusal"),
        (ModelReply(text="It op", finish_reason="length"), "length"),
    ],
    ids=["turns", "refusal", "length"],
)
async def test_after_a_rejected_answer_running_out_does_not_wash_it_clean(reply, kind):
    outcome, _ = await ask([UNCITED, *[reply] * 3], max_turns=2)

    assert (outcome.status, outcome.answer, outcome.failure.kind) == ("rejected", UNCITED, kind)


@pytest.mark.parametrize("reason", ["refusal", "content_filter"])
async def test_a_model_that_declines_is_refused(reason):
    outcome, _ = await ask([ModelReply(text="I cannot.", finish_reason=reason)])

    assert (outcome.status, outcome.failure.kind, outcome.answer) == ("refused", reason, None)


async def test_an_answer_that_was_cut_short_is_no_answer():
    outcome, _ = await ask([ModelReply(text=CITED, finish_reason="length")])

    assert (outcome.status, outcome.failure.kind) == ("limit", "length")


async def test_tool_calls_of_a_reply_that_was_cut_short_are_still_made():
    cut = FETCH.model_copy(update={"finish_reason": "length"})

    outcome, _ = await ask([cut, CITED])

    assert outcome.status == "completed"


async def test_a_failing_provider_is_an_error_and_never_a_rejection():
    outcome, _ = await ask([UNCITED, ModelError("gone", kind="server", status=500)])

    assert (outcome.status, outcome.failure.kind, outcome.failure.turn) == ("error", "server", 2)
    assert outcome.answer == UNCITED


async def test_a_conversation_that_outgrew_the_model_is_a_limit():
    outcome, _ = await ask([ModelError("too long", kind="context", status=400)])

    assert (outcome.status, outcome.failure.kind) == ("limit", "context")


async def test_a_tool_that_cannot_go_on_ends_the_trial_as_an_error():
    class Broken(ScriptedTool):
        async def __call__(self, arguments):
            raise ToolError("the disk is gone")

    outcome, _ = await ask([call_tool("broken")], tools=[Broken("broken", [])])

    assert (outcome.status, outcome.failure.message) == ("error", "the disk is gone")


@pytest.mark.parametrize(
    ("reply", "error", "words"),
    [
        (call_tool("browse"), "unknown_tool", "web_search, fetch"),
        (call_tool("fetch", '{"url": "https://po'), "malformed_arguments", "url"),
        (call_tool("fetch", '["https://port.example"]'), "malformed_arguments", "url"),
    ],
    ids=["unknown", "cut", "array"],
)
async def test_a_call_that_cannot_be_made_goes_back_to_the_model(reply, error, words):
    outcome, model = await ask([reply, FETCH, CITED])

    told = model.seen[1][-1]
    called = next(event for event in outcome.transcript if isinstance(event, ToolCalled))
    assert outcome.status == "completed"
    assert told.is_error
    assert words in told.text
    assert (called.ok, called.error) == (False, error)


async def test_empty_arguments_are_an_empty_object():
    tool = ScriptedTool("clock", ["noon"])

    await ask([call_tool("clock", ""), FETCH, CITED], tools=[tool])

    assert tool.calls == [{}]


async def test_parallel_calls_are_answered_in_their_order():
    calls = (
        ToolCall(id="b", name="web_search", arguments='{"query": "port"}'),
        ToolCall(id="a", name="fetch", arguments=f'{{"url": "{PAGE}"}}'),
    )
    both = ModelReply(tool_calls=calls, finish_reason="tool_calls")

    outcome, model = await ask([both, CITED])

    results = [message.tool_call_id for message in model.seen[1] if message.role == "tool"]
    assert outcome.status == "completed"
    assert results == ["b", "a"]


async def test_a_failed_tool_call_is_marked_for_the_model_and_the_transcript():
    tool = ScriptedTool("flaky", [ToolOutcome(text="try later", ok=False, error="timeout")])

    outcome, model = await ask([call_tool("flaky"), FETCH, CITED], tools=[tool])

    called = next(event for event in outcome.transcript if isinstance(event, ToolCalled))
    assert (called.error, called.result_chars) == ("timeout", len("try later"))
    assert model.seen[1][-1].is_error


async def test_usage_is_summed_over_all_calls():
    used = Usage(requests=1, input_tokens=10, output_tokens=2)
    replies = [FETCH.model_copy(update={"usage": used}), ModelReply(text=CITED, usage=used)]

    outcome, _ = await ask(replies)

    assert outcome.usage == Usage(requests=2, input_tokens=20, output_tokens=4)


async def test_no_call_is_made_once_the_tokens_are_spent():
    used = FETCH.model_copy(update={"usage": Usage(requests=1, input_tokens=90, output_tokens=10)})

    outcome, model = await ask([used] * 5, max_total_tokens=200)

    assert (outcome.status, outcome.failure.kind, len(model.seen)) == ("limit", "tokens", 2)


async def test_the_transcript_tells_what_happened_in_order():
    outcome, _ = await ask([FETCH, CITED])

    kinds = [event.kind for event in outcome.transcript]
    assert kinds == ["prompt", "model", "fetch", "tool", "model", "gate"]


async def test_observers_hear_of_the_prompt_and_of_usage_while_it_runs():
    heard: list[object] = []
    agent, _ = build([FETCH, CITED])
    agent.log.subscribe(heard.append, ModelCalled, PromptRendered)

    await agent.run("When did the port open?")

    prompt, first, second = heard
    assert "fetch" in prompt.system_prompt
    assert prompt.tools == ("web_search", "fetch")
    assert (first.turn, second.turn, second.usage.requests) == (1, 2, 1)


async def test_a_conversation_keeps_question_and_answer_and_the_ledger():
    agent, model = build([FETCH, CITED, CITED])
    first = await agent.run("When did the port open?")

    second = await agent.run(
        "And again?", history=[Exchange("When did the port open?", first.answer)]
    )

    roles = [message.role for message in model.seen[2]]
    assert roles == ["system", "user", "assistant", "user"]
    assert second.status == "completed"
    assert [event.kind for event in second.transcript] == ["prompt", "model", "gate"]


async def test_what_the_provider_wants_back_is_sent_back():
    thought = FETCH.model_copy(update={"provider_state": {"signature": "abc"}})

    _, model = await ask([thought, CITED])

    assert model.seen[1][-2].provider_state == {"signature": "abc"}


class SlowModel(ScriptedModel):
    """A model whose every call takes some time of the trial's clock."""

    def __init__(self, replies, clock, seconds):
        super().__init__(replies)
        self._clock, self._seconds = clock, seconds

    async def reply(self, messages, tools):
        await self._clock.sleep(self._seconds)
        return await super().reply(messages, tools)


@pytest.mark.parametrize("clock", [VirtualClock(), SystemClock()], ids=["virtual", "real"])
@pytest.mark.parametrize(
    ("settings", "kind"),
    [({"turn_timeout_s": 0.05}, "turn_timeout"), ({"trial_timeout_s": 0.05}, "trial_timeout")],
    ids=["turn", "trial"],
)
async def test_time_runs_out(clock, settings, kind):
    outcome, _ = await ask(SlowModel([CITED], clock, 0.2), clock=clock, **settings)

    assert (outcome.status, outcome.failure.kind) == ("limit", kind)


async def test_virtual_time_stands_on_the_events():
    clock = VirtualClock()

    outcome, _ = await ask(SlowModel([FETCH, CITED], clock, 2.0), clock=clock)

    calls = [event for event in outcome.transcript if isinstance(event, ModelCalled)]
    assert [(call.at_s, call.latency_s) for call in calls] == [(2.0, 2.0), (4.0, 2.0)]


async def test_real_time_leaves_no_trace_in_the_transcript():
    outcome, _ = await ask([FETCH, CITED], clock=SystemClock())

    calls = [event for event in outcome.transcript if isinstance(event, ModelCalled)]
    assert {(call.at_s, call.latency_s) for call in calls} == {(None, None)}
