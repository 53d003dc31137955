"""The table of forms in docs/gate.md: each row has its examples here, and each example its row."""

# letters that only look like others stand here on purpose

import re
from pathlib import Path

import pytest

from research_eval.gate import CitationGate, extract_citations
from research_eval.gate.kind import KINDS
from research_eval.gate.malformed import find_malformed
from research_eval.ledger import SourceRegistry

PAGE = Path(__file__).resolve().parents[2] / "docs" / "gate.md"
ROW = re.compile(r"\| (.+) \| (citation|mention|template|name|damaged) \| (.+) \|")
ROWS = {match[1]: match[2] for match in ROW.finditer(PAGE.read_text("utf-8"))}
A = "https://example.org/a"
BY_COLUMN = {"`": "`{}`", "fence": "```\n{}\n```"}

EXAMPLES: list[tuple[str, str, list[str]]] = [
    ("`www.example.org/a` in running", "See www.example.org/a.", ["http://www.example.org/a"]),
    ("`www.example.org/a` in code", "`www.example.org/a`", []),
    ("`www.example.org/a` in code", "[x](www.example.org/a)", []),
    ("`www.example.org/a` in code", "See example.org/b.", []),
    ("`[r](//example.org/a)`", "[r](//example.org/a)", [A]),
    ("`[r](//example.org/a)`", '<a href="\\\\example.org\\a">x</a>', ["https://example.org\\a"]),
    ("`[r](//example.org/a)`", "[r](http:example.org/a)", ["http://example.org/a"]),
    ("`[r](/a)`", "[r](/a) [r](#a)", []),
    ("`[r](/a)`", '<base href="https://example.org/"> [r](/a)', ["https://example.org/", A]),
    ("`doi:", "doi:10.1000/1 hxxp://a.org/b ftp://a.org/b git+https://a.org/b", []),
    ("`https：//", "https：//example.org/a https:// example.org", []),
    ("`https：//", "htt\u0440s://example.org/a https//example.org/a htps://example.org/a", []),
    ("`https://bad[.]", "https://bad[.]example/x hxxps://example.org/x", []),
    *(
        (("`https://api."), code.format(f"https://api.example.org/{slot}"), [])
        for slot in ("{id}", "<id>", "%s", "${ID}")
        for code in BY_COLUMN.values()
    ),
    ("the same", "https://api.example.org/{id}", ["https://api.example.org/{id}"]),
    ("the same", "https://api.example.org/<id>", ["https://api.example.org/"]),
    ("`http://localhost:<port>", "http://localhost:<port>/v1 http://localhost:$PORT", []),
    ("`http://localhost:<port>", "http://localhost:PORT", []),
    ("`xmlns=", '<svg xmlns="http://www.w3.org/2000/svg">', []),
    ("`xmlns=", '```\n{"@context": "https://schema.org"}\n```', []),
    ("`xmlns=", '"@context": "https://schema.org"', ["https://schema.org"]),
    ("`xmlns=", '<!DOCTYPE html PUBLIC "x" "http://www.w3.org/TR/x.dtd">', []),
    ("a URL in a code span", f"`{A}`", [A]),
    ("a URL in a code span", f"```\n{A}\n```", [A]),
    ("a URL in a code span", f"<!-- {A} -->", [A]),
    ("`http://localhost:8080/a`", "http://localhost:8080/a", ["http://localhost:8080/a"]),
    ("`http://localhost:8080/a`", "`http://localhost:8080/a`", ["http://localhost:8080/a"]),
    ("a link whose text shows its own", f"[{A}]({A})", [A]),
    ("a link whose text shows its own", f"[https://example.org]({A})", [A]),
    ("a link whose text shows its own", f"[https://example.org/…/b]({A}/b)", [f"{A}/b"]),
    ("a link whose text shows another", f"[https://b.org/x]({A})", ["https://b.org/x", A]),
    ("`[24] ", f"[24] {A}/...: {A}/b", [f"{A}/b"]),
    ("`[https://example.org/a](https://www.google",
     f"[{A}](https://www.google.com/url?q=https%3A%2F%2Fexample.org%2Fa)", [A]),
    ("`[https://example.org/a](https://www.google",
     "[x](https://www.google.com/url?q=https%3A%2F%2Fexample.org%2Fa)",
     ["https://www.google.com/url?q=https%3A%2F%2Fexample.org%2Fa"]),
    ("`https://web.archive", f"https://web.archive.org/web/2020/{A}",
     [f"https://web.archive.org/web/2020/{A}"]),
    ("`https://example.org/pa…`", "https://example.org/pa…", ["https://example.org/pa"]),
    ("`https://example.org/pa…`", f"见 {A}……等", [A]),
    ("`https://example.org/a/*`", f"{A}/* and {A}/..", [f"{A}/*", f"{A}/.."]),
    ("`https://example.org/a/*`", f"*{A}/*", [f"{A}/"]),
    ("`https://example.org/北京（", "https://example.org/北京（消歧义）/讨论",
     ["https://example.org/北京（消歧义）/讨论"]),
    ("`https://example.org/北京（", "https://example.org/けいおん！_(アニメ)",
     ["https://example.org/けいおん！_(アニメ)"]),
    ("`https://example.org/モ", "https://example.org/モーニング娘。",
     ["https://example.org/モーニング娘"]),
    ("`https://example.org/モ", "https://example.org/北京（消歧义）", ["https://example.org/北京"]),
    ("`https://example.org/a？", f"{A}？id=7 {A}／b {A}～b", [f"{A}？id=7", f"{A}／b", f"{A}～b"]),
    ("`(https://example.org/a` + line", f"({A}\n/b)", [f"{A}/b"]),
    ("`https://example.org/a:content", f"{A}:contentReference[oaicite:0]{{index=0}}", [A]),
    ("`https://example.org/a:content", f"{A}[^1^] {A}[cite_start]", [A, A]),
    ("`https://example.org/a²`", f"{A}² {A}①", [A, A]),
    ("`https://example.org/a²`", "https://en.wikipedia.org/wiki/E=mc²",
     ["https://en.wikipedia.org/wiki/E=mc²"]),
    ("`https://example.org/a's", f"{A}'s table", [f"{A}'s"]),
    ("`https://example.org/a's", "https://example.org's table", ["https://example.org"]),
    ("`(see https", "(see https://example.org/a)_(b)", [f"{A})_(b"]),
    ("`(see https", "https://example.org/Java(language X)", ["https://example.org/Java(language"]),
    ("`https://example.org/a.pdf(seen", f"{A}.pdf(seen in May)", [f"{A}.pdf"]),
    ("`https://example.org/a.pdf(seen", f"{A}.html'dan {A}.htmlमें", [f"{A}.html", f"{A}.html"]),
    ("`https://example.org/a.html,", f"{A}.html,第二节 {A}(2024年)", [f"{A}.html", A]),
    ("`[url]", f"[url]{A}[/url] <{A}|label>", [A, A]),
    ("`[text](https://example.org/two", "[text](https://example.org/two words)",
     ["https://example.org/two words"]),
    ("`https://example.org/a` + glued", f"{A}에서 {A}を", [A, A]),
    ("`[text](https://example.org/annual-`", "[t](https://example.org/annual-\nreport.pdf)",
     ["https://example.org/annual-report.pdf"]),
    ("an invisible", "https://exam\u200bple.org/a", [A]),
    ("a URL of the question", f"You asked about {A}; I could not open it.", [A]),
]  # fmt: skip


