"""What looks like a URL and is no citation."""

import pytest

from research_eval.gate.template import find_namespaces, is_template


@pytest.mark.parametrize(
    ("url", "after"),
    [
        ("https://a.example/{id}", ""),
        ("https://a.example/${ID}", ""),
        ("https://a.example/%s", ""),
        ("https://a.example/%(name)s", ""),
        ("https://a.example/", "<id>/x"),
        ("https://a.example/?q=", "&lt;term&gt;"),
    ],
)
def test_a_slot_makes_a_template(url: str, after: str) -> None:
    assert is_template(url, after)


@pytest.mark.parametrize(
    ("url", "after"),
    [
        ("https://a.example/x", ""),
        ("https://a.example/%20%de", ""),
        ("https://a.example/", "<br>"),
        ("https://a.example/", "</td>"),
        ("https://a.example/x", "<id>"),
        ("https://a.example/$1", ""),
    ],
)
def test_a_page_is_no_template(url: str, after: str) -> None:
    assert not is_template(url, after)


@pytest.mark.parametrize(
    "text",
    [
        '<svg xmlns="http://www.w3.org/2000/svg">',
        "<svg xmlns:xlink = 'http://www.w3.org/1999/xlink'>",
        '<xs:schema targetNamespace="http://a.example/ns">',
        '<a xsi:schemaLocation="http://a.example/ns http://a.example/ns.xsd">',
        '<!DOCTYPE html PUBLIC "-//W3C" "http://www.w3.org/TR/x.dtd">',
    ],
)
def test_names_of_xml_are_found(text: str) -> None:
    (span,) = find_namespaces(text)

    assert "http://" in text[slice(*span)]
