"""What folds under one key, and what stays apart."""

import pytest

from research_eval.ledger import SourceKey, url_key

BASE = "https://ledger.example.org"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HTTPS://WWW.Ledger.Example.org:443/a/?b=2&a=1#x", f"{BASE}/a?a=1&b=2"),
        (f"{BASE}", f"{BASE}/"),
        (f"{BASE}?x=1", f"{BASE}/?x=1"),
        (f"{BASE}/a?utm_source=x&gclid=1", f"{BASE}/a"),
        (f"{BASE}/%7euser/%41%2d", f"{BASE}/~user/A-"),
        (f"{BASE}/%c3%a9", f"{BASE}/é"),
        (f"{BASE}/a/./b/../c", f"{BASE}/a/c"),
        (f"{BASE}/%2e%2e/a", f"{BASE}/a"),
        (f"{BASE}/two words", f"{BASE}/two%20words"),
        ("https://bücher.example/", "https://XN--BCHER-KVA.example"),
        ("https://ledger。example.org/", f"{BASE}/"),
        ("https://%6cedger.example.org/", f"{BASE}/"),
        ("http://[2001:DB8:0:0::1]:80/", "http://[2001:db8::1]"),
        (f"{BASE}:/a", f"{BASE}/a"),
        (f"  {BASE}/a\n", f"{BASE}/a"),
    ],
)
def test_spellings_of_one_page_share_a_key(one: str, other: str) -> None:
    assert url_key(one) == url_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"{BASE}/a", "http://ledger.example.org/a"),
        (f"{BASE}/a", f"{BASE}:8443/a"),
        (f"{BASE}/a", f"{BASE}/A"),
        (f"{BASE}/a%2Fb", f"{BASE}/a/b"),
        (f"{BASE}/a%2F", f"{BASE}/a"),
        (f"{BASE}/?q=a+b", f"{BASE}/?q=a%20b"),
        (f"{BASE}/?q=a%2Bb", f"{BASE}/?q=a+b"),
        (f"{BASE}/a//", f"{BASE}/a/"),
        (f"{BASE}//a", f"{BASE}/a"),
        (f"{BASE}/a?x", f"{BASE}/a?x="),
        (f"{BASE}/a?", f"{BASE}/a"),
        (f"{BASE}/a?ref=x", f"{BASE}/a"),
        ("https://m.ledger.example.org/a", f"{BASE}/a"),
        ("https://www.www.ledger.example.org/", f"{BASE}/"),
        ("https://www.com/", "https://com/"),
        ("https://user@ledger.example.org/", f"{BASE}/"),
        (f"{BASE}@evil.example/", f"{BASE}/"),
        (f"{BASE}\\@evil.example/", f"{BASE}/"),
        ("https://lеdger.example.org/", f"{BASE}/"),
        (f"{BASE}/a\tb", f"{BASE}/ab"),
        (f"{BASE}/%2541", f"{BASE}/%41"),
        (f"{BASE}/100%", f"{BASE}/100%25"),
    ],
)
def test_other_pages_have_other_keys(one: str, other: str) -> None:
    assert url_key(one) != url_key(other)


@pytest.mark.parametrize(
    "url",
    [
        "urn:isbn:0451450523",
        "https://",
        "https:///path",
        "https://a b/",
        "https://e.org:99999/",
        "https://[nonsense]/",
        "https://e.org/%zz",
        "https://e%FF.org/",
        "https://e.org%2Fa/",
        "ftp://e.org/a",
        "",
        "   ",
        "https://\ud800.example/",
    ],
)
def test_a_url_without_canonical_form_is_its_own_key(url: str) -> None:
    assert url_key(url) == SourceKey.verbatim(url)


def test_a_verbatim_key_is_never_a_canonical_one() -> None:
    assert SourceKey.canonical("https://e.org/") != SourceKey.verbatim("https://e.org/")


def test_very_long_urls_are_keyed_like_short_ones() -> None:
    tail = "x/" * 5000

    assert url_key(f"HTTPS://www.e.org/{tail}") == url_key(f"https://e.org/{tail}#f")
