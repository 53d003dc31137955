"""The words sent back: recordings depend on every letter of them."""

from research_eval.gate import CitationGate
from research_eval.gate.corrective import MAX_LISTED, MAX_URL_CHARS, not_evidence_message
from research_eval.ledger import SourceRegistry
from research_eval.schema import Fetched

BASE = "https://river.example.org"

WHOLE = """\
Your answer was not accepted: it may cite only pages that you opened with `fetch` in this conversation.

- https://river.example.org/b: you never opened this page. The closest page that you opened is \
https://river.example.org/a (another path).
- https://river.example.org/hit: you saw this page in search results only. Open it before you cite it.
- https://river.example.org/wall: you opened this page, but it shows a login form instead of its \
content. Cite another page.
- https://else.example/: you never opened this page.

Answer the question again, in full. Cite only pages that you opened, by the URL under which you \
opened them. Open further pages with `fetch` if you need them, and leave out what no opened page \
supports."""


def test_the_corrective_lists_every_violation_in_these_words() -> None:
    ledger = SourceRegistry()
    ledger.add_page(Fetched(url=f"{BASE}/a", ok=True), None)
    ledger.add_page(Fetched(url=f"{BASE}/wall", ok=True, evidence="login_wall"), None)
    from_hits = SourceRegistry.from_urls([], [f"{BASE}/hit"])
    both = SourceRegistry.from_records([*ledger.records(), *from_hits.records()])
    gate = CitationGate()

    verdict = gate.check(f"{BASE}/b {BASE}/hit {BASE}/wall https://else.example/", both)

    assert gate.corrective(verdict) == WHOLE


def test_no_citation_asks_for_a_url() -> None:
    gate = CitationGate()

    said = gate.corrective(gate.check("It rains.", SourceRegistry()))

    assert (
        "- Your answer cites no source. Give the full URL, beginning with http:// or https://, of a "
        "page that you opened.\n" in said
    )


def test_a_near_hit_is_called_a_search_result() -> None:
    gate = CitationGate()

    verdict = gate.check(f"{BASE}/b?x=1", SourceRegistry.from_urls([], [f"{BASE}/a"]))

    assert (
        "The closest search result that you got is https://river.example.org/a "
        "(another path and query)." in gate.corrective(verdict)
    )


def test_a_difference_in_capital_letters_is_called_so() -> None:
    gate = CitationGate()

    verdict = gate.check(f"{BASE}/Survey-2", SourceRegistry.from_urls([f"{BASE}/survey-2"], []))

    assert verdict.violations[0].message.endswith(
        "is https://river.example.org/survey-2 (the same but for capital letters, which count)."
    )


def test_long_lists_and_long_urls_are_cut() -> None:
    gate = CitationGate()
    urls = " ".join(f"{BASE}/{number}" for number in range(MAX_LISTED + 3))

    said = gate.corrective(gate.check(f"{BASE}/{'x' * 400} {urls}", SourceRegistry()))

    assert "- and 4 more" in said
    assert f"- {(BASE + '/' + 'x' * 400)[:MAX_URL_CHARS]}…: you never" in said


def test_every_kind_of_wall_has_words() -> None:
    for evidence in ("soft_404", "bot_wall", "consent_wall", "login_wall", "empty_shell"):
        assert "it shows no content" not in not_evidence_message(BASE, evidence)
