"""Spellings that a real server treats alike lead to the same page."""

import pytest

from research_eval.world.address import address, ascii_url, split_url

BASE = "https://www.skerravoe.example/waste/calendar?zone=north&year=2025"


def key(url):
    return address(*split_url(url)[1:])


@pytest.mark.parametrize(
    "other",
    [
        "https://www.skerravoe.example/waste/calendar?year=2025&zone=north",
        "HTTPS://WWW.SKERRAVOE.EXAMPLE:443/waste/calendar?zone=north&year=2025#top",
        "https://www.skerravoe.example/w%61ste/calendar?zone=n%6frth&year=2025",
        "https://www.skerravoe.example/waste/calendar?zone=north&year=2025&utm_source=x",
    ],
)
def test_spellings_of_one_page_have_one_key(other):
    assert key(other) == key(BASE)


@pytest.mark.parametrize(
    "other",
    [
        "https://www.skerravoe.example/waste/calendar?zone=south&year=2025",
        "https://www.skerravoe.example/waste/calendar/?zone=north&year=2025",
        "https://www.skerravoe.example/Waste/calendar?zone=north&year=2025",
        "https://www.skerravoe.example/waste%2Fcalendar?zone=north&year=2025",
        "https://skerravoe.example/waste/calendar?zone=north&year=2025",
    ],
)
def test_other_pages_have_other_keys(other):
    assert key(other) != key(BASE)


def test_an_iri_is_its_encoded_form():
    iri = "https://水守資料館.example/収蔵/水車-(大)"

    assert key(ascii_url(iri)) == key(iri)
    assert ascii_url(iri).isascii()
    assert ascii_url(iri).endswith("-(%E5%A4%A7)")
    assert ascii_url(ascii_url(iri)) == ascii_url(iri)


def test_a_url_without_a_path_has_the_root_for_target():
    assert split_url("https://a.example") == ("https", "a.example", "/")
    assert split_url("https://a.example?q=1") == ("https", "a.example", "/?q=1")
