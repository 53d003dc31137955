"""Same registrable domain, or not."""

import pytest

from research_eval.ledger import is_same_site


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://docs.example.org/a", "https://www.example.org/b", True),
        ("http://example.org/a", "https://example.org/b", True),
        ("https://a.github.io/", "https://b.github.io/", False),
        ("https://a.co.uk/", "https://b.co.uk/", False),
        ("https://example.org/", "https://example.org.evil.example/", False),
        ("http://192.0.2.1/a", "http://192.0.2.1:81/b", True),
        ("http://192.0.2.1/", "http://198.51.2.1/", False),
        ("http://[2001:db8::1]/", "http://[2001:DB8:0::1]/a", True),
        ("https://[broken/", "https://example.org/", False),
        ("nothing", "https://example.org/", False),
    ],
)
def test_sites_are_told_apart_by_the_public_suffix_list(one: str, other: str, same: bool) -> None:
    assert is_same_site(one, other) is same
