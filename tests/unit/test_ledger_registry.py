"""The ledger: what it records, keeps and never takes back."""

from itertools import permutations

import pytest

from research_eval.gate.seed import seed_key
from research_eval.ledger import MAX_TEXT_CHARS, SourceRegistry
from research_eval.schema import Fetched, Searched, SearchHit, SourceRecord

PAGE = "https://river.example.org/silt"


def _page(url: str = PAGE, **fields: object) -> Fetched:
    return Fetched.model_validate({"url": url, "ok": True, **fields})


def _hit(url: str = PAGE, **fields: object) -> SearchHit:
    return SearchHit.model_validate({"url": url, "rank": 1, **fields})


def test_a_hit_is_not_a_fetched_page() -> None:
    ledger = SourceRegistry()

    key = ledger.add_hit(_hit(title="Silt", snippet="It settles."))

    record = ledger.get(f"{PAGE}/?utm_source=x")
    assert record is not None
    assert (record.state, record.key, record.title) == ("searched", key.value, "Silt")


def test_a_hit_fills_only_what_is_missing() -> None:
    ledger = SourceRegistry()
    ledger.add_hit(_hit(title="First"))
    ledger.add_hit(_hit(f"{PAGE}#x", title="Second", snippet="Text"))

    (record,) = ledger.records()
    assert (record.title, record.snippet, record.observed) == ("First", "Text", (f"{PAGE}#x",))


def test_a_hit_never_demotes_a_page() -> None:
    ledger = SourceRegistry()
    ledger.add_page(_page(title="Page"), "text")
    ledger.add_hit(_hit(title="Hit"))

    (record,) = ledger.records()
    assert (record.state, record.title) == ("fetched", "Page")


def test_a_page_replaces_the_title_and_keeps_the_longer_text() -> None:
    ledger = SourceRegistry()
    ledger.add_hit(_hit(title="Hit"))
    ledger.add_page(_page(title="One"), "a long text")
    ledger.add_page(_page(title="Two"), "short")

    (record,) = ledger.records()
    assert (record.state, record.title) == ("fetched", "Two")
    assert ledger.text(PAGE) == "a long text"
    assert record.content_chars == len("a long text")


def test_a_page_without_title_keeps_the_old_one() -> None:
    ledger = SourceRegistry()
    ledger.add_hit(_hit(title="Hit"))
    ledger.add_page(_page(), None)

    assert ledger.records()[0].title == "Hit"


def test_a_failed_fetch_is_marked_with_what_came() -> None:
    ledger = SourceRegistry()

    ledger.add_page(Fetched(url=PAGE, final_url=f"{PAGE}/new", ok=False, error="http_404"), None)

    assert [(one.url, one.state, one.failure) for one in ledger.records()] == [
        (PAGE, "failed", "http_404"),
        (f"{PAGE}/new", "failed", "http_404"),
    ]


STEPS = {
    "given": lambda ledger: ledger.add_given(PAGE),
    "failed": lambda ledger: ledger.add_page(_page(ok=False, error="timeout"), None),
    "searched": lambda ledger: ledger.add_hit(_hit()),
    "fetched": lambda ledger: ledger.add_page(_page(), "text"),
}


@pytest.mark.parametrize("steps", list(permutations(STEPS)))
def test_no_order_of_events_demotes_a_record(steps: tuple[str, ...]) -> None:
    """Whatever comes first: the furthest state stays, and a page that was opened did not fail."""
    for number in range(1, len(steps) + 1):
        ledger = SourceRegistry()
        for step in steps[:number]:
            STEPS[step](ledger)

        (record,) = ledger.records()
        assert record.state == max(steps[:number], key=list(STEPS).index)
        is_failed = "failed" in steps[:number] and record.state != "fetched"
        assert record.failure == ("timeout" if is_failed else None)
        assert ledger.keyed_by(seed_key).records() == ledger.records()
        assert SourceRegistry.from_records(ledger.records()).records() == ledger.records()


def test_text_is_capped() -> None:
    ledger = SourceRegistry()
    ledger.add_page(_page(), "x" * (MAX_TEXT_CHARS + 1))

    (digest,) = ledger.texts()
    assert ledger.records()[0].content_sha256 == digest
    assert len(ledger.texts()[digest]) == MAX_TEXT_CHARS


def test_a_redirect_makes_both_ends_citable_and_nothing_between() -> None:
    ledger = SourceRegistry()
    ledger.add_page(
        _page(
            "https://short.example/x",
            final_url=PAGE,
            hops=("https://short.example/y",),
        ),
        "text",
    )

    assert {record.url for record in ledger.records()} == {"https://short.example/x", PAGE}
    assert ledger.text("https://short.example/x") == ledger.text(PAGE) == "text"


