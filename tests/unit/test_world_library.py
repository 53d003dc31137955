"""The page sources are sound, varied, and can never name a real site."""

import re
from collections import Counter

import pytest

from research_eval.errors import ConfigError
from research_eval.world.address import ascii_url, split_url
from research_eval.world.library import load_library, parse_page
from research_eval.world.markup import to_html
from research_eval.world.render import visible_text

LIBRARY = load_library()


def test_no_page_can_be_a_real_one():
    for page in LIBRARY.pages:
        assert split_url(page.url)[1].endswith(".example")


def test_no_page_links_to_a_real_site():
    for page in LIBRARY.pages:
        for host in re.findall(
            r"https?://([^/\s\"')>:]+)", page.body + (page.redirect or ""), re.IGNORECASE
        ):
            assert host.lower().endswith(".example"), page.url


def test_the_world_is_as_large_and_as_odd_as_it_says():
    serves = Counter(page.serve for page in LIBRARY.pages)

    assert len(LIBRARY.pages) >= 70
    assert len(LIBRARY.hosts) >= 16
    assert set(serves) == {
        "page", "pdf", "redirect", "gone", "forbidden", "rate-limited", "soft-404", "shell", "consent-wall",
        "login-wall", "bot-wall", "oversized",
    }  # fmt: skip
    assert {page.encoding for page in LIBRARY.pages} >= {
        "utf-8",
        "shift_jis",
        "euc-jp",
        "iso-8859-1",
    }
    assert any(len(visible_text(page)) > 12_000 for page in LIBRARY.pages)
    assert {page.language or LIBRARY.hosts[split_url(page.url)[1]].language for page in LIBRARY.pages} >= {
        "en", "ja", "de", "es",
    }  # fmt: skip


def test_every_host_has_a_page_and_every_page_one_address():
    assert set(LIBRARY.hosts) == {split_url(page.url)[1] for page in LIBRARY.pages}
    assert len({ascii_url(page.url) for page in LIBRARY.pages}) == len(LIBRARY.pages)


@pytest.mark.parametrize(
    "page", [p for p in LIBRARY.pages if p.encoding != "utf-8"], ids=lambda p: p.url
)
def test_an_encoding_can_write_its_page(page):
    to_html(page.body).encode(page.encoding)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no head", "expected TOML"),
        ("+++\nurl = \n+++\n\nx", "Invalid value"),
        ('+++\nurl = "https://a.example/"\n+++\n\nx', "title"),
        ('+++\nurl = "u"\ntitle = "t"\nserv = "page"\n+++\nx', "serv"),
    ],
)
def test_a_malformed_source_is_named(tmp_path, text, words):
    file = tmp_path / "page.md"
    file.write_text(text, "utf-8")

    with pytest.raises(ConfigError, match=f"page.md: [\\s\\S]*{words}"):
        parse_page(file)


def test_a_page_without_a_host_and_a_missing_folder_are_errors(tmp_path):
    with pytest.raises(ConfigError, match=r"hosts\.toml"):
        load_library(tmp_path)
    (tmp_path / "hosts.toml").write_text("")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "p.md").write_text('+++\nurl = "https://a.example/"\ntitle = "t"\n+++\n')
    with pytest.raises(ConfigError, match=r"no host for https://a\.example/"):
        load_library.__wrapped__(tmp_path)
