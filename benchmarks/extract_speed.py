"""Quality and speed beside trafilatura, in one run: `python benchmarks/extract_speed.py [FOLDER]`.

Quality is counted on the labelled HTML of `datasets/fetch`, speed on the same pages, or on all
`*.html` files below FOLDER. Ends with status 1 if reading costs more than half of trafilatura's CPU.
"""

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import trafilatura

from research_eval.tool.fetch.decode import decode
from research_eval.tool.fetch.html import read_html

OWN = Path(__file__).parents[1] / "datasets" / "fetch"
REPEATS = 5
MOST = 0.5
"""Largest share of trafilatura's CPU."""

Extractor = Callable[[str, str], str]


def ours(html: str, url: str) -> str:
    """Extract by the project's own rules, flags and metadata included."""
    return read_html(html, url=url).content


def theirs(html: str, url: str) -> str:
    """Extract by trafilatura, as Markdown with links, tables and images."""
    return (
        trafilatura.extract(
            html,
            url=url,
            output_format="markdown",
            include_links=True,
            include_formatting=True,
            include_tables=True,
            include_images=True,
        )
        or ""
    )


def readable(html: str, url: str) -> str:
    """Extract by readability-lxml, as text."""
    found = import_module("readability").Document(html, url=url)
    try:
        body = import_module("lxml.html").fromstring(found.summary(html_partial=True))
    except Exception:  # noqa: BLE001 - it raises of its own on pages without text
        return ""
    return f"{found.short_title()}\n" + " ".join(body.itertext())


def resilient(html: str, url: str) -> str:  # noqa: ARG001 - an `Extractor`
    """Extract by resiliparse, as text."""
    extract = import_module("resiliparse.extract.html2text").extract_plain_text
    return str(extract(html, main_content=True, alt_texts=False))


EXTRACTORS: dict[str, Extractor] = {"research_eval": ours, "trafilatura": theirs}
"""Ours, and those that are installed to be measured beside it (dependency group `peers`)."""
if find_spec("readability") is not None:
    EXTRACTORS["readability"] = readable
if find_spec("resiliparse") is not None:
    EXTRACTORS["resiliparse"] = resilient


def group(identifier: str) -> str:
    """Return the kind of page that an entry is."""
    return identifier.partition("_")[0]


def quality(extract: Extractor) -> dict[str, tuple[int, int]]:
    """Return for each kind of page how many labels on content are met, and how many there are."""
    met, total = Counter[str](), Counter[str]()
    for text in (OWN / "index.jsonl").read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        kind = group(line["id"])
        if line["kind"] != "html" or kind in {
            "encoding",
            "missing",
            "robot",
            "login",
            "consent",
            "shell",
            "empty",
        }:
            continue
        html = decode(
            (OWN / line["file"]).read_bytes(), content_type=line["content_type"], is_html=True
        ).text
        content = " ".join(extract(html, line["url"]).split())
        checks = [
            (f"{kind}: kept", " ".join(piece.split()) in content) for piece in line["must_contain"]
        ]
        checks += [
            (f"{kind}: left out", piece not in content) for piece in line["must_not_contain"]
        ]
        raw = extract(html, line["url"])
        checks += [
            (f"{kind}: form", bool(re.search(pattern, raw))) for pattern in line["must_match"]
        ]
        for name, is_met in checks:
            met[name] += is_met
            total[name] += 1
    return {name: (met[name], total[name]) for name in sorted(total)}


def speed(extract: Extractor, pages: list[str]) -> tuple[float, float]:
    """Return CPU seconds for all pages, and the median milliseconds of one."""
    rounds, singles = [], []
    for _ in range(REPEATS):
        began = time.process_time()
        for html in pages:
            start = time.process_time()
            extract(html, "https://a.example/")
            singles.append(1000 * (time.process_time() - start))
        rounds.append(time.process_time() - began)
    return min(rounds), median(singles)


def main(folder: Path | None) -> int:
    """Print both tables."""
    found = {name: quality(extract) for name, extract in EXTRACTORS.items()}
    print(f"{'labels met':28s}" + "".join(f"{name:>20s}" for name in EXTRACTORS))
    for row in found["research_eval"]:
        print(
            f"{row:28s}"
            + "".join(
                f"{found[name][row][0]:>14d} of {found[name][row][1]:<3d}" for name in EXTRACTORS
            )
        )
    paths = sorted((folder or OWN / "files").rglob("*.html"))[:300]
    pages = [decode(path.read_bytes(), is_html=True).text for path in paths]
    size = sum(map(len, pages)) / 1e6
    print(f"\n{len(pages)} pages, {size:.2f} million characters; best of {REPEATS} rounds")
    cpu = {}
    for name, extract in EXTRACTORS.items():
        cpu[name], single = speed(extract, pages)
        print(
            f"{name:28s} {cpu[name]:8.3f} s CPU  {len(pages) / cpu[name]:8.1f} pages/s  {size / cpu[name]:6.2f} M characters/s  median {single:6.2f} ms"
        )
    ratio = cpu["research_eval"] / cpu["trafilatura"]
    print(f"CPU of research_eval / trafilatura: {ratio:.2f} (at most {MOST})")
    return 0 if ratio <= MOST else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
