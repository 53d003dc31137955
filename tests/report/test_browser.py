"""The report in a headless Chromium: no error, no request, and every number leads to its trials."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode
from xml.etree import ElementTree as ET

import pypdfium2
import pytest
from axe_playwright_python.sync_playwright import Axe
from click.testing import CliRunner
from playwright import sync_api

from research_eval.cli.compare import compare
from research_eval.dataset import Case
from research_eval.report.write import write_report
from research_eval.schema import (
    AnswerChecked,
    Citation,
    Searched,
    SearchHit,
    SourceRecord,
    ToolCalled,
    Verdict,
    Violation,
)
from research_eval.schema.display import visible

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
SLY = "javascript:window.hacked=1"
UNSEEN = "a\u202eb\u2066c\x9bd\x1be\u200bf\U000e0041g"


class Watched:
    """A page that remembers what it complained of and what it asked for."""

    def __init__(self, page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, path: Path, fragment: str = "") -> None:
        self.page.goto(path.as_uri() + fragment)


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    with sync_api.sync_playwright() as playwright:
        path = str(CHROMIUM) if CHROMIUM.is_file() else None
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def watched(browser) -> Iterator[Watched]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    yield Watched(context.new_page())
    context.close()


@pytest.fixture(scope="module")
def report(large, made, tmp_path_factory) -> Path:
    record, trials = large
    folder = made.write_run(tmp_path_factory.mktemp("browser") / "run", record, trials[:-1])
    return write_report(folder, formats=["html"])[0]


@pytest.fixture(scope="module")
def hostile_report(made, tmp_path_factory) -> Path:
    """A run whose answer, page titles and URLs try to break out of the page."""
    url = "https://fine.example/page"
    answer = f"{HOSTILE} says {url} and 日本 {SLY} \u202eevil and https://lie.example/a."
    places = [(answer.index(u), len(u), u) for u in (url, "https://lie.example/a")]
    citations = tuple(Citation(url=u, start=at, end=at + n) for at, n, u in places)
    at, n, lie = places[1]
    bad = Violation(kind="unknown_url", url=lie, key=lie, start=at, end=at + n, message=HOSTILE)
    verdict = Verdict(gate="default@1", citations=citations, violations=(bad,))
    attempt = AnswerChecked(attempt=1, answer=answer, verdict=verdict, corrective=HOSTILE)
    sources = [
        SourceRecord(key=url, url=url, title=HOSTILE, state="fetched"),
        SourceRecord(key=SLY, url=SLY, title="sly", snippet=HOSTILE),
    ]
    hit = SearchHit(url=SLY, title=f"{HOSTILE} {UNSEEN}", snippet=UNSEEN, rank=1)
    search = Searched(query=HOSTILE, max_results=5, served_by=f"{HOSTILE} {UNSEEN}", hits=(hit,))
    record = made.manifest([made.configuration(HOSTILE)], [HOSTILE])
    record = record.model_copy(update={"dataset_is_synthetic": False})
    trial = made.trial(
        [attempt], case_id=HOSTILE, under=HOSTILE, question=HOSTILE, tags=(HOSTILE,),
        sources=sources, events=[search],
    )  # fmt: skip
    folder = made.write_run(tmp_path_factory.mktemp("hostile") / "run", record, [trial])
    return write_report(folder, formats=["html"])[0]


def trial_fragment(case_id: str, configuration: str, number: int = 1) -> str:
    query = {"case_id": case_id, "configuration": configuration, "trial": number}
    return f"#trial?{urlencode(query)}"


def test_the_report_opens_from_disk_without_error_or_request(watched, report) -> None:
    watched.open(report)
    watched.page.wait_for_selector("#summary table")
    watched.page.goto(report.as_uri() + "#trials")
    watched.page.wait_for_selector("#list-count")
    watched.page.goto(report.as_uri() + trial_fragment("case-01", "fabricator"))
    watched.page.wait_for_selector(".attempt")
    for fragment in ("#matrix", "#pair?case_id=case-01&a=honest"):
        watched.page.goto(report.as_uri() + fragment)
        watched.page.wait_for_selector("main h2:visible")

    assert watched.complaints == []
    assert {url.partition("#")[0] for url in watched.requests} <= {report.as_uri(), "data:,"}


def test_the_plots_are_visible(watched, report) -> None:
    watched.open(report)
    plots = watched.page.locator("figure.plot .wide svg")
    sizes = [plots.nth(i).bounding_box() for i in range(plots.count())]

    assert len(sizes) == 5
    assert all(size["width"] > 400 and size["height"] > 100 for size in sizes)
    assert "honest (reference agent)" in plots.first.text_content()


def test_numbers_lead_to_exactly_their_trials(watched, report) -> None:
    """Follow every ninth link of the summary and compare what the list says with the number."""
    watched.open(report, "#trials")
    watched.page.wait_for_selector("#list-count")
    wrong = watched.page.evaluate(
        """async () => {
          const wrong = [];
          const links = [...document.querySelectorAll("#view-summary a[href^='#trials?']")];
          let checked = 0;
          for (let place = 0; place < links.length; place += 9) {
            const link = links[place];
            const { value, sum, over, mean } = link.dataset;
            if (value === undefined && over === undefined) continue;
            await new Promise((done) => {
              addEventListener("hashchange", () => setTimeout(done, 0), { once: true });
              if (location.hash === link.hash) done();
              location.hash = link.hash;
            });
            const count = document.getElementById("list-count").dataset.count;
            const line = document.getElementById("list-sum");
            const close = (a, b) => Math.abs(Number(a) - Number(b)) < 1e-9;
            const right = value !== undefined ? count === value
              : close(line.dataset.over, over) && (sum === undefined || close(line.dataset.sum, sum))
                && (mean === undefined || close(line.dataset.mean, mean));
            if (!right) wrong.push(link.hash + " " + link.textContent);
            checked += 1;
          }
          return [checked, wrong];
        }"""
    )

    assert wrong[1] == []
    assert wrong[0] > 60
    assert watched.complaints == []


def test_a_number_opens_the_list_and_a_trial_of_it_opens_its_page(watched, report) -> None:
    watched.open(report)
    row = watched.page.locator("#summary tr", has_text="mixed-30")
    row.locator("td.rate .counts a").first.click()
    watched.page.wait_for_selector("#list-count")
    assert "configuration=mixed-30" in watched.page.url

    watched.page.locator("#view-trials tbody tr th a").first.click()
    watched.page.wait_for_selector(".attempt")
    assert watched.page.locator("#view-trial h2").text_content().startswith("What is known of")
    assert watched.page.get_by_text("Line of trials.jsonl", exact=True).is_visible()


def test_citations_are_marked_and_lead_to_the_ledger(watched, report) -> None:
    watched.open(report, trial_fragment("case-01", "fabricator"))
    watched.page.wait_for_selector(".attempt")
    first = watched.page.locator(".attempt").first
    rulings = [m.get_attribute("data-ruling") for m in first.locator("mark").all()]
    assert rulings == ["fetched", "unknown_url"]

    first.locator("button.ref").first.click()
    here = watched.page.locator(".source-here")
    assert here.count() == 1
    assert "opened" in here.text_content()
    assert here.text_content().count(first.locator("mark").first.text_content()) >= 1


def test_what_closes_a_citation_stays_with_it(watched, made, tmp_path) -> None:
    """The verdict stands behind the closing sign, not between it and the URL."""
    url = "https://fine.example/page"
    answer = f"So it is <{url}>, and so ({url})."
    starts = [found.start() for found in re.finditer(re.escape(url), answer)]
    citations = tuple(Citation(url=url, start=at, end=at + len(url)) for at in starts)
    verdict = Verdict(gate="default@1", citations=citations)
    attempt = AnswerChecked(attempt=1, answer=answer, verdict=verdict)
    record = made.manifest([made.configuration("alpha")], ["case-1"])
    folder = made.write_run(tmp_path / "run", record, [made.trial([attempt])])
    watched.open(write_report(folder, formats=["html"])[0], trial_fragment("case-1", "alpha"))
    watched.page.wait_for_selector(".attempt")
    parts = watched.page.evaluate(
        """() => [...document.querySelectorAll(".answer sup.after")].map(
             (one) => one.previousSibling.textContent)"""
    )

    assert parts == [">", ")"]


def test_a_filter_says_in_words_what_it_filters(watched, report) -> None:
    watched.open(
        report, "#trials?final_passed=0&final_passed=1&first_unknown_url=0&first_unknown_url=1"
    )
    watched.page.wait_for_selector("#list-count")
    final = watched.page.locator("select[name=final_passed] option:checked")
    violation = watched.page.get_by_label("Violation, first answer")

    assert final.text_content() == "failed or passed"
    assert violation.input_value() == ""
    chip = watched.page.locator("button.chip").text_content()
    assert "first_unknown_url is known, yes or no" in chip


def test_filters_narrow_the_list(watched, report) -> None:
    watched.open(report, "#trials")
    watched.page.select_option("select[name=configuration]", "honest")
    watched.page.wait_for_function("document.getElementById('list-count').dataset.count === '18'")
    watched.page.select_option("select[name=first_attempt_passed]", "0")
    watched.page.wait_for_function("document.getElementById('list-count').dataset.count === '0'")

    assert watched.complaints == []


def test_tables_sort_by_number(watched, report) -> None:
    watched.open(report)
    header = watched.page.locator("#summary thead button", has_text="first attempt")
    header.click()
    header.click()
    first = watched.page.locator("#summary tbody tr").first

    assert "honest" in first.text_content()
    assert watched.page.locator("#summary th[aria-sort=descending]").count() == 1


def test_a_trial_that_was_not_run_says_so(watched, report) -> None:
    watched.open(report, trial_fragment("case-06", "smollm2-135m", 3))
    watched.page.wait_for_selector("#view-trial h2")

    assert watched.page.locator("#view-trial h2").text_content() == "Not run"


def test_a_hostile_answer_is_text(watched, hostile_report) -> None:
    watched.open(hostile_report, trial_fragment(HOSTILE, HOSTILE))
    watched.page.wait_for_selector(".attempt")
    for details in watched.page.locator("details").all():
        details.evaluate("node => { node.open = true; }")
    shown = watched.page.locator(".answer").first.text_content()

    assert HOSTILE in shown
    assert "U+202E" in shown
    assert watched.page.evaluate("window.hacked") is None
    assert watched.page.locator("#view-trial img, #view-trial script").count() == 0
    assert watched.page.locator("mark").all_text_contents() == [
        "https://fine.example/page",
        "https://lie.example/a",
    ]
    assert watched.complaints == []


def test_nothing_unseen_is_shown_anywhere(watched, hostile_report) -> None:
    """Controls and marks of direction are told by their number on every view, tooltips included."""
    pair = f"#pair?{urlencode({'case_id': HOSTILE, 'a': HOSTILE})}"
    for fragment in ("", "#matrix", pair, "#trials", trial_fragment(HOSTILE, HOSTILE)):
        watched.open(hostile_report, fragment)
        watched.page.reload()
        watched.page.wait_for_selector("main h2:visible")
        for details in watched.page.locator("details").all():
            details.evaluate("node => { node.open = true; }")
        watched.page.wait_for_timeout(200)
        shown = watched.page.evaluate("document.body.innerText + document.title")
        assert {c for c in shown if visible(c) != c} == set()


def test_a_violation_says_its_url_once_and_words_are_told_as_people_write_them(
    watched, report
) -> None:
    watched.open(report, "#trials?first_unknown_url=1")
    watched.page.wait_for_selector("#view-trials tbody th a")
    watched.page.locator("#view-trials tbody th a").first.click()
    watched.page.wait_for_selector("ul.violations li")
    item = watched.page.locator("ul.violations li").first
    url = item.locator(".url").first.text_content()

    assert item.text_content().count(url) == 1
    assert "unknown URL" in item.text_content()
    watched.open(report, "#trials?final_passed=1")
    watched.page.wait_for_selector("#list-count")
    watched.page.locator("#view-trials tbody th a").first.click()
    watched.page.wait_for_selector("ol.timeline .e-model")
    told = watched.page.locator("ol.timeline").text_content()
    assert "waits for the tools" in told
    assert "tool_calls" not in told


def test_only_web_addresses_become_links(watched, hostile_report) -> None:
    watched.open(hostile_report, trial_fragment(HOSTILE, HOSTILE))
    watched.page.wait_for_selector("table.ledger")
    links = watched.page.locator("table.ledger a").evaluate_all("all => all.map(a => a.href)")

    assert links == ["https://fine.example/page"]


def test_hostile_names_survive_the_way_from_number_to_trial(watched, hostile_report) -> None:
    watched.open(hostile_report)
    watched.page.locator("#summary td.rate .counts a").nth(1).click()
    watched.page.wait_for_selector("#list-count")
    assert watched.page.locator("#list-count").get_attribute("data-count") == "1"
    watched.page.locator("#view-trials tbody th a").first.click()
    watched.page.wait_for_selector(".attempt")

    assert watched.page.evaluate("window.hacked") is None
    assert watched.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(browser, report, scheme: str) -> None:
    """WCAG AA: at least 4.5 to 1, for every text of the summary and of a trial."""
    context = browser.new_context(color_scheme=scheme, offline=True)
    page = context.new_page()
    low = []
    for fragment in ("", "#trials", trial_fragment("case-01", "fabricator")):
        page.goto(report.as_uri() + fragment)
        page.reload()
        page.wait_for_selector("main h2:visible")
        low += page.evaluate(CONTRAST)
    context.close()

    assert low == []


CONTRAST = """() => {
  const light = (c) => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const lum = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const c = parse(getComputedStyle(node).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  const low = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || node.closest("svg, script, style, noscript, #tip")) continue;
    if (!node.checkVisibility()) continue;
    const a = lum(parse(getComputedStyle(node).color)) + 0.05;
    const b = lum(ground(node)) + 0.05;
    const ratio = Math.max(a, b) / Math.min(a, b);
    if (ratio < 4.5) low.add(node.tagName + "." + node.className + " " + ratio.toFixed(2));
  }
  return [...low];
}"""


def test_the_report_begins_with_the_finding_and_one_picture(watched, report) -> None:
    watched.open(report)
    found = watched.page.locator("#finding")

    assert found.locator(".found").text_content().startswith("The first answer of smollm2-135m")
    assert found.locator("figure svg:visible").count() == 1
    assert watched.page.locator("#contents a").first.get_attribute("href") == "#finding"


def outcomes(watched, name: str) -> list[str]:
    cells = watched.page.locator("table.matrix tbody td a").evaluate_all(
        "all => all.map(a => a.getAttribute('aria-label'))"
    )
    return [text.partition(": ")[2] for text in cells if f", {name}: " in text]


def test_the_matrix_shows_each_case_under_each_configuration(watched, report) -> None:
    watched.open(report, "#matrix")
    watched.page.wait_for_selector("table.matrix")

    assert outcomes(watched, "honest") == ["passed at first"] * 6
    assert outcomes(watched, "repairs-after-1") == ["passed after a retry"] * 6
    assert outcomes(watched, "fabricator") == ["failed"] * 6
    assert watched.page.locator("table.matrix td.o-failed a").first.text_content() == "\u2717"


def test_the_matrix_is_filtered_by_what_failed_and_what_flips(watched, report) -> None:
    watched.open(report, "#matrix")
    watched.page.wait_for_selector("table.matrix")
    whole = [watched.page.locator(f"tr:has(td.o-{name})").count() for name in ("flips", "passed")]
    watched.page.select_option("select[name=matrix-show]", "flips")
    watched.page.wait_for_function(
        f"document.getElementById('matrix-count').dataset.count === '{whole[0]}'"
    )
    watched.page.select_option("select[name=matrix-show]", "failed")
    watched.page.wait_for_function("location.hash.includes('show=failed')")
    watched.page.wait_for_selector("#matrix-count")
    assert all(
        one in {"failed", "no answer"} for one in outcomes(watched, "smollm2-135m")
    )  # the one model; reference agents take no part
    watched.page.get_by_text("Clear all").click()
    watched.page.wait_for_function("document.getElementById('matrix-count').dataset.count === '6'")
    assert watched.complaints == []


@pytest.fixture
def answered(made, make_folder):
    """Two models: one states the fact and cites nothing opened, the other only cites."""
    models = [made.configuration(name, is_reference_agent=False) for name in ("right", "honest")]
    trials = [
        made.trial([made.checked(1, "It is 4.", "no_citation")], under="right"),
        made.trial([made.checked(1, "See https://a.example/ there")], under="honest"),
    ]  # fmt: skip
    folder = make_folder(made.manifest(models, ["case-1", "case-2"]), trials)
    cases = [
        Case(id="case-1", question="How much?", expected=[{"value": "4"}]),
        Case(id="case-2", question="And who?"),
    ]
    folder.cases_path.write_text("".join(f"{one.model_dump_json()}\n" for one in cases), "utf-8")
    return write_report(folder, formats=["html"])[0]


def test_a_reader_sees_which_answers_are_correct_beside_what_they_cite(watched, answered) -> None:
    watched.open(answered, "#matrix")
    watched.page.wait_for_selector("table.matrix")
    cited = [outcomes(watched, name)[0] for name in ("right", "honest")]
    watched.page.select_option("select[name=matrix-by]", "correct")
    watched.page.wait_for_function("location.hash.includes('by=correct')")
    watched.page.get_by_text("correct, of 1 case").wait_for()
    correct = [outcomes(watched, name) for name in ("right", "honest")]
    totals = watched.page.locator("table.matrix .totals td").all_text_contents()
    watched.page.locator("table.matrix tbody td a").first.click()
    watched.page.locator("#view-pair p", has_text="\u2713 correct").wait_for()
    watched.open(answered, "#trials?correct=0")
    watched.page.wait_for_function("document.getElementById('list-count').dataset.count === '1'")
    watched.page.locator("#view-trials tbody th a").click()
    watched.page.get_by_text("Compare with another answer").click()
    sides = watched.page.locator("select[name=side-A] option:checked").text_content()

    assert cited == ["failed", "passed at first"]
    assert [one[0] for one in correct] == ["correct", "not correct"]
    assert totals == ["1", "0"]
    assert sides.startswith("honest #1")
    assert watched.complaints == []


def test_a_sign_leads_to_two_answers_with_their_different_words_marked(watched, report) -> None:
    watched.open(report, "#matrix")
    watched.page.locator("table.matrix td.o-failed a").first.click()
    watched.page.wait_for_selector(".pair")
    answers = watched.page.locator(".pair .answer").all_text_contents()

    assert len(answers) == 2
    assert answers[0] != answers[1]
    marked = "".join(watched.page.locator(".pair del").all_text_contents())
    assert marked.strip()
    kept = watched.page.evaluate(
        """() => ["del", "ins"].map((tag, side) => {
             const copy = document.querySelectorAll(".pair .answer")[side].cloneNode(true);
             copy.querySelectorAll(tag).forEach((one) => one.remove());
             return copy.textContent.replace(/\\s+/g, "");
           })"""
    )
    assert kept[0] == kept[1]
    watched.page.select_option("select[name=side-B]", index=2)
    watched.page.wait_for_function("location.hash.includes('b=')")
    assert watched.complaints == []


def test_a_trial_says_how_to_replay_it(watched, report) -> None:
    watched.open(report, trial_fragment("case-01", "fabricator", 2))
    watched.page.wait_for_selector(".attempt")
    told = watched.page.locator("#view-trial pre").first.text_content()

    assert "--case case-01 --configuration fabricator" in told


def test_what_is_expected_and_what_the_model_read_stand_on_the_page_of_a_trial(
    watched, made, tmp_path
) -> None:
    read = "The toll is 4.50."
    digest = hashlib.sha256(read.encode()).hexdigest()
    called = ToolCalled(
        turn=1, tool_call_id="c", tool="fetch", arguments="{}", ok=True, result_chars=len(read),
        result_sha256=digest,
    )  # fmt: skip
    record = made.manifest([made.configuration("alpha")], ["case-1"])
    trial = made.trial([made.checked(1, "See https://a.example/ now")], events=[called])
    folder = made.write_run(tmp_path / "run", record, [trial])
    case = Case(id="case-1", question="What is the toll?", expected=["4.50", "four fifty"])
    folder.cases_path.write_text(case.model_dump_json() + "\n", encoding="utf-8")
    folder.page_path(digest).parent.mkdir(parents=True)
    folder.page_path(digest).write_text(read, encoding="utf-8")
    watched.open(write_report(folder, formats=["html"])[0], trial_fragment("case-1", "alpha"))
    watched.page.wait_for_selector(".attempt")
    watched.page.get_by_text("what the model read").click()
    watched.page.get_by_text(read).wait_for()

    assert watched.page.locator(".expected").text_content() == "Expected: 4.50; four fifty"
    assert watched.complaints == []


def test_tables_and_pictures_are_saved_as_files(watched, report) -> None:
    watched.open(report)
    with watched.page.expect_download() as table:
        watched.page.locator("#summary .tool", has_text="Save CSV").first.click()
    with watched.page.expect_download() as picture:
        watched.page.locator("#finding .tool", has_text="Save picture").click()
    lines = Path(table.value.path()).read_text("utf-8").splitlines()

    assert lines[0].startswith('"configuration","judged"')
    assert len(lines) == 1 + 8
    assert ET.parse(picture.value.path()).getroot().tag == "{http://www.w3.org/2000/svg}svg"


VIEWS = ("", "#matrix", "#pair?case_id=case-01&a=mixed-30", "#trials",
         trial_fragment("case-01", "fabricator"))  # fmt: skip


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light")], ids=str
)
def test_axe_finds_nothing_on_any_view(browser, report, width, scheme) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
    )
    page = context.new_page()
    found = []
    for fragment in VIEWS:
        page.goto(report.as_uri() + fragment)
        page.reload()
        page.wait_for_selector("main h2:visible")
        page.wait_for_timeout(100)
        told = Axe().run(page).response["violations"]
        found += [(fragment, one["id"], one["nodes"][0]["html"]) for one in told]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), fragment
    context.close()

    assert found == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (390, "light")], ids=str)
def test_axe_finds_nothing_on_a_comparison(browser, large, made, tmp_path, width, scheme) -> None:
    record, trials = large
    folders = [made.write_run(tmp_path / "base", record, trials)]
    swapped = [
        one.model_copy(update={"transcript": other.transcript, "status": other.status})
        for one, other in zip(trials, trials[::-1], strict=True)
    ]
    folders.append(made.write_run(tmp_path / "head", record, swapped))
    page, path = browser.new_page(), tmp_path / "page.html"
    words = [*map(str, (f.path for f in folders)), "--html", str(path)]
    result = CliRunner().invoke(compare, words, standalone_mode=False)
    assert result.exception is None
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.goto(path.as_uri())
    found = [(one["id"], one["nodes"][0]["html"]) for one in Axe().run(page).response["violations"]]
    fits = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    changed = page.locator("details").count()
    page.close()

    assert found == []
    assert fits
    assert changed


def test_a_phone_gets_pictures_of_its_own(browser, report) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, offline=True)
    page = context.new_page()
    page.goto(report.as_uri())
    shown = page.locator("figure.plot svg:visible")
    size = shown.first.locator("text").first.evaluate("one => one.getBoundingClientRect().height")
    count, wide = shown.count(), page.locator("figure.plot .wide svg:visible").count()
    context.close()

    assert (count, wide) == (5, 0)
    assert size >= 9


def test_print_repeats_headings_and_leaves_out_what_is_for_the_screen(watched, report) -> None:
    watched.open(report)
    watched.page.emulate_media(media="print")

    assert not watched.page.locator("#contents, #menu, .tools").locator("visible=true").count()
    head = watched.page.locator("#summary thead").first
    assert head.evaluate("one => getComputedStyle(one).display") == "table-header-group"
    watched.page.evaluate(
        """() => { const body = document.querySelector("#summary tbody");
             for (let n = 0; n < 3; n += 1) body.innerHTML += body.innerHTML; }"""
    )
    pages = pypdfium2.PdfDocument(watched.page.pdf(format="A4"))
    text = [page.get_textpage().get_text_range() for page in pages]
    assert sum("first attempt final repair" in " ".join(one.split()) for one in text) >= 3


def test_every_view_is_reached_by_the_keyboard_alone(watched, report) -> None:
    watched.open(report)
    watched.page.keyboard.press("Tab")
    watched.page.keyboard.press("Enter")
    assert watched.page.evaluate("document.activeElement.id") == "main"
    for name in ("matrix", "trials"):
        watched.page.locator(f"#menu a[href='#{name}']").focus()
        watched.page.keyboard.press("Enter")
        watched.page.wait_for_selector(f"#view-{name} h2")
        assert watched.page.evaluate("document.activeElement.tagName") == "H2"
    watched.page.locator("#view-trials tbody th a").first.focus()
    watched.page.keyboard.press("Enter")
    watched.page.wait_for_selector("#view-trial .attempt")
