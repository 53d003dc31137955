"""Pages with an article each, and the text that belongs to it: `python benchmarks/article_set FOLDER`.

A layout is a template written by hand. What it takes from `a` belongs to the article, what it takes from
`n` may be read or not (names, dates, the words below a picture), and everything else is furniture: what
it takes from `f`, and its own words. The labels follow from the template alone, so no extractor can
change them.
"""

import random
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from prose import TOPICS, Prose

FOLDER = Path(__file__).parent / "layouts"
VARIANTS = 2
"""Pages of each layout: a long article, and a short one with much around it."""


@dataclass(frozen=True)
class Page:
    """One page, and what is to be read on it."""

    name: str
    is_held_apart: bool
    """Whether nobody looks at its result while extraction is worked on."""
    html: str
    wanted: str
    """The text that belongs to the article."""
    neutral: str
    """Text that counts neither for an extractor nor against it."""


class Source:
    """Gives out texts, and remembers them."""

    def __init__(self, rng: random.Random, language: str, topics: list[str]) -> None:
        self._prose = [Prose(rng, language=language, topic=topic) for topic in topics]
        self._rng = rng
        self.given: list[str] = []

    def _give(self, text: str) -> str:
        self.given.append(text)
        return text

    def _one(self) -> Prose:
        return self._rng.choice(self._prose)

    def para(self, sentences: int = 3) -> str:
        """Return a paragraph."""
        return self._give(self._one().paragraph(sentences))

    def headline(self) -> str:
        """Return the title of an article."""
        return self._give(self._one().headline())

    def heading(self) -> str:
        """Return the title of a part."""
        return self._give(self._one().heading())

    def comment(self, sentences: int = 2) -> str:
        """Return what a reader says."""
        prose = self._one()
        return self._give(" ".join(prose.comment() for _ in range(sentences)))

    def bio(self) -> str:
        """Return what is said of an author."""
        return self._give(self._one().bio())

    def caption(self) -> str:
        """Return the words below a picture."""
        return self._give(self._one().caption())

    def name(self) -> str:
        """Return a person's name."""
        return self._give(self._one().name())

    def say(self, text: str) -> str:
        """Return `text` itself."""
        return self._give(text)


def pages(*, held_apart: bool | None = None) -> list[Page]:
    """Return all pages, or those that are held apart, or the others."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined
    )
    found = []
    for path in sorted(FOLDER.glob("*.html")):
        for variant in range(VARIANTS):
            page = _page(environment, path.stem, variant)
            if held_apart is None or page.is_held_apart == held_apart:
                found.append(page)
    return found


def digest() -> str:
    """Return one digest of all pages and labels."""
    texts = (f"{p.name}\0{p.html}\0{p.wanted}\0{p.neutral}\0" for p in pages())
    return sha256("".join(texts).encode()).hexdigest()


def _page(environment: Environment, layout: str, variant: int) -> Page:
    template = environment.get_template(f"{layout}.html")
    language = layout.partition(".")[2] or "en"
    rng = random.Random(f"{layout} {variant}")
    topics = rng.sample(sorted(TOPICS), len(TOPICS))
    article = Source(rng, language, topics[:1])
    neutral = Source(rng, language, topics[:1])
    furniture = Source(rng, language, topics[1:])
    html = template.render(
        a=article, n=neutral, f=furniture, v=variant, long=variant == 0, title=article.headline()
    )
    return Page(
        name=f"{layout}-{variant}",
        is_held_apart=layout.startswith("held_"),
        html=html,
        wanted="\n".join(article.given),
        neutral="\n".join(neutral.given),
    )
