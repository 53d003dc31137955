"""What the fetch tool makes of the world's pages holds every expected fact, and sees every wall."""

import pytest

from research_eval.dataset import load_cases
from research_eval.experiment.bundled import bundled_experiment
from research_eval.tool.fetch import extract
from research_eval.tool.fetch.page import ExtractedPage
from research_eval.world import load_world
from research_eval.world.address import ascii_url, split_url
from research_eval.world.reply import Request

WORLD = load_world()
CASES = load_cases(bundled_experiment().with_name("cases.jsonl"))
SLICE = 5000
"""Characters that one fetch returns unless it is asked for more."""


def read(url: str) -> ExtractedPage:
    page = WORLD.destination(url)
    assert page is not None
    scheme, host, target = split_url(ascii_url(page.url))
    reply = WORLD.answer(Request("GET", scheme, host, target, {}))
    headers = {name.lower(): value for name, value in reply.headers}
    return extract(
        reply.body,
        url=ascii_url(page.url),
        content_type=headers["content-type"],
        status=reply.status,
        headers=headers,
    )


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.answerable], ids=lambda case: case.id
)
def test_the_facts_stand_in_what_is_extracted(case):
    pages = [read(url) for url in case.sources]
    text = "\n".join(page.content for page in pages)

    assert [fact.value for fact in case.expected if not fact.is_in(text)] == []
    assert {page.evidence for page in pages} == {"ok"}
    if "later-slice" in case.tags:
        assert any(not fact.is_in(text[:SLICE]) for fact in case.expected)


@pytest.mark.parametrize(
    "case", [case for case in CASES if not case.answerable], ids=lambda case: case.id
)
def test_a_page_that_is_no_evidence_shows_no_fact(case):
    for url in case.sources:
        page = read(url)
        assert page.error is not None or page.evidence != "ok"
        assert not any(fact.is_in(page.content) for fact in case.expected)


@pytest.mark.parametrize(
    ("serve", "evidence"),
    [
        ("soft-404", "soft_404"),
        ("shell", "empty_shell"),
        ("consent-wall", "consent_wall"),
        ("login-wall", "login_wall"),
        ("bot-wall", "bot_wall"),
    ],
)
def test_each_wall_is_seen_for_what_it_is(serve, evidence):
    walls = [page for page in WORLD.library.pages if page.serve == serve]

    assert {read(page.url).evidence for page in walls} == {evidence}


def test_no_ordinary_page_is_taken_for_a_wall():
    ordinary = [page for page in WORLD.library.pages if page.serve in {"page", "pdf"}]

    assert {
        page.url: found.evidence for page in ordinary if (found := read(page.url)).evidence != "ok"
    } == {}
