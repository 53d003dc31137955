"""What the gate finds in an answer and what it says of it."""

from typing import Annotated, Literal

from pydantic import Field

from research_eval.schema.record import Record

__all__ = ["Citation", "CitationForm", "Verdict", "Violation", "ViolationKind"]

CitationForm = Literal["bare", "autolink", "markdown", "reference", "html", "latex"]
"""How a URL was written; all but `bare` are explicit destinations with one reading."""

KindName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]


class ViolationKind(Record):
    """One reason why an answer may not pass, as a gate declares it."""

    name: KindName
    label: str
    """Heading of its column in a table."""
    meaning: str
    """Which answers have it, in one line."""
    words: str = ""
    """What the model is told; `{url}` stands for the URL."""
    better: Literal["lower", "neither"] = "lower"
    """Whether fewer of them are better."""


class Citation(Record):
    """One URL that an answer cites."""

    url: str
    """The URL that is meant, after the unescaping that its form asks for."""
    start: int
    """Offset of its first character in the answer, in code points."""
    end: int
    """Offset after its last character."""
    form: CitationForm = "bare"
    readings: tuple[str, ...] = ()
    """Other whole readings that a human could hold, of a bare URL."""


class Violation(Record):
    """One reason why an answer is rejected."""

    kind: KindName
    """The name of a kind that the gate declares."""
    url: str | None = None
    """The URL as the answer wrote it; `None` for `no_citation`."""
    key: str | None = None
    """The key that was looked up."""
    start: int | None = None
    """Offset of the citation in the answer, in code points."""
    end: int | None = None
    nearest: str | None = None
    """The record of the ledger that comes closest, by its URL."""
    difference: str | None = None
    """How the nearest record differs, for instance `path` or `query`."""
    message: str = ""
    """What the model is told."""


class Verdict(Record):
    """The gate's ruling on one attempt; no violations means that it passed."""

    gate: str
    """Name and version of the gate that ruled, for instance `default@3`."""
    citations: tuple[Citation, ...] = ()
    violations: tuple[Violation, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the answer may leave the agent."""
        return not self.violations