def _row(beginning: str) -> str:
    return next(row for row in ROWS if row.startswith(beginning))


@pytest.mark.parametrize(("row", "text", "urls"), EXAMPLES, ids=lambda value: str(value)[:40])
def test_a_row_is_what_the_gate_does(row: str, text: str, urls: list[str]) -> None:
    form = ROWS[_row(row)]

    found = [citation.url for citation in extract_citations(text)]

    assert found == urls
    if form == "damaged":
        assert find_malformed(text)
    verdict = CitationGate().check(
        f"{text} https://ok.example/x", SourceRegistry.from_urls(["https://ok.example/x", *urls])
    )
    assert verdict.passed


def test_every_row_has_examples_of_its_form() -> None:
    shown = {_row(row): set[bool]() for row, *_ in EXAMPLES}
    for row, _, urls in EXAMPLES:
        shown[_row(row)].add(bool(urls))

    assert set(ROWS) == set(shown)
    assert len(ROWS) >= 36
    assert {row for row in ROWS if True in shown[row]} >= {
        row for row, form in ROWS.items() if form == "citation"
    }
    assert all(False in shown[row] for row, form in ROWS.items() if form != "citation")


def test_every_kind_of_violation_is_explained_once() -> None:
    table = PAGE.read_text("utf-8").partition("| kind | meaning |")[2].partition("\n\n")[0]

    assert sorted(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == sorted(KINDS)


def test_a_mention_of_a_page_of_the_question_is_judged() -> None:
    verdict = CitationGate().check(f"I could not open {A}.", SourceRegistry.from_urls(given=[A]))

    assert [one.kind for one in verdict.violations] == ["user_given"]
