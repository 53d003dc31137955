"""The near miss that a rejected URL is shown."""

import pytest

from research_eval.gate.nearest import find_nearest
from research_eval.gate.source import ledger_from_urls
from research_eval.ledger import url_key

BASE = "https://river.example.org"


def _nearest(
    url: str, fetched: list[str], searched: list[str] | None = None
) -> tuple[str, str] | None:
    ledger = ledger_from_urls(fetched, searched or [])
    nearest = find_nearest(url_key(url), ledger.records())
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
