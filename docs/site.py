"""What mkdocs is told beside mkdocs.yml: pages of the root folder, and a report, belong to the site too."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.structure.files import Files

ROOT = Path(__file__).resolve().parents[1]
STUDY = "reports/study-citation-form/README.md"
FROM_ROOT = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", STUDY)
REPORT = "reports/bundled/report.html"
_LINK = re.compile(r"(?<=\]\()(?!\w+:)([^)\s#]*)(#[^)\s]*)?(?=\))")


def on_files(files: "Files", config: Any) -> "Files":  # noqa: ANN401  # mkdocs ships no types
    """Add the files that lie outside of docs/."""
    from mkdocs.structure.files import File  # noqa: PLC0415  # the tests read this file without mkdocs

    for name in (*FROM_ROOT, REPORT):
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:  # noqa: ANN401  # as above
    """Lead links to where the files lie in the site."""
    here = page.file.src_uri
    return _LINK.sub(lambda link: f"{in_site(here, link[1])}{link[2] or ''}", markdown)


def in_site(page: str, link: str) -> str:
    """Return a link of a page as it is in the site, where docs/ is the root.

    >>> in_site("CONTRIBUTING.md", "docs/gate.md"), in_site("glossary.md", "../CONTRIBUTING.md")
    ('gate.md', 'CONTRIBUTING.md')
    """
    if page in FROM_ROOT:
        return link.removeprefix("docs/")
    outside = link.removeprefix("../")
    return outside if "/" not in page and outside in {*FROM_ROOT, REPORT} else link
