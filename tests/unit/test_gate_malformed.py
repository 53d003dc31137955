"""What a reader takes for a URL and no renderer links is found, and nothing else is."""

# letters that only look like others stand here on purpose

import cmarkgfm
import pytest

from research_eval.gate import CitationGate
from research_eval.gate.malformed import find_malformed
from research_eval.ledger import SourceRegistry

PAGE = "https://ok.example/a"
MALFORMED = [
    ("https：//fab.example.org/x", "scheme"),
    ("https:／／fab.example.org/x", "scheme"),
    ("ｈｔｔｐｓ：／／fab.example.org/a", "scheme"),
    ("htt\u0440s://fab.example.org/x", "scheme"),
    ("һttps://fab.example.org/x", "scheme"),
    ("https//fab.example.org/x", "scheme"),
    ("https:/fab.example.org/x", "scheme"),
    ("https:fab.example.org/x", "scheme"),
    ("htps://fab.example.org/x", "scheme"),
    ("https:// fab.example.org/x", "space"),
    ("http://\u00a0fab.example.org", "space"),
    ("hxxps://fab.example.org/x", "defanged"),
    ("https://fab[.]example.org/x", "defanged"),
    ("https[:]//fab.example.org/x", "defanged"),
    ("nature.com/articles/s41586", "no_scheme"),
    ("data.gov.uk/x?id=1", "no_scheme"),
]


@pytest.mark.parametrize(("written", "reason"), MALFORMED)
@pytest.mark.parametrize("around", ["{}", "See {}.", "见{}。", f"- {PAGE}\n- *{{}}*", "({})"])
def test_a_damaged_url_is_found_and_never_a_violation(
    written: str, reason: str, around: str
) -> None:
    text = around.format(written)
    if around.startswith("见") and reason == "no_scheme":
        text = text.replace("见", "见 ")

    (found,) = find_malformed(text)

    assert (found.text, found.reason) == (written, reason)
    assert text[found.start : found.end] == written
    verdict = CitationGate().check(f"{PAGE} {text}", SourceRegistry.from_urls([PAGE]))
    assert all("fab" not in str(one.url) for one in verdict.violations)


@pytest.mark.parametrize(("written", "reason"), MALFORMED)
def test_no_renderer_links_it_to_a_page(written: str, reason: str) -> None:
    """GitHub's renderer links a defanged host, which no browser can look up."""
    html = cmarkgfm.github_flavored_markdown_to_html(f"See {written} here.")

    assert "<a " not in html or (reason == "defanged" and "https://fab%5B.%5D" in html)


@pytest.mark.parametrize(
    "text",
    [
        "",
        PAGE,
        f"[nature.com/a]({PAGE})",
        f'<a href="{PAGE}">nature.com/a</a>',
        "www.example.org/a",
        "and/or, TCP/IP, 24/7, e.g./i.e., km/h",
        "docs/gate.md/x, README.md/a, node.js/b, main.rs/c, ../nature.com/x",
        "`https：//fab.example.org/x`",
        "```\nnature.com/articles\n```",
        "ada@nature.com/x",
        "ftp://nature.com/x git+https://nature.com/x",
        "The https protocol, http/2 and https: a summary.",
        "v1.2/3 10.1000/182 a.b/c",
    ],
)
def test_what_is_no_damaged_url_is_left_alone(text: str) -> None:
    assert find_malformed(text) == []
