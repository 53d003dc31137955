"""Precision and recall on pages with an article, beside other extractors: `python benchmarks/article_pages.py`.

The pages and their labels are those of `benchmarks/article_set`. Words are compared as bags, as in
`extract_real.py`; words that count neither way are taken out first. `--held-apart` judges the pages that
nobody looks at while extraction is worked on; `--worst N` shows what was kept wrongly, or lost. Ends with
status 1 where the pages are others than the floors were measured on, or a floor is not met.
"""

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "article_set"))

from extract_real import mean, words
from extract_speed import EXTRACTORS, Extractor
from pages import Page, digest, pages

FLOORS = Path(__file__).parent / "article_floors.json"
URL = "https://page.example/"


@dataclass(frozen=True)
class Score:
    """How an extractor did on one page."""

    page: Page
    kept: Counter[str]

    @property
    def wanted(self) -> Counter[str]:
        """Return the words that belong to the article."""
        return words(self.page.wanted)

    @property
    def surplus(self) -> Counter[str]:
        """Return the words that are furniture."""
        return self.kept - self.wanted - words(self.page.neutral)

    @property
    def lost(self) -> Counter[str]:
        """Return the words of the article that are missing."""
        return self.wanted - self.kept

    @property
    def recall(self) -> float:
        """Return the share of the article that was kept."""
        return 1 - self.lost.total() / self.wanted.total()

    @property
    def precision(self) -> float:
        """Return the share of the article in what was kept."""
        right = (self.kept & self.wanted).total()
        return right / max(1, right + self.surplus.total())

    @property
    def f1(self) -> float:
        """Return the harmonic mean of both."""
        both = self.recall + self.precision
        return 2 * self.recall * self.precision / both if both else 0.0


def judge(extract: Extractor, chosen: list[Page]) -> list[Score]:
    """Return how `extract` does on each page."""
    return [Score(page, words(extract(page.html, URL))) for page in chosen]


def summary(scores: list[Score]) -> dict[str, float]:
    """Return the means over the pages."""
    return {
        name: mean([getattr(score, name) for score in scores])
        for name in ("precision", "recall", "f1")
    }


def show_worst(scores: list[Score], count: int) -> None:
    """Print the pages on which ours is worst, and the words that are wrong there."""
    for score in sorted(scores, key=lambda score: score.f1)[:count]:
        print(f"\n{score.page.name}: precision {score.precision:.3f}, recall {score.recall:.3f}")
        for name in ("surplus", "lost"):
            found: Counter[str] = getattr(score, name)
            print(f"  {name} {found.total()}: {' '.join(w for w, _ in found.most_common(30))}")


def below_floors(found: dict[str, dict[str, float]]) -> list[str]:
    """Return each measure that lies below its floor."""
    declared = json.loads(FLOORS.read_text(encoding="utf-8"))
    if declared["sha256"] != digest():
        return [f"the pages are others than {FLOORS.name} was measured on: {digest()}"]
    return [
        f"{part} {name} is {found[part][name]:.4f}, below {floor}"
        for part, floors in declared["floors"].items()
        for name, floor in floors.items()
        if part in found and found[part][name] < floor
    ]


def main() -> int:
    """Judge all extractors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-apart", action="store_true", help="judge the other pages as well")
    parser.add_argument("--worst", type=int, default=0, help="how many pages to show")
    asked = parser.parse_args()
    parts = {"open": pages(held_apart=False)}
    if asked.held_apart:
        parts["held apart"] = pages(held_apart=True)
    found = {}
    for part, chosen in parts.items():
        print(f"\n{part}: {len(chosen)} pages{'precision':>20s}{'recall':>10s}{'F1':>8s}")
        for name, extract in EXTRACTORS.items():
            scores = judge(extract, chosen)
            means = summary(scores)
            print(f"{name:20s}{'':>15s}" + "".join(f"{value:10.3f}" for value in means.values()))
            if name == "research_eval":
                found[part] = means
                show_worst(scores, asked.worst)
    faults = below_floors(found)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
