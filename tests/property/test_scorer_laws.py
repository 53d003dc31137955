"""Laws of the scorers: shares are shares, reading never fails, order and seeds change nothing."""

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from research_eval.gate import extract_citations
from research_eval.report.junit import _legal
from research_eval.schema import Scored, Unscored
from research_eval.scorer import BUILT_IN, no_pages, registry, score_trial
from research_eval.scorer.claim import read_draft
from research_eval.scorer.stated import find_confidence
from research_eval.scorer.support import PageText, judge_support
from research_eval.scorer.words import content_words, normalise, numbers, sentences

PIECES = st.sampled_from(
    [
        "The toll is 4.50 crowns",
        "橋は1907年に開通した。",
        "https://a.example/1",
        "(https://b.example/2)",
        "[here](https://c.example/3)",
        "[1]",
        "[1-3]",
        "【2†L1】",
        "\n\n## Sources\n",
        "\n[1]: https://a.example/1\n",
        "\n1. https://b.example/2\n",
        "\n2) Title\n",
        "[2019]",
        "\n- ",
        "| a | b |\n|---|---|\n",
        "```\n",
        ". ",
        "? ",
        "Dr. ",
        '"No vehicle above twelve tonnes may pass"',
        "not ",
        "\ue000",
        "<sup>1</sup>",
        "**",
    ]
)
texts = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=12).map("".join))
outcomes = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from([0.0, 0.5, 1.0, None]), st.integers(1, 4)),
    max_size=30,
)


@given(texts)
def test_every_citation_belongs_to_a_sentence_or_to_the_list_or_stands_alone(text):
    citations = extract_citations(text)
    draft = read_draft(text, citations)
    cited = {citation.url for citation in citations}

    assert all(set(claim.urls) <= cited for claim in draft.claims)
    assert set(draft.unused) <= cited
    assert all(0 <= claim.start <= claim.end <= len(text) for claim in draft.claims)
    assert draft.unresolved >= 0


@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=6),
    st.lists(st.integers(1, 12), min_size=1, max_size=8, unique=True),
    st.sampled_from(["{}. {}", "{}) {}", "[{}] {}", "[{}]: {}"]),
    st.sampled_from(["", "Sources:\n"]),
)
def test_each_marker_resolves_to_its_own_entry_or_not_at_all(markers, listed, entry, heading):
    lines = [entry.format(number, f"https://a.example/{number}") for number in sorted(listed)]
    said = " ".join(f"Bridge number {number}7 is old [{number}]." for number in markers)
    text = f"{said}\n\n{heading}" + "\n".join(lines)
    draft = read_draft(text, extract_citations(text))

    expected = [(f"https://a.example/{n}",) if n in listed else () for n in markers]
    assert [claim.urls for claim in draft.claims] == expected
    assert draft.unresolved == sum(n not in listed for n in markers)
    assert set(draft.unused) == {f"https://a.example/{n}" for n in set(listed) - set(markers)}


@given(texts)
def test_sentences_come_in_order_without_overlap(text):
    claims = read_draft(text, extract_citations(text)).claims

    assert all(a.end <= b.start for a, b in pairwise(claims))


@given(texts, texts)
def test_support_always_has_a_verdict_and_a_recall_that_is_a_share(claim, page):
    verdict = judge_support(claim, PageText(page))

    assert verdict.level in {"red", "green", "undecided"}
    assert 0 <= verdict.recall <= 1


@given(texts, texts)
def test_more_text_never_lowers_the_recall(claim, page):
    alone = judge_support(claim, PageText(page))
    longer = judge_support(claim, PageText(f"{page}\n{claim}"))

    assert longer.recall >= alone.recall


@given(texts)
def test_a_page_that_is_the_claim_lacks_nothing(text):
    page = PageText(text)
    verdict = judge_support(text, page)

    if not page.is_empty and len(sentences(text)) <= 3 and content_words(text):
        assert "lacks the number" not in verdict.reason


spellings = st.sampled_from(
    [
        "Confidence: {percent} %",
        "**Confidence:** {percent}%",
        "Konfidenz: {percent} Prozent",
        "Confidence: {percent}/100",
        "Confidence: {percent} out of 100",
        "Confidence (0-100): {percent}",
        "Confidence: {percent} (of 100)",
        "Confidence: {share}",
        "Confidence (0-1): {share}",
        "Certainty = {tenths}/10",
        "Certainty level (0-10): {tenths}",
        "I am {percent} % sure.",
    ]
)


@given(st.integers(0, 1000), spellings, texts)
def test_a_confidence_is_the_same_share_however_it_is_spelled(thousandths, spelling, before):
    numbers = {
        "percent": thousandths / 10,
        "share": thousandths / 1000,
        "tenths": thousandths / 100,
    }
    said = spelling.format(**{name: f"{value:.3f}" for name, value in numbers.items()})

    assert find_confidence(f"{before}\n{said}").share == pytest.approx(thousandths / 1000)


@given(st.integers(2, 10**6), texts)
def test_a_confidence_above_one_without_a_scale_is_never_read(number, before):
    found = find_confidence(f"{before}\nConfidence: {number}")

    assert found.share is None


@given(
    texts,
    st.lists(
        st.sampled_from(["Confidence:", "%", "/", "10", "8", "0.5", "()", "-", "of", "scale", "1"]),
        max_size=9,
    ),
)
def test_whatever_an_answer_says_its_confidence_is_a_share_or_unread(text, words):
    found = find_confidence(f"{text} {' '.join(words)}")

    assert found is None or found.share is None or 0 <= found.share <= 1


@given(texts)
def test_folding_twice_changes_nothing_and_numbers_have_readings(text):
    assert normalise(normalise(text)) == normalise(text)
    assert all(number.readings for number in numbers(text))


@given(answers=st.lists(texts, min_size=1, max_size=3), dead=st.booleans())
def test_whatever_a_trial_holds_each_scorer_gives_shares_or_reasons(story, answers, dead):
    told = story().search("https://a.example/1").fetch("https://b.example/2", "The toll is 4.50.")
    told.fetch("https://c.example/3", error="http_404" if dead else None)
    for place, answer in enumerate(answers):
        told.answer(answer, last=place == len(answers) - 1)
    scores = score_trial(None, told.record(), told.page, BUILT_IN.values())

    assert len({score.name for score in scores}) == len(scores)
    for score in scores:
        if isinstance(score, Unscored):
            assert score.reason
        else:
            measure = registry().find(score.name)
            assert measure is not None, score.name
            assert measure.problem(score.value, score.weight) is None
            assert score.weight > 0


@given(answers=st.lists(texts, min_size=2, max_size=3))
def test_what_became_of_violating_claims_adds_up(story, answers):
    told = story().search("https://a.example/1").fetch("https://b.example/2", "Text.")
    for place, answer in enumerate(answers):
        told.answer(answer, last=place == len(answers) - 1)
    scores = {s.name: s for s in BUILT_IN["repair_outcome"](None, told.record(), no_pages)}
    courses = (
        "refetched", "replaced", "claim_removed", "citation_stripped", "relabelled", "swapped",
        "unchanged", "gave_up",
    )  # fmt: skip
    shares = [scores[f"repair_{c}"] for c in courses if isinstance(scores[f"repair_{c}"], Scored)]

    assert not shares or sum(share.value for share in shares) == pytest.approx(1)


@given(st.text())
def test_xml_gets_only_what_it_allows(text):
    kept = _legal(text)

    assert all(c in "\t\n\r" or c >= " " for c in kept)
    assert _legal(kept) == kept
