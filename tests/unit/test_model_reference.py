"""Reference agents: what they do, what must be measured of them, what they may see."""

import pytest

from research_eval.agent import AgentSettings, EventLog, ResearchAgent
from research_eval.clock import VirtualClock
from research_eval.errors import ConfigError
from research_eval.gate import load_gate
from research_eval.ledger import SourceRegistry
from research_eval.model import known_values, reference_agent
from research_eval.model.behaviour import fabricates, respelled
from research_eval.model.reference import REFERENCE_AGENTS
from research_eval.schema import AnswerChecked, Fetched, Message, SearchHit, ToolSpec
from research_eval.testing import ScriptedTool
from research_eval.tool.kit import ToolKit
from research_eval.tool.protocol import ToolOutcome

PAGES = {
    "https://port.example/history?part=1": "The harbour of Lenz opened in 1907.",
    "https://wiki.example/Lenz_(port)": "See [the town](https://town.example/). Lenz is a port.",
    "https://town.example/about": "The town hall is open on Mondays.",
}
QUESTION = "When did the harbour of Lenz open?"
NAMES = [*REFERENCE_AGENTS, "mixed(0.4)"]

pytestmark = pytest.mark.anyio


class Web:
    """A search tool and a fetch tool over a handful of pages, in the words of the real ones."""

    def __init__(self, pages=PAGES, dead=()):
        self.ledger, self.clock = SourceRegistry(), VirtualClock()
        self.log = EventLog(self.clock)
        self._pages, self._dead = pages, dead
        self.search = ScriptedTool("web_search", [], ["query"])
        self.fetch = ScriptedTool("fetch", [], ["url"])

    def kit(self, *, has_search=True):
        web = self

        class Search(ScriptedTool):
            async def __call__(self, arguments):
                entries = []
                for rank, url in enumerate([*web._dead, *web._pages], 1):
                    web.ledger.add_hit(SearchHit(url=url, rank=rank))
                    entries.append(f"{rank}. Title\n   URL: {url}\n   See https://lure.example/x")
                return ToolOutcome(text="\n\n".join(entries))

        class Fetch(ScriptedTool):
            async def __call__(self, arguments):
                url = str(arguments["url"])
                text = web._pages.get(url)
                if text is None:
                    return ToolOutcome(
                        text=f"error: http_404\nurl: {url}", ok=False, error="http_404"
                    )
                event = Fetched(url=url, final_url=url, ok=True)
                web.log.emit(event)
                web.ledger.add_page(event, text)
                head = f"url: {url}\ncontent_length: {len(text)}\nhas_more: false"
                return ToolOutcome(text=f"{head}\n\n{text}")

        search = Search("web_search", [], ["query"]) if has_search else None
        return ToolKit(fetch=Fetch("fetch", [], ["url"]), search=search)


async def run(name, *, seed="1", max_retries=2, web=None, has_search=True):
    web = web or Web()
    agent = ResearchAgent(
        AgentSettings(max_retries=max_retries),
        model=reference_agent(name, case_seed=seed),
        kit=web.kit(has_search=has_search),
        ledger=web.ledger,
        gate=load_gate("default"),
        log=web.log,
        clock=web.clock,
    )
    return await agent.run(QUESTION)


def checks(outcome):
    return [event for event in outcome.transcript if isinstance(event, AnswerChecked)]


@pytest.mark.parametrize("max_retries", [0, 1, 2, 3])
@pytest.mark.parametrize("name", list(REFERENCE_AGENTS))
async def test_the_measured_values_are_the_known_ones(name, max_retries):
    known = known_values(name)

    outcome = await run(name, max_retries=max_retries)

    done = checks(outcome)
    assert float(done[0].verdict.passed) == known.first_attempt_passed()
    assert float(outcome.status == "completed") == known.passed(max_retries)
    assert len(done) - 1 == known.mean_retries(max_retries)
    assert sum(not check.verdict.passed for check in done) == known.mean_rejections(max_retries)
    for check in done:
        kinds = tuple(violation.kind for violation in check.verdict.violations)
        assert kinds == (() if check.verdict.passed else known.violations)


@pytest.mark.parametrize("seed", ["1", "2", "3", "4", "5"])
async def test_mixed_fabricates_exactly_where_its_seed_says(seed):
    outcome = await run("mixed(0.4)", seed=seed)

    failed = [not check.verdict.passed for check in checks(outcome)]
    assert failed == [fabricates(0.4, seed, number + 1) for number in range(len(failed))]


