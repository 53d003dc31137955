"""Quality on real pages beside trafilatura: `python benchmarks/extract_real.py FOLDER`.

FOLDER holds pages and what a person would keep of them: NAME.html and NAME.txt. Where the text is
only the beginning of the page's content, recall alone can be judged: `--prefix 'PATTERN'` names
such pages (`--prefix '*'`: all). Words are compared as bags; a letter of a script without blanks
between words is a word. Prints n, recall, precision and F1 of both extractors, and the pages on
which ours is worst.
"""

import argparse
import re
import sys
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from extract_speed import EXTRACTORS, Extractor

from research_eval.tool.fetch.decode import decode

URL = "https://page.example/"
_UNBROKEN = "\u0e00-\u0edf\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
"""Thai, Lao, Burmese, Khmer, Kana, Han, Hangul."""
_WORD = re.compile(f"[{_UNBROKEN}]|(?:(?![{_UNBROKEN}])\\w)+")
_IMAGE = re.compile(r"!\[[^\]]*\](?:\([^)\s]*\))?")
_TARGET = re.compile(r"\]\([^)\s]*(?: \"[^\"]*\")?\)")


@dataclass(frozen=True)
class Score:
    """How one extractor did on one page."""

    name: str
    recall: float
    precision: float
    is_beginning: bool

    @property
    def f1(self) -> float:
        """Return the harmonic mean of both."""
        both = self.recall + self.precision
        return 2 * self.recall * self.precision / both if both else 0.0

    @property
    def merit(self) -> float:
        """Return what the page is ranked by."""
        return self.recall if self.is_beginning else self.f1


def words(markdown: str) -> Counter[str]:
    """Count the words of a text, without the targets of links and what images are called."""
    plain = _TARGET.sub("] ", _IMAGE.sub(" ", markdown)).replace("\\", "")
    return Counter(_WORD.findall(plain.lower()))


def judge(page: Path, extract: Extractor, *, is_beginning: bool) -> Score:
    """Compare what `extract` keeps of `page` with the text beside it."""
    html = decode(page.read_bytes(), content_type="text/html", is_html=True).text
    kept = words(extract(html, URL))
    wanted = words(page.with_suffix(".txt").read_text(encoding="utf-8"))
    shared = (kept & wanted).total()
    return Score(
        page.stem,
        shared / max(1, wanted.total()),
        shared / max(1, kept.total()),
        is_beginning,
    )


def row(name: str, scores: list[Score]) -> str:
    """Return one line of the table."""
    whole = [score for score in scores if not score.is_beginning]
    return (
        f"{name:16s}{len(scores):6d}{mean([s.recall for s in scores]):9.3f}"
        f"{len(whole):9d}{mean([s.recall for s in whole]):9.3f}"
        f"{mean([s.precision for s in whole]):11.3f}{mean([s.f1 for s in whole]):7.3f}"
    )


def mean(values: list[float]) -> float:
    """Return the mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--prefix", metavar="PATTERN", default="", help="pages with a beginning")
    parser.add_argument("--worst", type=int, default=10, help="how many pages to name")
    return parser.parse_args()


def main() -> int:
    """Judge all pairs."""
    asked = arguments()
    pages = [p for p in sorted(asked.folder.glob("*.html")) if p.with_suffix(".txt").exists()]
    if not pages:
        sys.exit(f"{asked.folder}: no pair of NAME.html and NAME.txt")
    found = {
        name: [judge(p, extract, is_beginning=fnmatch(p.stem, asked.prefix)) for p in pages]
        for name, extract in EXTRACTORS.items()
    }
    print(
        f"{'':16s}{'n':>6s}{'recall':>9s}{'whole n':>9s}{'recall':>9s}{'precision':>11s}{'F1':>7s}"
    )
    for name, scores in found.items():
        print(row(name, scores))
    ours, theirs = found["research_eval"], found["trafilatura"]
    print("\nworst pages: recall, precision (trafilatura: recall, precision)")
    for mine, other in sorted(zip(ours, theirs, strict=True), key=lambda pair: pair[0].merit)[
        : asked.worst
    ]:
        print(
            f"{mine.recall:6.2f}{mine.precision:6.2f}  ({other.recall:.2f} {other.precision:.2f})"
            f"  {mine.name}{' (beginning)' if mine.is_beginning else ''}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
