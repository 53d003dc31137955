"""What CONTRIBUTING and the decisions name is there: files, tests, links."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs/decisions").glob("*.md"))]
TESTS = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_test_and_link_of_a_page_exists(page):
    text = page.read_text("utf-8")
    paths = re.findall(r"`((?:research_eval|tests|docs|benchmarks)/[\w./-]+)`", text)
    tests = re.findall(r"`(test_\w+)`", text)
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]

    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert [name for name in tests if f"def {name}(" not in TESTS] == []
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_decision_is_listed():
    listed = (ROOT / "docs/decisions/README.md").read_text("utf-8")

    assert [
        page.name for page in PAGES[1:] if page.name != "README.md" and page.name not in listed
    ] == []


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("BUILT_IN", "research_eval/scorer/catalog.py"),
        ("BUILT_IN_GATES", "research_eval/gate/load.py"),
        ("KINDS", "research_eval/gate/kind.py"),
        ("PROVIDERS", "research_eval/model/wire/provider.py"),
        ("SECTIONS", "research_eval/report/score_section.py"),
        ("WIRES", "research_eval/tool/search/build.py"),
    ],
)
def test_the_registry_that_is_named_stands_in_the_file_that_is_named(name, file):
    assert f"`{name}` " in (text := (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert file in text
    assert re.search(rf"^{name}\b.*= ", (ROOT / file).read_text("utf-8"), re.MULTILINE)
