"""What a model reads of a search, and what the trial keeps of it."""

import pytest

from research_eval.clock import VirtualClock
from research_eval.ledger import SourceRegistry
from research_eval.schema import ProviderTry, Searched, SearchHit
from research_eval.tool.search import SearchError, SearchReply, WebSearchTool

pytestmark = pytest.mark.anyio


class Scripted:
    """A provider that answers, or fails, as it is told."""

    name = "scripted"

    def __init__(self, answer: SearchReply | SearchError) -> None:
        self.answer = answer
        self.asked: list[tuple[str, int]] = []

    async def search(self, query: str, max_results: int) -> SearchReply:
        self.asked.append((query, max_results))
        if isinstance(self.answer, SearchError):
            raise self.answer
        return self.answer


class Bench:
    """The tool with a ledger and everything that it emitted."""

    def __init__(self, answer: SearchReply | SearchError) -> None:
        self.provider = Scripted(answer)
        self.ledger = SourceRegistry()
        self.events: list[Searched] = []
        self.tool = WebSearchTool(
            self.provider, ledger=self.ledger, clock=VirtualClock(), emit=self.events.append
        )


def hit(number: int, **fields) -> SearchHit:
    return SearchHit(url=f"https://a.example/{number}", rank=number, **fields)


def reply(*hits: SearchHit) -> SearchReply:
    tried = ProviderTry(provider="serper", outcome="served", requests=1)
    return SearchReply(hits=hits, served_by="serper", tries=(tried,))


def failure(*tries: tuple[str, str]) -> SearchError:
    told = tuple(ProviderTry(provider=p, outcome="error", error=e, requests=1) for p, e in tries)
    return SearchError("secret detail", kind="all_failed", tries=told)


async def test_the_model_reads_titles_urls_dates_and_snippets():
    bench = Bench(reply(hit(1, title="Tides", snippet="Twice a day.", date="Mar 1"), hit(2)))

    outcome = await bench.tool({"query": "tides"})

    assert outcome.text == (
        '2 results for "tides":\n\n'
        "1. Tides\n   URL: https://a.example/1\n   Date: Mar 1\n   Twice a day.\n\n"
        "2. (no title)\n   URL: https://a.example/2"
    )
    assert outcome.ok


async def test_hits_are_in_the_ledger_as_seen_and_not_opened():
    bench = Bench(reply(hit(1, title="Tides", snippet="Twice a day.")))

    await bench.tool({"query": "tides"})

    record = bench.ledger.get("https://a.example/1")
    assert record is not None
    assert (record.state, record.title, record.snippet) == ("searched", "Tides", "Twice a day.")


async def test_the_trial_records_who_served_and_what_came_back():
    bench = Bench(reply(hit(1)))

    await bench.tool({"query": "tides", "max_results": 3})

    event = bench.events[0]
    assert (event.query, event.max_results, event.served_by) == ("tides", 3, "serper")
    assert event.hits == (hit(1),)
    assert event.tries[0].outcome == "served"


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        (None, 5),
        (1, 1),
        (10, 10),
        (0, 1),
        (-3, 1),
        (99, 10),
        ("7", 7),
        (4.0, 4),
        (2.5, 5),
        (True, 5),
        ("many", 5),
        ([], 5),
    ],
)
async def test_max_results_is_clamped_however_it_is_written(asked, given):
    bench = Bench(reply(hit(1)))

    await bench.tool({"query": "tides", "max_results": asked})

    assert bench.provider.asked == [("tides", given)]


@pytest.mark.parametrize("query", [None, "", "  \n\t", 7, ["x"], "\u200b\x00"])
async def test_a_search_without_a_query_asks_nobody_and_says_so(query):
    bench = Bench(reply(hit(1)))

    outcome = await bench.tool({"query": query})

    assert (outcome.ok, outcome.error) == (False, "bad_query")
    assert bench.provider.asked == []


async def test_a_query_is_tidied_before_it_goes_out():
    bench = Bench(reply(hit(1)))

    await bench.tool({"query": " what\x00 are\n\u200btides \ud800"})

    assert bench.provider.asked[0][0] == "what are tides ?"


async def test_no_results_is_said_plainly_with_what_to_try():
    bench = Bench(failure(("serper", "empty"), ("brave", "empty")))

    outcome = await bench.tool({"query": "tides"})

    assert outcome.text.startswith('No results for "tides". Try')
    assert (outcome.ok, outcome.error) == (False, "empty")


async def test_a_failure_names_each_provider_and_what_to_do_instead():
    bench = Bench(failure(("serper", "quota"), ("brave", "timeout")))

    outcome = await bench.tool({"query": "tides"})

    assert outcome.text == (
        'The search for "tides" failed: serper quota, brave timeout. '
        "Go on with the pages you know, or fetch a URL that you expect to exist."
    )
    assert outcome.error == "all_failed"
    assert bench.events[0].served_by is None
    assert [tried.provider for tried in bench.events[0].tries] == ["serper", "brave"]


async def test_what_a_provider_wrote_in_its_error_does_not_reach_the_model():
    outcome = await Bench(failure(("serper", "auth"))).tool({"query": "tides"})

    assert "secret detail" not in outcome.text


async def test_an_unrecorded_search_is_marked():
    bench = Bench(failure(("serper", "unrecorded")))

    outcome = await bench.tool({"query": "tides"})

    assert outcome.error == "unrecorded"
    assert bench.events[0].unrecorded


def test_the_tool_describes_itself_in_these_words():
    """Recorded model exchanges hold them: whoever changes one, records again."""
    spec = WebSearchTool.spec

    assert spec.name == "web_search"
    assert spec.description == (
        "Search the web. Returns titles, URLs and snippets. "
        "Results are leads, not sources: open a page with fetch before you cite it."
    )
    assert list(spec.parameters["properties"]) == ["query", "max_results"]
    limit = spec.parameters["properties"]["max_results"]
    assert (limit["minimum"], limit["maximum"], limit["default"]) == (1, 10, 5)