def test_a_canonical_url_of_the_same_site_is_an_alias() -> None:
    ledger = SourceRegistry()
    ledger.add_page(_page(canonical="https://www.example.org/silt-article", title="Silt"), "text")

    alias = ledger.get("https://www.example.org/silt-article")
    assert alias is not None
    assert (alias.state, alias.alias_of, alias.title) == ("fetched", PAGE, "Silt")


def test_a_canonical_url_of_another_site_is_nothing() -> None:
    ledger = SourceRegistry()
    ledger.add_page(_page(canonical="https://other.example/silt"), "text")

    assert ledger.get("https://other.example/silt") is None


def test_a_wall_makes_no_alias() -> None:
    ledger = SourceRegistry()
    ledger.add_page(_page(canonical="https://river.example.org/", evidence="login_wall"), "Log in")

    assert ledger.get("https://river.example.org/") is None


def test_an_alias_that_is_opened_itself_is_a_page_of_its_own() -> None:
    ledger = SourceRegistry()
    ledger.add_page(_page(canonical="https://river.example.org/b"), "a")
    ledger.add_page(_page("https://river.example.org/b"), "b")
    ledger.add_page(_page(canonical="https://river.example.org/b"), "a")

    record = ledger.get("https://river.example.org/b")
    assert record is not None
    assert record.alias_of is None


def test_a_wall_never_takes_the_place_of_evidence() -> None:
    ledger = SourceRegistry()
    ledger.add_page(_page(title="Silt"), "text")
    ledger.add_page(_page(title="Just a moment", evidence="bot_wall"), "a much longer wall of text")

    (record,) = ledger.records()
    assert (record.evidence, record.title, ledger.text(PAGE)) == ("ok", "Silt", "text")


def test_evidence_takes_the_place_of_a_wall_even_when_shorter() -> None:
    ledger = SourceRegistry()
    ledger.add_page(_page(evidence="bot_wall"), "a much longer wall of text")
    ledger.add_page(_page(), "text")

    assert (ledger.records()[0].evidence, ledger.text(PAGE)) == ("ok", "text")


def test_references_come_in_citation_order_without_duplicates() -> None:
    ledger = SourceRegistry()
    ledger.add_page(_page("https://a.example/1"), None)
    ledger.add_page(_page("https://a.example/2"), None)

    cited = [
        "https://a.example/2",
        "https://a.example/9",
        "https://a.example/1/",
        "https://a.example/2",
    ]

    assert [record.url for record in ledger.references(cited)] == [
        "https://a.example/2",
        "https://a.example/1",
    ]


def test_a_ledger_is_rebuilt_from_events() -> None:
    events = [
        Searched(query="silt", max_results=2, hits=(_hit(), _hit("https://a.example/2"))),
        _page(content_sha256="0" * 64, content_chars=4, title="Silt"),
        Fetched(url="https://a.example/3", ok=False),
    ]
    ledger = SourceRegistry.from_events(events)

    assert [(record.url, record.state) for record in ledger.records()] == [
        (PAGE, "fetched"),
        ("https://a.example/2", "searched"),
        ("https://a.example/3", "failed"),
    ]
    assert ledger.records()[0].content_sha256 == "0" * 64


def test_a_ledger_is_rebuilt_from_its_records() -> None:
    ledger = SourceRegistry()
    ledger.add_hit(_hit(f"{PAGE}/?b=1&a=2"))
    ledger.add_page(_page(f"{PAGE}?a=2&b=1", title="Silt"), "text")
    ledger.add_page(_page(canonical="https://example.org/c"), "more")

    assert SourceRegistry.from_records(ledger.records()).records() == ledger.records()


def test_other_keys_see_the_urls_as_they_were_observed() -> None:
    ledger = SourceRegistry()
    ledger.add_page(_page("https://river.example.org/%7Eada"), None)
    ledger.add_hit(_hit("https://river.example.org/~ada"))

    plain = ledger.keyed_by(seed_key)

    assert len(ledger.records()) == 1
    assert [record.state for record in plain.records()] == ["fetched", "searched"]
    assert ledger.keyed_by(seed_key) is plain


def test_a_view_by_other_keys_follows_the_ledger() -> None:
    ledger = SourceRegistry()
    ledger.keyed_by(seed_key)
    ledger.add_page(_page(), "text")

    assert ledger.keyed_by(seed_key).text(PAGE) == "text"


def test_records_filed_again_merge_where_keys_fold() -> None:
    records = [
        SourceRecord(key="a", url=PAGE, state="searched", title="Hit"),
        SourceRecord(key="b", url=f"{PAGE}/", state="fetched"),
        SourceRecord(key="c", url=f"{PAGE}#x", state="searched", snippet="Text"),
    ]

    (record,) = SourceRegistry.from_records(records).records()

    assert (record.state, record.url, record.observed) == (
        "fetched",
        PAGE,
        (f"{PAGE}/", f"{PAGE}#x"),
    )
