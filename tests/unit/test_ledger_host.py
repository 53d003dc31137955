"""Hosts in one spelling."""

import pytest

from research_eval.ledger.host import normal_host


@pytest.mark.parametrize(
    ("host", "normal"),
    [
        ("WWW.Example.ORG", "example.org"),
        ("www.example", "www.example"),
        ("www.192.0.2.1", "www.192.0.2.1"),
        ("straße.example", "xn--strae-oqa.example"),
        ("faß.de", "xn--fa-hia.de"),
        ("ｅｘａｍｐｌｅ.org", "example.org"),
        ("[::FFFF:192.0.2.1]", "[::ffff:c000:201]"),
        ("[fe80::1%25eth0]", "[fe80::1%25eth0]"),
        ("example.org.", "example.org."),
    ],
)
def test_a_host_has_one_spelling(host: str, normal: str) -> None:
    assert normal_host(host) == normal


@pytest.mark.parametrize("host", ["a b", "a,b", "[::1", "[v1.x]", "a%2Fb", "%ff", "a@b", "\\"])
def test_what_is_no_host_has_none(host: str) -> None:
    assert normal_host(host) is None