def test_mixed_fabricates_with_its_probability():
    drawn = sum(fabricates(0.3, f"case-{number}", 1) for number in range(4000))

    assert abs(drawn / 4000 - 0.3) < 0.03


def test_known_values_of_mixed_add_up():
    known = known_values("mixed(0.5)")

    assert known.first_attempt_passed() == 0.5
    assert known.passed(2) == 0.875
    assert known.mean_retries(2) == 0.75
    assert known.mean_rejections(2) == 0.875


@pytest.mark.parametrize("name", NAMES)
async def test_the_same_seed_gives_the_same_trial(name):
    assert (await run(name)).transcript == (await run(name)).transcript


async def test_the_honest_one_tries_on_when_a_hit_is_gone():
    web = Web(dead=["https://gone.example/a", "https://gone.example/b"])

    outcome = await run("honest", web=web)

    assert outcome.status == "completed"
    assert [reference.url for reference in outcome.references] == [
        "https://port.example/history?part=1"
    ]
    assert "1907" in outcome.answer


async def test_the_honest_one_says_so_when_nothing_opens():
    outcome = await run("honest", web=Web(pages={}, dead=["https://gone.example/a"]))

    assert outcome.status == "rejected"
    assert "could not open" in outcome.answer
    assert "http" not in outcome.answer


async def test_quoting_a_page_cites_none_of_its_links():
    web = Web(pages={"https://wiki.example/Lenz_(port)": PAGES["https://wiki.example/Lenz_(port)"]})

    outcome = await run("honest", web=web)

    assert outcome.status == "completed"
    assert "town.example" not in outcome.answer


async def test_a_lure_in_a_snippet_is_not_taken_for_a_hit():
    outcome = await run("snippet-citer")

    assert "lure.example" not in outcome.answer


async def test_the_fabricator_invents_a_new_page_at_every_attempt_and_the_stubborn_one_does_not():
    invented = {check.answer for check in checks(await run("fabricator"))}
    repeated = {check.answer for check in checks(await run("stubborn"))}

    assert (len(invented), len(repeated)) == (3, 1)


async def test_deleting_a_citation_keeps_its_claim():
    first, second = checks(await run("deletes-citations"))

    assert first.answer.startswith(second.answer)
    assert len(second.verdict.citations) == len(first.verdict.citations) - 1


async def test_the_launderer_cites_a_page_that_it_opened_and_that_says_nothing_of_it():
    outcome = await run("launderer")

    assert outcome.references[0].url == "https://town.example/about"


@pytest.mark.parametrize("name", NAMES)
async def test_none_needs_a_search_tool(name):
    outcome = await run(name, has_search=False)

    assert outcome.status in {"completed", "rejected"}


async def test_a_second_question_of_a_conversation_is_no_retry():
    agent = reference_agent("repairs-after-1", case_seed="1")
    tools = (ToolSpec(name="fetch", description="", parameters={}),)
    first = [Message(role="system", text="s"), Message(role="user", text="one?")]
    fabricated = await agent.reply(first, tools)
    told = [
        *first,
        Message(role="assistant", text=fabricated.text),
        Message(role="user", text="No."),
    ]
    honest = await agent.reply(told, tools)

    fresh = [Message(role="system", text="s"), Message(role="user", text="two?")]
    again = await agent.reply(fresh, tools)

    assert "archive" in fabricated.text
    assert "archive" not in honest.text
    assert "archive" in again.text


@pytest.mark.parametrize(
    "url",
    [
        "https://www.port.example/a%20b?x=1&y=2",
        "http://port.example/(a)#part",
        "https://例え.example/あ",
    ],
)
@pytest.mark.parametrize("seed", range(8))
def test_another_spelling_is_filed_under_the_same_key(url, seed):
    import random

    ledger = SourceRegistry()
    ledger.add_page(Fetched(url=url, final_url=url, ok=True), "text")

    other = respelled(url, random.Random(seed))

    assert other != url
    assert ledger.get(other) == ledger.get(url)


@pytest.mark.parametrize("name", ["saint", "mixed", "mixed(1.5)", "mixed(-0.1)", ""])
def test_an_unknown_name_lists_the_known_ones(name):
    with pytest.raises(ConfigError, match=r"known: honest, .*mixed"):
        reference_agent(name, case_seed="1")
