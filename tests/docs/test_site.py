"""The site is whole: every page stands in the navigation once, and every link leads to a place."""

import re
import runpy
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
SITE = runpy.run_path(str(DOCS / "site.py"))
PAGES = {path.relative_to(DOCS).as_posix(): path for path in DOCS.rglob("*.md")}
PAGES |= {name: ROOT / name for name in SITE["FROM_ROOT"]}
OTHER = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*")} | {SITE["REPORT"]}
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+:)([^)\s]*)\)")


class _Loader(yaml.SafeLoader):
    """Reads mkdocs.yml, whose tags name Python functions, without calling any."""


_Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def named(entries):
    """Return the pages of a navigation, in order."""
    for entry in entries:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            yield from named(value) if isinstance(value, list) else [value]


def anchors(path):
    """Return where a page can be entered: its headings, spelt as GitHub and the site do."""
    headings = re.findall(r"^#+ (.+)$", CODE_BLOCK.sub("", path.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


CODE_BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def test_every_page_stands_in_the_navigation_once():
    navigation = list(named(yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), _Loader)["nav"]))

    assert sorted(navigation) == sorted([*PAGES, SITE["REPORT"]])


def test_the_list_of_pages_is_whole():
    listed = (DOCS / "README.md").read_text("utf-8")

    assert [name for name in PAGES if "/" not in name and f"({name})" not in listed
            and f"(../{name})" not in listed and name != "README.md"] == []  # fmt: skip


@pytest.mark.parametrize("page", sorted(PAGES))
def test_every_link_of_a_page_leads_to_a_place_on_disk_and_in_the_site(page):
    path = PAGES[page]
    for link in LINK.findall(CODE.sub("", path.read_text("utf-8"))):
        name, _, anchor = link.partition("#")
        target = (path.parent / name) if name else path
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
        in_site = SITE["in_site"](page, name)
        if in_site:
            place = (Path("/") / Path(page).parent / in_site).as_posix()
            assert Path(place).resolve().relative_to("/").as_posix() in {*PAGES, *OTHER}, link
