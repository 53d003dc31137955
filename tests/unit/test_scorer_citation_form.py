"""How sources are written: labels of other sites, identifiers alone, hash routes, damaged URLs."""

import pytest

from research_eval.schema import Scored
from research_eval.scorer import no_pages
from research_eval.scorer.citation_form import NAMES, citation_form

PAGE = "https://ok.example/a"


def values(trial):
    scores = {score.name: score for score in citation_form(None, trial, no_pages)}
    return {name: s.value if isinstance(s, Scored) else s.cause for name, s in scores.items()}


def of(story, text):
    return values(story().fetch(PAGE).answer(text, last=True).record())


@pytest.mark.parametrize(
    ("text", "share"),
    [
        (f"[nature.com/articles/…]({PAGE})", 1.0),
        (f"[https://nature.com/x]({PAGE})", 1.0),
        (f"[**nature.com**](<{PAGE}>)", 1.0),
        (f'<a href="{PAGE}"><b>nature.com/x</b></a>', 1.0),
        (f"[ok.example.org]({PAGE})", 1.0),
        ("[nature.com](https://www.nature.com/x)", 0.0),
        ("[data.nature.com/x](https://www.nature.com/x)", 0.0),
        (f"[nature.com/x]({PAGE}) and [ok.org/a](https://ok.org/a)", 0.5),
        (f"[the page]({PAGE})", "not_applicable"),
        (f"[README.md]({PAGE}), [ASP.NET]({PAGE}), [e.g.]({PAGE}), ![nature.com]({PAGE})",
         "not_applicable"),
        ("none", "not_applicable"),
    ],
)  # fmt: skip
def test_a_label_that_names_another_site(story, text, share):
    assert of(story, text)["other_site_labels"] == share


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("As shown (doi:10.1038/s41586-020-2649-2).", 1),
        ("DOI 10.1000/182, PMID: 12345678, PMC1234567, arXiv:2105.01234v2, arXiv: hep-th/9901001", 5),
        ("10.1000/182 and again 10.1000/182.", 1),
        ("10.1000/182: https://doi.org/10.1000/182", 0),
        ("[10.1000/182](https://doi.org/10.1000%2F182)", 0),
        ("arXiv:2105.01234 (https://arxiv.org/abs/2105.01234)", 0),
        ("https://doi.org/10.1000/182", 0),
        ("version 10.1000 and 10.12/3, 1910.1000/182", 0),
        ("none", 0),
    ],
)  # fmt: skip
def test_identifiers_that_no_url_holds(story, text, number):
    assert of(story, text)["bare_identifiers"] == number


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("https://app.example/#/reports/2025", 1.0),
        ("https://app.example/#!reports", 1.0),
        (f"{PAGE}#results {PAGE}#/ https://a.example/x#/y", 1 / 3),
        (f"{PAGE}#:~:text=x", 0.0),
        ("none", "not_applicable"),
    ],
)
def test_pages_that_only_a_fragment_names(story, text, share):
    assert of(story, text)["hash_routes"] == share


def test_damaged_urls_are_counted_and_violate_nothing(story):
    trial = (
        story().fetch(PAGE).answer(f"{PAGE} and https：//b.example.org/x, nature.com/y.").record()
    )

    assert values(trial)["malformed_urls"] == 2
    assert trial.status == "completed"


def test_an_error_and_silence_have_no_form(story):
    assert set(values(story().record(error="timeout")).values()) == {"error"}
    assert values(story().record(status="limit")) == dict.fromkeys(NAMES, "not_applicable")


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("https://a.example.org/…", 1.0),
        ("https://a.example.org/x…", 1.0),
        ("https://a.example.org/... and more", 1.0),
        ("[a](https://a.example.org/x.../y)", 1.0),
        ("<https://a.example.org/x%E2%80%A6>", 1.0),
        (f"{PAGE} and https://a.example.org/x/…/y", 0.5),
        (f"As they say at {PAGE}...", 0.0),
        (f"[and so on…]({PAGE})", 0.0),
        ("none", "not_applicable"),
    ],
)
def test_urls_that_an_ellipsis_cuts(story, text, share):
    assert of(story, text)["shortened_urls"] == share


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("https://a.example.org", 1.0),
        ("https://a.example.org/, [x](https://b.example.org/#top)", 1.0),
        (f"{PAGE} and https://a.example.org/", 0.5),
        ("https://a.example.org/?q=1 https://a.example.org/#/reports", 0.0),
        ("none", "not_applicable"),
    ],
)
def test_urls_that_name_no_page(story, text, share):
    assert of(story, text)["front_pages"] == share


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("https://a.example.co.uk/x https://b.example.co.uk/y https://example.org/", 2),
        ("http://10.0.0.1/x http://10.0.0.2/x", 2),
        ("none", 0),
    ],
)
def test_the_sites_that_are_cited(story, text, number):
    assert of(story, text)["cited_sites"] == number
