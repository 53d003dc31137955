"""One labelled document, and the prose that fills it."""

import random
from dataclasses import asdict, dataclass, field
from hashlib import sha256

WALLS = ("soft_404", "bot_wall", "consent_wall", "login_wall", "js_required", "paywall", "empty")

PLACES = (
    "the tram depot",
    "the salt cellar",
    "the weaving shed",
    "the tide mill",
    "the kite workshop",
    "the lower orchard",
    "the ropewalk",
    "the cheese cave",
    "the glass kiln",
    "the observatory stairs",
)
PEOPLE = (
    "a retired surveyor",
    "the ferry warden",
    "two apprentices",
    "the school's cook",
    "an itinerant clockmaker",
    "the seed merchant",
    "a visiting lens grinder",
    "the night signalman",
)
DEEDS = (
    "weighed",
    "repainted",
    "mapped",
    "rebuilt",
    "measured",
    "argued about",
    "photographed",
    "insured",
    "numbered",
)
ENDINGS = (
    "before the first frost",
    "at the expense of the guild",
    "and kept the receipts",
    "with borrowed tools",
    "despite two weeks of rain",
    "so that the ledger could be closed",
    "while the bridge was shut",
)


@dataclass
class Entry:
    """A document and what has to be read in it."""

    id: str
    body: bytes
    kind: str = "html"
    content_type: str = "text/html; charset=utf-8"
    url: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    must_contain: list[str] = field(default_factory=list)
    must_not_contain: list[str] = field(default_factory=list)
    must_match: list[str] = field(default_factory=list)
    must_not_match: list[str] = field(default_factory=list)
    title: str | None = None
    encoding: str | None = None
    flags: list[str] = field(default_factory=list)
    any_of: list[str] = field(default_factory=list)
    flags_forbidden: list[str] = field(default_factory=list)
    citable: bool = True
    note: str = ""

    @property
    def file(self) -> str:
        """Name of the file that holds the document."""
        ending = {"text": "txt", "markdown": "md", "binary": "bin", "feed": "xml"}.get(
            self.kind, self.kind
        )
        return f"{self.id}.{ending}"

    def line(self) -> dict[str, object]:
        """Return the entry's line of the index."""
        fields = asdict(self)
        del fields["body"]
        fields["url"] = self.url or f"https://fieldnotes.example/{self.id}"
        return {"id": self.id, "file": self.file, **fields, "sha256": sha256(self.body).hexdigest()}


class Prose:
    """Sentences that are the same in every run."""

    def __init__(self, name: str) -> None:
        self._rng = random.Random(name)

    def sentence(self) -> str:
        """Return one sentence."""
        pick = self._rng.choice
        year = self._rng.randint(1850, 1999)
        form = self._rng.randrange(3)
        if form == 0:
            return f"In {year} {pick(PEOPLE)} {pick(DEEDS)} {pick(PLACES)} {pick(ENDINGS)}."
        if form == 1:
            return f"Nobody {pick(DEEDS)} {pick(PLACES)} after {year}, and {pick(PEOPLE)} said so {pick(ENDINGS)}."
        return f"It took {pick(PEOPLE)} {self._rng.randint(3, 90)} days until {pick(PLACES)} was {pick(DEEDS).split()[0]} {pick(ENDINGS)}."

    def paragraph(self, sentences: int = 4) -> str:
        """Return some sentences."""
        return " ".join(self.sentence() for _ in range(sentences))

    def paragraphs(self, count: int, sentences: int = 4) -> list[str]:
        """Return some paragraphs."""
        return [self.paragraph(sentences) for _ in range(count)]
