"""report.html as a file: what it may load, what it embeds, and that its bytes never change."""

import base64
import hashlib
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from research_eval.journal import RunFolder
from research_eval.report.aggregate import load_view
from research_eval.report.detail import trial_detail
from research_eval.report.html import render_html
from research_eval.report.pack import unpack
from research_eval.schema import (
    AnswerChecked,
    Citation,
    Searched,
    SearchHit,
    SourceRecord,
    Verdict,
    Violation,
)
from research_eval.schema.display import visible

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "javascript:alert(1)",
    "{{ 7 * 7 }}",
    "<!--<script>",
    "\u202egnp.exe",
    "$\\frac{1}{0}$",
)


class Page(HTMLParser):
    """Reads a page's elements and their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def folder(large, tmp_path_factory, made) -> RunFolder:
    record, trials = large
    return made.write_run(tmp_path_factory.mktemp("html") / "run", record, trials)


@pytest.fixture(scope="module")
def text(folder: RunFolder) -> str:
    return render_html(load_view(folder), folder)


STEERING = "evil\u202ename\x1b]0;x\x07\x9b\u2066\u200b\U000e0041\x7f"


def hostile_page(made, path: Path, strings: tuple[str, ...], plots=None) -> str:
    """Return the page of a run in which every free field holds one of the strings."""
    one = strings[0]
    answer = " ".join(strings)
    hit = SearchHit(url=one, title=one, snippet=answer, rank=1)
    source = SourceRecord(key=one, url=one, title=answer, snippet=answer, observed=strings)
    record = made.manifest([made.configuration(one, model=one, search=one)], [one])
    checked = AnswerChecked(attempt=1, answer=answer, verdict=Verdict(gate=one), corrective=answer)
    trial = made.trial(
        [checked], case_id=one, under=one, question=answer, tags=strings, language=one,
        sources=[source], events=[Searched(query=answer, max_results=1, hits=(hit,), served_by=one)],
    )  # fmt: skip
    folder = made.write_run(path, record, [trial])
    return render_html(load_view(folder), folder, plots=plots)


def test_the_page_names_nothing_to_load(text: str) -> None:
    page = Page(text)
    addresses = [
        value
        for _, attributes in page.elements
        for name, value in attributes.items()
        if name in {"src", "href", "xlink:href", "data", "action", "poster", "srcset"}
    ]

    assert addresses
    assert all(value.startswith(("#", "data:,")) for value in addresses)
    assert not re.search(r"@import|url\((?!#)", text)


def test_the_policy_allows_the_one_script_by_its_hash(text: str) -> None:
    policy = next(
        m["content"]
        for m in Page(text).all("meta")
        if m.get("http-equiv") == "Content-Security-Policy"
    )
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert len(re.findall(r"<script>", text)) == 1


def test_no_script_builds_markup_out_of_text(text: str) -> None:
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)[1]

    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "fetch(",
    ):
        assert word not in script


def test_every_plot_is_inside_with_ids_of_its_own(text: str) -> None:
    assert text.count('<figure class="plot"') == 5
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))


def test_every_trial_is_inside(text: str, large) -> None:
    _, trials = large
    chunks = re.findall(r'id="chunk-\d+">([^<]+)<', text)
    found = [trial for chunk in chunks for trial in unpack(chunk).values()]

    assert len(found) == len(trials)
    assert sum(len(trial["attempts"]) for trial in found) == sum(len(t.attempts) for t in trials)


def test_reference_agents_and_the_synthetic_web_are_labelled(text: str) -> None:
    assert '<span class="badge label">synthetic web</span>' in text
    summary = text[text.index('<section id="summary">') :]
    row = summary[summary.index(">honest</a>") : summary.index(">snippet-citer</a>")]
    assert "reference agent" in row
    table = summary[summary.index("<table") :]
    assert "reference agent" not in table[table.index(">smollm2-135m<") :].split("</tr>")[0]


@settings(max_examples=15)
@given(st.lists(st.text(min_size=1) | st.sampled_from(HOSTILE), min_size=1, max_size=3))
def test_whatever_a_run_holds_adds_no_element(made, tmp_path_factory, strings: list[str]) -> None:
    path = tmp_path_factory.mktemp("hostile")
    harmless = Page(hostile_page(made, path / "a", tuple("harmless" for _ in strings), {}))
    hostile = Page(hostile_page(made, path / "b", tuple(strings), {}))

    assert [tag for tag, _ in hostile.elements if tag in {"script", "img", "iframe", "base"}] == [
        tag for tag, _ in harmless.elements if tag in {"script", "img", "iframe", "base"}
    ]
    names = {name for _, attributes in hostile.elements for name in attributes}
    assert not {name for name in names if name.startswith("on")}


@pytest.mark.parametrize("one", HOSTILE)
def test_hostile_names_are_shown_as_text(made, tmp_path: Path, one: str) -> None:
    text = hostile_page(made, tmp_path / "run", (one,))

    assert "<img src=x" not in text
    assert "<svg onload" not in text
    assert text.count("<script>") == 1


def test_no_character_that_acts_instead_of_being_seen_stands_in_the_file(
    made, tmp_path: Path
) -> None:
    """Names of a run reach headings, plots, settings and facts; none brings its controls along."""
    text = hostile_page(made, tmp_path / "run", (STEERING,))
    acting = {c for c in text if visible(c) != c}

    assert acting == set()
    assert "evil\N{REPLACEMENT CHARACTER}name" in text


def test_the_head_says_what_was_asked_of_whom_and_what_is_made_up(text: str) -> None:
    head = text[text.index("<header>") : text.index("</header>")]

    assert "<h1>Do answers cite only pages that were opened?</h1>" in head
    assert "experiment <strong>" in head
    assert "planned" in head
    assert "judged." in head
    assert "Synthetic: its questions and the pages of its web were made for the purpose." in head


def test_the_bytes_are_the_same_in_every_process(large, made, tmp_path: Path) -> None:
    """Under another hash seed, time zone, locale and folder."""
    record, trials = large
    folder = made.write_run(tmp_path / "run", record, trials[:24])
    settings_ = (
        {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "SOURCE_DATE_EPOCH": "1"},
    )
    written = []
    for number, environment in enumerate(settings_):
        out = tmp_path / str(number)
        code = (
            "import sys; from pathlib import Path; from research_eval.journal import RunFolder;"
            "from research_eval.report import write_report;"
            "write_report(RunFolder(Path(sys.argv[1])), out=Path(sys.argv[2]))"
        )
        subprocess.run(
            [sys.executable, "-c", code, str(folder.path), str(out)],
            check=True, env={**os.environ, **environment}, cwd=Path(__file__).parents[2],
        )  # fmt: skip
        written.append({path.name: path.read_bytes() for path in out.iterdir()})

    assert sorted(written[0]) == ["junit.xml", "report.html", "report.md", "scores.csv"]
    assert written[0] == written[1]


def test_citations_are_marked_by_verdict_and_lead_to_their_record(made) -> None:
    answer = (
        "One https://a.example/x and two https://b.example/?utm_source=q and https://c.example/."
    )
    spans = [(m.start(), m.end(), m[0]) for m in re.finditer(r"https://\S*[^.\s]", answer)]
    citations = [Citation(url=url, start=start, end=end) for start, end, url in spans]
    violation = Violation(
        kind="unknown_url",
        url=spans[2][2],
        key="https://c.example/",
        start=spans[2][0],
        end=spans[2][1],
    )
    verdict = Verdict(gate="default@1", citations=tuple(citations), violations=(violation,))
    sources = [
        SourceRecord(key="https://b.example/", url="https://www.b.example/", state="fetched"),
        SourceRecord(key="https://a.example/x", url="https://a.example/x", state="fetched"),
    ]
    checked = AnswerChecked(attempt=1, answer=answer, verdict=verdict)

    (attempt,) = trial_detail(made.trial([checked], sources=sources), {})["attempts"]

    assert [mark[2:4] for mark in attempt["marks"]] == [
        ["fetched", 1],
        ["fetched", 0],
        ["unknown_url", None],
    ]
