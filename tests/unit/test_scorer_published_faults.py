"""Faults of published harnesses that these scorers must not have: who leaves a denominator, and what counts.

The public code of FACT, DeepScholar, SourceCheckup, BrowseComp-Plus and ALCE has them; so had a first run here.
"""

import pytest

from research_eval.analysis.summary import summarise
from research_eval.analysis.table import Row, Table
from research_eval.scorer import BUILT_IN, registry, score_trial

TOLL = "https://morvane.example/toll"
DEAD = "https://morvane.example/gone"
WALL = "https://morvane.example/wall"
SAYS = "The toll at Morvane bridge is 4.50 crowns for a car"
HALF = "The toll at Morvane bridge depends on weather, tide and mood of wardens"
SCORERS = [
    BUILT_IN[name] for name in ("support", "citation_quality", "coverage", "provenance", "links")
]


def told(story, answer):
    return story().fetch(TOLL, f"{SAYS}.").fetch(DEAD, error="http_404").answer(answer, last=True)


def summaries(story, *answers):
    """Return the summary of each measure over one trial of a case for each answer."""
    table, known = Table(), registry()
    for number, answer in enumerate(answers):
        trial = told(story, answer)
        scores = score_trial(None, trial.record(), trial.page, SCORERS)
        table.add(Row("a", f"case-{number}", 1), scores)
    rows = table.of("a")
    return {name: summarise(table, known.of(name), rows, known) for name in table.names}


CITING, SILENT = f"{SAYS} ({TOLL}).", f"{SAYS}."


def test_an_answer_without_citations_stays_in_the_denominators_that_reward_citing(story):
    """FACT skipped such tasks before it counted them, so that citing seldom looked better."""
    found = summaries(story, CITING, SILENT, SILENT, SILENT)

    assert (found["effective_citations"].value, found["effective_citations"].scored) == (0.25, 4)
    for name in ("cited_claim_share", "citation_recall", "final_citations"):
        assert (found[name].value, found[name].scored) == (0.25, 4)
    assert found["uncited_assertion"].value == 0.75


def test_a_dead_page_does_not_leave_the_denominator(story):
    """FACT left pages that it could not read out of its accuracy."""
    found = summaries(story, f"{SAYS} ({TOLL}). {SAYS} ({DEAD}).")

    assert (found["support_pessimistic"].value, found["support_pessimistic"].n) == (0.5, 2)
    assert found["support_unreadable"].value == found["citation_recall"].value == 0.5
    assert (found["citation_precision"].value, found["citation_precision"].n) == (0.5, 2)


def test_support_of_a_part_is_not_support(story):
    """FACT counted partial support as full."""
    found = summaries(story, f"{HALF} ({TOLL}).")

    assert found["support_undecided"].value == 1.0
    assert found["support_lenient"].value == 0.5
    for name in ("support_green", "support_pessimistic", "effective_citations", "citation_recall"):
        assert found[name].value == 0.0


def test_an_uncited_sentence_lowers_recall_and_is_no_imprecise_citation(story):
    """DeepScholar entered uncited sentences into precision as 0."""
    found = summaries(story, f"{SAYS} ({TOLL}). The ferry leaves at nine. So does the bus.")

    assert (found["citation_precision"].value, found["citation_precision"].n) == (1.0, 1)
    assert found["citation_recall"].value == pytest.approx(1 / 3)


def test_a_short_sentence_counts_like_a_long_one(story):
    """DeepScholar skipped sentences under 50 characters."""
    found = summaries(story, f"{SAYS} ({TOLL}). The ferry is 99 crowns ({TOLL}).")

    assert (found["citation_recall"].value, found["citation_recall"].n) == (0.5, 2)
    assert (found["support_red"].value, found["support_red"].n) == (0.5, 2)


@pytest.mark.parametrize("marker", ["[7]", "[0]", "[2-3]", "【9】", "[^8]"])
def test_a_marker_out_of_range_supports_nothing_and_is_counted(story, marker):
    """DeepScholar skipped an index out of range instead of punishing it."""
    found = summaries(story, f"{SAYS} [1]. {SAYS} {marker}.\n\n1. {TOLL}")

    assert found["citation_recall"].value == found["cited_claim_share"].value == 0.5
    assert found["unresolved_markers"].value >= 1


def test_a_page_that_could_not_be_opened_is_no_page_that_was_not_cited(story):
    """SourceCheckup dropped sources that did not answer with 200."""
    found = summaries(story, f"{SAYS} ({TOLL}). {SAYS} ({DEAD}). {SAYS} ({WALL}).")

    assert found["final_citations"].value == found["final_cited_opened"].n == 3
    assert found["final_cited_fetch_failed"].value == pytest.approx(1 / 3)
    assert found["support_unreadable"].value == pytest.approx(2 / 3)
    assert found["dead_links"].value == found["untried_links"].value == pytest.approx(1 / 3)


def test_an_answer_is_scored_even_if_none_of_its_sources_can_be_read(story):
    """SourceCheckup did not score a response of which no source loads."""
    found = summaries(story, f"{SAYS} ({DEAD}).")

    for name in ("support_pessimistic", "effective_citations", "citation_recall"):
        assert (found[name].value, found[name].scored, found[name].coverage) == (0.0, 1, 1.0)
    assert found["citation_precision"].value == 0.0
    assert (found["support_green"].undecided, found["support_green"].coverage) == (1, 0.0)


def test_precision_over_the_answers_that_cite_shows_how_few_they_are(story):
    """BrowseComp-Plus averages it over these alone, which rewards silence."""
    found = summaries(story, CITING, *[SILENT] * 9)
    precision = found["citation_precision"]

    assert precision.value == 1.0
    assert (precision.planned, precision.scored, precision.not_applicable) == (10, 1, 9)
    assert found["citation_recall"].value == found["cited_claim_share"].value == 0.1


@pytest.mark.parametrize("year", ["[2019]", "[2019", "[2018-2021]", "[1999, 2019]"])
def test_a_year_in_brackets_is_no_citation_out_of_range(story, year):
    """ALCE read `[` and digits as a citation, and gave the sentence no recall."""
    with_year = summaries(story, f"{SAYS} {year} [1].\n\n[1] {TOLL}")
    alone = summaries(story, f"{SAYS} [1].\n\n[1] {TOLL}")

    assert with_year["unresolved_markers"].value == alone["unresolved_markers"].value == 0
    assert with_year["cited_claim_share"].value == alone["cited_claim_share"].value == 1.0
    assert with_year["citation_recall_upper"].n == alone["citation_recall_upper"].n == 1


@pytest.mark.parametrize(
    "marker",
    ["[17]", "[17, 18]", "[17][18]", "[17-18]", "【17】", "【17†L10-L12】", "[17†L10]", "^17^", "[^17]",
     "<sup>17</sup>", "<sup>[17]</sup>", "[[17]]", "[2019]"],
)  # fmt: skip
def test_a_citation_marker_is_no_number_that_the_page_would_have_to_hold(story, marker):
    """Markers left in the claims made a check of numbers err more than twice as often."""
    listed = f"17. {TOLL}\n18. {TOLL}" + (f"\n2019. {TOLL}" if "2019" in marker else "")
    found = summaries(story, f"{SAYS}{marker}.\n\n{listed}")

    assert (found["number_absence"].value, found["number_absence"].scored) == (0.0, 1)
    assert found["support_green"].value == 1.0
    assert found["unresolved_markers"].value == 0
