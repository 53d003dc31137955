"""Verdicts: what is said of each citation, and to whom it points."""

import pytest

from research_eval.gate import CitationGate, SeedGate
from research_eval.gate.source import register_given
from research_eval.ledger import SourceRegistry
from research_eval.schema import Fetched, SearchHit

PAGE = "https://river.example.org/silt"
GATE = CitationGate()


def test_an_answer_without_urls_is_no_citation_and_nothing_else() -> None:
    (violation,) = GATE.check("It rains.", SourceRegistry.from_urls([], [])).violations

    assert (violation.kind, violation.url, violation.start) == ("no_citation", None, None)


def test_a_violation_says_where_and_what() -> None:
    text = f"See {PAGE}-2 today."
    (violation,) = GATE.check(text, SourceRegistry.from_urls([PAGE], [])).violations

    assert (violation.kind, violation.url, violation.key) == (
        "unknown_url",
        f"{PAGE}-2",
        f"{PAGE}-2",
    )
    assert text[violation.start : violation.end] == f"{PAGE}-2"
    assert (violation.nearest, violation.difference) == (PAGE, "path")
    assert PAGE in violation.message


def test_one_source_is_one_violation_where_it_is_cited_first() -> None:
    text = f"{PAGE} and {PAGE}/ and {PAGE}#x"

    (violation,) = GATE.check(text, SourceRegistry.from_urls([], [])).violations

    assert violation.start == 0


def test_a_hit_that_was_not_opened_is_search_only() -> None:
    (violation,) = GATE.check(PAGE, SourceRegistry.from_urls([], [PAGE])).violations

    assert violation.kind == "search_only"


def test_a_wall_is_not_evidence() -> None:
    ledger = SourceRegistry()
    ledger.add_page(Fetched(url=PAGE, ok=True, evidence="login_wall"), "Log in")

    (violation,) = GATE.check(PAGE, ledger).violations

    assert violation.kind == "not_evidence"
    assert "login form" in violation.message


@pytest.mark.parametrize(
    ("failure", "kind", "said"),
    [
        ("http_404", "fetch_failed", "HTTP status 404. You have not read it. Cite another page"),
        ("http_503", "fetch_failed", "HTTP status 503. You have not read it. Try once more"),
        ("timeout", "fetch_failed", "took too long to answer. You have not read it. Try once more"),
        ("robots", "fetch_failed", "the site asks programs not to read it"),
        ("too_large", "fetch_failed", "it failed: too large."),
        (None, "fetch_failed", "the page did not open"),
        ("blocked", "fetch_blocked", "cannot be opened from here"),
    ],
)
@pytest.mark.parametrize("was_found", [False, True])
def test_a_page_that_was_tried_says_what_came(
    failure: str | None, kind: str, said: str, *, was_found: bool
) -> None:
    ledger = SourceRegistry.from_urls([], [PAGE] if was_found else [])
    ledger.add_page(Fetched(url=PAGE, ok=False, error=failure), None)

    (violation,) = GATE.check(f"See {PAGE}.", ledger).violations

    assert (violation.kind, violation.url) == (kind, PAGE)
    assert said in violation.message


def test_a_url_of_the_question_is_user_given_until_it_is_opened() -> None:
    ledger = SourceRegistry()
    register_given(f"What does [this page]({PAGE}) say?", ledger)

    (violation,) = GATE.check(PAGE, ledger).violations
    assert violation.kind == "user_given"
    assert "stands in the question" in violation.message

    ledger.add_page(Fetched(url=PAGE, ok=True), "text")
    assert GATE.check(PAGE, ledger).passed


def test_what_failed_or_was_given_is_no_page_to_point_at() -> None:
    ledger = SourceRegistry()
    ledger.add_given(f"{PAGE}-2")
    ledger.add_page(Fetched(url=f"{PAGE}-3", ok=False, error="http_404"), None)

    (violation,) = GATE.check(PAGE, ledger).violations

    assert (violation.kind, violation.nearest) == ("unknown_url", None)


def test_the_plain_gate_knows_hits_and_opened_pages_alone() -> None:
    ledger = SourceRegistry()
    ledger.add_given(PAGE)
    ledger.add_page(Fetched(url=f"{PAGE}-2", ok=False, error="http_404"), None)
    ledger.add_hit(SearchHit(url=f"{PAGE}-3", rank=1))
    ledger.add_page(Fetched(url=f"{PAGE}-3", ok=False, error="http_404"), None)

    verdict = SeedGate().check(f"{PAGE} {PAGE}-2 {PAGE}-3", ledger)

    assert [one.kind for one in verdict.violations] == ["unknown_url", "unknown_url", "search_only"]


