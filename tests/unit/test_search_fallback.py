"""A chain asks in order, and says what became of each."""

import pytest

from research_eval.errors import ConfigError
from research_eval.schema import SearchHit
from research_eval.tool.search import (
    FallbackSearchProvider,
    SearchError,
    SearchReply,
    UnconfiguredSearchProvider,
)

pytestmark = pytest.mark.anyio

HIT = SearchHit(url="https://a.example/", rank=1)


class One:
    """A provider that finds so many, or fails."""

    def __init__(self, name: str, found: int | str) -> None:
        self.name = name
        self.found = found
        self.asked = 0

    async def search(self, query: str, max_results: int) -> SearchReply:
        self.asked += 1
        if isinstance(self.found, str):
            raise SearchError(f"{self.name} broke", kind=self.found, status=500)
        return SearchReply(hits=(HIT,) * self.found, served_by=self.name)


async def test_the_first_that_finds_something_serves_and_later_ones_are_not_asked():
    last = One("c", 1)
    chain = FallbackSearchProvider([One("a", "server"), One("b", 1), last])

    reply = await chain.search("q", 5)

    assert reply.served_by == "b"
    assert [(t.provider, t.outcome, t.error) for t in reply.tries] == [
        ("a", "error", "server"),
        ("b", "served", None),
    ]
    assert last.asked == 0


async def test_an_empty_answer_counts_as_a_failure():
    reply = await FallbackSearchProvider([One("a", 0), One("b", 1)]).search("q", 5)

    assert [(t.provider, t.outcome) for t in reply.tries] == [("a", "empty"), ("b", "served")]


async def test_when_all_fail_one_error_carries_each():
    chain = FallbackSearchProvider([One("a", "timeout"), One("b", 0), One("c", "auth")])

    with pytest.raises(SearchError) as caught:
        await chain.search("q", 5)

    assert caught.value.kind == "all_failed"
    assert str(caught.value) == "a broke; b found nothing; c broke"
    assert [t.error for t in caught.value.tries] == ["timeout", "empty", "auth"]


async def test_a_provider_without_a_key_is_skipped_without_a_request():
    chain = FallbackSearchProvider(
        [UnconfiguredSearchProvider("a", "no key in A_KEY"), One("b", 1)]
    )

    reply = await chain.search("q", 5)

    assert (reply.tries[0].outcome, reply.tries[0].requests) == ("skipped", 0)
    assert reply.served_by == "b"


def test_a_chain_of_nobody_is_refused():
    with pytest.raises(ConfigError):
        FallbackSearchProvider([])


def test_a_chain_is_named_after_its_providers_in_order():
    assert FallbackSearchProvider([One("a", 1), One("b", 1)]).name == "a > b"
