"""The seed gate keeps the original's semantics exactly, holes included."""

import pytest

from research_eval.gate import SeedGate
from research_eval.gate.seed import seed_citations, seed_key
from research_eval.ledger import SourceRegistry

PAGE = "https://river.example.org/silt"


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        (f"({PAGE}).", [PAGE]),
        (f"{PAGE}.,。、;:!?", [PAGE]),
        (f"[x]({PAGE}!)", [PAGE]),
        (
            "https://en.wikipedia.org/wiki/Delta_(river)",
            ["https://en.wikipedia.org/wiki/Delta_(river"],
        ),
        ("https://en.wikipedia.org/wiki/Hobson's_choice", ["https://en.wikipedia.org/wiki/Hobson"]),
        ("https://es.wikipedia.org/wiki/España", ["https://es.wikipedia.org/wiki/Espa"]),
        ("http://[2001:db8::1]/a", ["http://[2001:db8::1"]),
        (f"{PAGE}）{PAGE}」{PAGE}`", [PAGE, PAGE, PAGE]),
        (f"**{PAGE}**", [f"{PAGE}**"]),
        (f"|{PAGE}|", [f"{PAGE}|"]),
        (f"{PAGE}\\_x", [f"{PAGE}\\_x"]),
        (f"{PAGE}?a=1&amp;b=2", [f"{PAGE}?a=1&amp;b=2"]),
        (f"{PAGE},{PAGE}", [f"{PAGE},{PAGE}"]),
        ("HTTPS://river.example.org/silt", []),
        ("https&#58;//river.example.org", []),
        ("https:// https://. http://a", []),
        ("https://ab", ["https://ab"]),
        (f"\u200b{PAGE}\u200bx", [PAGE]),
    ],
)
def test_extraction_is_the_plain_pattern_cut_and_stripped(text: str, urls: list[str]) -> None:
    assert [citation.url for citation in seed_citations(text)] == urls


def test_spans_cover_what_was_kept() -> None:
    (citation,) = seed_citations(f"See {PAGE}.")

    assert (citation.start, citation.end) == (4, 4 + len(PAGE))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("HTTPS://WWW.River.example.org:443/silt/?b=2&a=1&utm_x=1#f", f"{PAGE}?a=1&b=2", True),
        (f"{PAGE}/%7Eada", f"{PAGE}/~ada", False),
        (f"{PAGE}/x/../y", f"{PAGE}/y", False),
        (f"{PAGE}/é", f"{PAGE}/%C3%A9", False),
        ("http://[2001:DB8:0::1]/", "http://[2001:db8::1]/", False),
        (f"{PAGE}/A", f"{PAGE}/a", False),
        ("http://river.example.org/silt", PAGE, False),
        ("https://u@river.example.org/silt", PAGE, False),
        ("https://[broken/", "https://[broken/", True),
        ("urn:x", "urn:x", True),
    ],
)
def test_keys_know_the_listed_folds_alone(one: str, other: str, same: bool) -> None:
    assert (seed_key(one) == seed_key(other)) is same


def test_it_tells_hits_from_strangers() -> None:
    ledger = SourceRegistry.from_urls([PAGE], [f"{PAGE}-hit"])

    verdict = SeedGate().check(f"{PAGE} {PAGE}-hit {PAGE}-new {PAGE}-new", ledger)

    assert [one.kind for one in verdict.violations] == ["search_only", "unknown_url"]
    assert not SeedGate().check("nothing", ledger).passed
    assert SeedGate().corrective(verdict).count(PAGE) == 2


def test_it_lets_pass_what_the_original_let_pass() -> None:
    ledger = SourceRegistry.from_urls(["https://es.wikipedia.org/wiki/Espa"], [])

    assert SeedGate().check("(https://es.wikipedia.org/wiki/España)", ledger).passed