def test_an_alias_may_be_cited() -> None:
    ledger = SourceRegistry()
    ledger.add_page(Fetched(url=f"{PAGE}?s=1", ok=True, canonical=PAGE), "text")

    assert GATE.check(PAGE, ledger).passed


def test_a_hop_may_not_be_cited() -> None:
    ledger = SourceRegistry()
    hop = "https://river.example.org/go"
    ledger.add_page(
        Fetched(url="https://s.example/x", final_url=PAGE, hops=(hop,), ok=True), "text"
    )

    assert GATE.check(f"{PAGE} https://s.example/x", ledger).passed
    assert not GATE.check(hop, ledger).passed


def test_any_whole_reading_that_was_opened_passes() -> None:
    text = "Their page is https://river.example.org/bands/Wham!"

    assert GATE.check(
        text, SourceRegistry.from_urls(["https://river.example.org/bands/Wham!"], [])
    ).passed
    assert GATE.check(
        text, SourceRegistry.from_urls(["https://river.example.org/bands/Wham"], [])
    ).passed
    assert not GATE.check(
        text, SourceRegistry.from_urls(["https://river.example.org/bands/Wha"], [])
    ).passed


def test_a_reading_that_is_known_decides_what_is_said() -> None:
    text = "See https://river.example.org/Inc."

    (violation,) = GATE.check(
        text, SourceRegistry.from_urls([], ["https://river.example.org/Inc."])
    ).violations

    assert (violation.kind, violation.url) == ("search_only", "https://river.example.org/Inc.")


def test_an_explicit_destination_has_one_reading() -> None:
    ledger = SourceRegistry.from_urls(["https://river.example.org/bands/Wham"], [])

    assert not GATE.check("[x](https://river.example.org/bands/Wham!)", ledger).passed


def test_an_empty_ledger_lets_nothing_pass() -> None:
    assert not GATE.check(PAGE, SourceRegistry()).passed


def test_a_ledger_with_other_keys_is_judged_by_this_gate_s_keys() -> None:
    ledger = SourceRegistry.from_urls(["https://river.example.org/%7eada"], [])
    other = SourceRegistry.from_records(ledger.records(), key=lambda url: ledger.key(f"{url}?x"))

    assert GATE.check("https://river.example.org/~ada", other).passed


def test_the_same_answer_and_ledger_give_the_same_verdict() -> None:
    ledger = SourceRegistry.from_urls([PAGE], [f"{PAGE}-2"])
    text = f"{PAGE} {PAGE}-2 {PAGE}-3."

    assert GATE.check(text, ledger) == GATE.check(text, ledger)


@pytest.mark.parametrize(
    ("opened", "written"),
    [
        ("https://zh.example.org/wiki/北京", "https://zh.example.org/wiki/北京（消歧义）/讨论"),
        ("https://zh.example.org/wiki/北京", "https://zh.example.org/wiki/北京（消歧义）_(旧)"),
        ("https://ja.example.org/wiki/けいおん", "https://ja.example.org/wiki/けいおん！_(アニメ)"),
        ("https://river.example.org/silt/", "https://river.example.org/silt/*"),
        ("https://river.example.org/silt/", "https://river.example.org/silt/.."),
        ("https://river.example.org/", "https://river.example.org/silt/.."),
        ("https://river.example.org/silt/", "https://river.example.org/silt/..."),
    ],
)
@pytest.mark.parametrize("around", ["{}", "See {} today.", "见{}。", "- {},"])
def test_what_stands_for_more_than_the_opened_page_fails(
    opened: str, written: str, around: str
) -> None:
    verdict = GATE.check(around.format(written), SourceRegistry.from_urls([opened], []))

    assert [one.kind for one in verdict.violations] == ["unknown_url"]


@pytest.mark.parametrize(
    "text",
    [
        "见https://zh.example.org/wiki/北京（参见第二节）。",
        "（https://zh.example.org/wiki/北京）/https://zh.example.org/wiki/北京",
        "https://zh.example.org/wiki/北京！_重要_",
        "*https://zh.example.org/wiki/北京/*",
        "*See https://zh.example.org/wiki/北京/*",
        "https://zh.example.org/wiki/北京（x）/，",
    ],
)
def test_a_remark_or_an_emphasis_after_an_opened_page_passes(text: str) -> None:
    ledger = SourceRegistry.from_urls(["https://zh.example.org/wiki/北京"], [])

    assert GATE.check(text, ledger).violations == ()
