"""The loop: turns, the gate, retries, how a trial ends, what it tells."""

import pytest

from research_eval.agent import (
    AgentOutcome,
    AgentSettings,
    EventLog,
    Exchange,
    ResearchAgent,
)
from research_eval.agent.tool_set import ToolSet
from research_eval.clock import Clock, EventClock, SystemClock, VirtualClock, run_on_event_clock
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
from research_eval.waiting import Waits

PAGE = "https://port.example/history"
CITED = f"It opened in 1907 ({PAGE})."
UNCITED = "It opened in 1907."
FETCH = call_tool("fetch", f'{{"url": "{PAGE}"}}')
SEARCH = call_tool("web_search", '{"query": "port"}')

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


def build(replies, *, clock: Clock | None = None, tools=None, observers=(), waits=None, **settings):
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
        waits=waits,
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


async def test_turns_start_again_in_every_attempt():
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

    assert (outcome.status, outcome.failure.kind) == ("cut", "length")


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


async def test_a_later_reader_finds_what_the_model_read():
    agent, model = build([SEARCH, FETCH, CITED])

    outcome = await agent.run("When did the port open?")

    named = [e.result_sha256 for e in outcome.transcript if isinstance(e, ToolCalled)]
    read = [message.text for message in model.seen[-1] if message.role == "tool"]
    assert [agent.log.texts()[digest] for digest in named] == read
    assert len(read) == 2


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
async def test_time_that_runs_out_while_the_model_is_waited_for_is_no_fault_of_the_agent(
    clock, settings, kind
):
    outcome, _ = await ask(SlowModel([CITED], clock, 0.2), clock=clock, **settings)

    assert (outcome.status, outcome.failure.kind) == ("error", "timeout")
    assert f"had not answered when the {kind[:-8]}'s 0.05 s ({kind}_s) were over" in (
        outcome.failure.message
    )


async def test_time_that_many_answered_turns_use_up_is_a_limit():
    clock = VirtualClock()

    outcome, _ = await ask(SlowModel([FETCH] * 9, clock, 1), clock=clock, trial_timeout_s=5.5)

    assert (outcome.status, outcome.failure.kind) == ("limit", "trial_timeout")


@pytest.mark.parametrize("late", [2.1, 60], ids=["twice the slowest before", "for ever"])
async def test_one_answer_that_is_later_than_all_before_it_is_to_blame(late):
    clock = VirtualClock()
    model = SlowModel([FETCH] * 9, clock, 1)

    async def reply(messages, tools):
        if len(model.seen) == 4:
            model._seconds = late
        return await SlowModel.reply(model, messages, tools)

    model.reply = reply
    outcome, _ = await ask(model, clock=clock, trial_timeout_s=6.05)

    assert (outcome.status, outcome.failure.kind) == ("error", "timeout")


class HeldModel(ScriptedModel):
    """A model whose first call is held back for a while, and answered late after that."""

    def __init__(self, clock, waits, held_s, late_s=0.0):
        super().__init__([FETCH, CITED])
        self._clock, self._waits = clock, waits
        self._held_s, self._late_s = held_s, late_s

    async def reply(self, messages, tools):
        if not self.seen:
            with self._waits.held():
                await self._clock.sleep(self._held_s)
            await self._clock.sleep(self._late_s)
        return await super().reply(messages, tools)


class TickingClock(EventClock):
    """A clock like the system's, with timers, on a loop whose time costs nothing."""

    is_virtual = False


def ask_on_a_ticking_clock(held_s, late_s, **settings):
    async def main(clock):
        ticking = TickingClock(clock.now)
        waits = Waits(ticking)
        model = HeldModel(ticking, waits, held_s, late_s)
        return (await ask(model, clock=ticking, waits=waits, **settings))[0]

    return run_on_event_clock(main)


LIMITS = pytest.mark.parametrize("setting", ["turn_timeout_s", "trial_timeout_s"])


@LIMITS
def test_time_in_which_the_trial_is_held_back_does_not_count(setting):
    outcome = ask_on_a_ticking_clock(50, 4, **{setting: 5})

    assert outcome.status == "completed"


@LIMITS
async def test_nor_does_it_in_a_replay(setting):
    clock = VirtualClock()
    waits = Waits(clock)

    outcome, _ = await ask(HeldModel(clock, waits, 50, 4), clock=clock, waits=waits, **{setting: 5})

    assert outcome.status == "completed"


@LIMITS
def test_after_a_hold_the_time_goes_on_where_it_stood(setting):
    outcome = ask_on_a_ticking_clock(50, 6, **{setting: 5})

    assert (outcome.status, outcome.failure.kind) == ("error", "timeout")


async def test_virtual_time_stands_on_the_events():
    clock = VirtualClock()

    outcome, _ = await ask(SlowModel([FETCH, CITED], clock, 2.0), clock=clock)

    calls = [event for event in outcome.transcript if isinstance(event, ModelCalled)]
    assert [(call.at_s, call.latency_s) for call in calls] == [(2.0, 2.0), (4.0, 2.0)]


async def test_real_time_leaves_no_trace_in_the_transcript():
    outcome, _ = await ask([FETCH, CITED], clock=SystemClock())

    calls = [event for event in outcome.transcript if isinstance(event, ModelCalled)]
    assert {(call.at_s, call.latency_s) for call in calls} == {(None, None)}


class FailingTool(ScriptedTool):
    """A fetch tool to which no page opens."""

    def __init__(self, ledger, log, failure):
        super().__init__("fetch", ["it failed"] * 99, ["url"])
        self._ledger, self._log, self._failure = ledger, log, failure

    async def __call__(self, arguments):
        event = Fetched(url=str(arguments["url"]), ok=False, error=self._failure)
        self._log.emit(event)
        self._ledger.add_page(event, None)
        return await super().__call__(arguments)


async def ask_without_pages(failure, question="When?"):
    agent, model = build([FETCH, CITED, CITED], max_retries=1)
    agent.tool_set = ToolSet(
        ToolKit(fetch=FailingTool(agent.ledger, agent.log, failure)), agent.settings.tools
    )
    return await agent.run(question), model


async def test_a_page_that_failed_is_cited_as_one_that_failed():
    outcome, model = await ask_without_pages("http_404")

    assert outcome.status == "rejected"
    assert [one.kind for one in outcome.verdict.violations] == ["fetch_failed"]
    assert "HTTP status 404" in model.seen[-1][-1].text


async def test_what_the_ssrf_guard_blocked_is_an_error_and_no_rejection():
    outcome, model = await ask_without_pages("blocked")

    assert (outcome.status, outcome.failure.kind) == ("error", "blocked")
    assert PAGE in outcome.failure.message
    assert "cannot be opened from here" in model.seen[-1][-1].text


async def test_after_a_blocked_page_another_answer_may_pass():
    agent, _ = build([CITED, FETCH, CITED], max_retries=1)
    agent.ledger.add_page(Fetched(url=PAGE, ok=False, error="blocked"), None)

    outcome = await agent.run("When?")

    assert (outcome.status, outcome.failure) == ("completed", None)


async def test_a_page_of_the_question_must_be_opened_as_well():
    agent, model = build([CITED, FETCH, CITED])

    outcome = await agent.run(f"What does {PAGE} say?")

    assert [one.kind for one in outcome.transcript[2].verdict.violations] == ["user_given"]
    assert "stands in the question" in model.seen[1][-1].text
    assert outcome.status == "completed"
