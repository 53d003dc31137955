"""The near miss that a rejected URL is shown."""

import pytest

from research_eval.gate import CitationGate
from research_eval.gate.nearest import NearestIndex
from research_eval.ledger import SourceRegistry, url_key
from tests.cost import costs_less_than

BASE = "https://river.example.org"


def _nearest(
    url: str, fetched: list[str], searched: list[str] | None = None
) -> tuple[str, str] | None:
    ledger = SourceRegistry.from_urls(fetched, searched or [])
    nearest = NearestIndex(ledger.records()).find(url_key(url))
    return nearest and (nearest.record.url, " ".join(nearest.differs))


@pytest.mark.parametrize(
    ("url", "differs"),
    [
        (f"{BASE}/b", "path"),
        (f"{BASE}/a?x=1", "query"),
        (f"{BASE}/b?x=1", "path query"),
        ("http://river.example.org/a", "scheme"),
        (f"{BASE}:8443/a", "port"),
        ("https://user@river.example.org/a", "user"),
        ("https://sub.river.example.org/a", "host"),
        ("https://other.example/a", "host"),
        ("http://river.example.org:81/b", "scheme port path"),
    ],
)
def test_it_names_the_parts_that_differ(url: str, differs: str) -> None:
    assert _nearest(url, [f"{BASE}/a"]) == (f"{BASE}/a", differs)


def test_strangers_are_not_near() -> None:
    assert _nearest("https://other.example/b", [f"{BASE}/a"]) is None
    assert _nearest("https://other.example/", [f"{BASE}/"]) is None


def test_fewer_differences_come_first() -> None:
    assert _nearest(f"{BASE}/a?x=1", [f"{BASE}/abc", f"{BASE}/a"]) == (f"{BASE}/a", "query")


def test_the_longer_common_beginning_comes_first() -> None:
    pages = [f"{BASE}/reports/2020", f"{BASE}/reports/2024-a"]

    assert _nearest(f"{BASE}/reports/2024-b", pages) == (pages[1], "path")


def test_an_opened_page_comes_before_a_hit() -> None:
    assert _nearest(f"{BASE}/ab", [f"{BASE}/x"], [f"{BASE}/abc"]) == (f"{BASE}/x", "path")


def test_a_url_without_canonical_form_has_no_near_miss() -> None:
    assert _nearest("https://river.example.org/%zz", [f"{BASE}/a"]) is None


@pytest.mark.parametrize("hosts", [1, 50])
def test_the_cost_is_linear_in_citations_and_ledger(hosts: int) -> None:
    """Four times as many of both would cost sixteen times as much, were it their product."""

    def check(number: int) -> None:
        opened = [f"https://h{index % hosts}.example.org/p/{index}" for index in range(number)]
        cited = " ".join(
            f"(https://h{index % hosts}.example.org/q/{index})" for index in range(number)
        )
        assert (
            len(CitationGate().check(cited, SourceRegistry.from_urls(opened, [])).violations)
            == number
        )

    assert costs_less_than(9, lambda: check(2000), lambda: check(500))


def test_percent_encoding_is_named_as_the_difference() -> None:
    ledger = SourceRegistry.from_urls(["https://en.wikipedia.org/wiki/Schindler's_List"], [])

    (violation,) = (
        CitationGate().check("https://en.wikipedia.org/wiki/Schindler%27s_List", ledger).violations
    )

    assert "Schindler's_List (the same but for percent-encoding" in violation.message


def test_what_is_glued_to_a_page_is_said_to_be_glued() -> None:
    ledger = SourceRegistry.from_urls([f"{BASE}/a"], [])

    (violation,) = CitationGate().check(f"{BASE}/a's table", ledger).violations

    assert "put a space behind it" in violation.message
