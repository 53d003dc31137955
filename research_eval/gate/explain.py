"""How one citation was judged, step by step: an answer and a ledger in, the way to each ruling out."""

from collections.abc import Iterator
from typing import NamedTuple

from research_eval.gate.citation import extract_citations
from research_eval.gate.flip import sentence_of
from research_eval.gate.nearest import NearestIndex
from research_eval.gate.protocol import Gate
from research_eval.ledger import SourceRegistry, url_key
from research_eval.schema import Citation, Record, SourceRecord, Verdict, Violation
from research_eval.schema.display import one_line

__all__ = ["Explanation", "Lookup", "explain", "place_of", "places_of", "steps"]


class Lookup(Record):
    """One reading of a citation, and what the ledger holds under its key."""

    url: str
    key: str
    is_canonical: bool
    """Whether the URL has a canonical form; one that has none is its own key."""
    record: SourceRecord | None = None

    @property
    def found(self) -> str:
        """What the ledger says, in words."""
        record = self.record
        if record is None:
            return "not in the ledger"
        if record.state == "fetched":
            why = "" if record.evidence == "ok" else f", but no evidence: {record.evidence}"
            alias = f", as an alias of {one_line(record.alias_of)}" if record.alias_of else ""
            return f"opened{alias}{why}"
        if record.state == "failed":
            return f"tried without success: {record.failure or 'failed'}"
        met = "a search hit" if record.state == "searched" else "in the question"
        return (
            f"{met}, tried without success: {record.failure}"
            if record.failure
            else f"{met}, never opened"
        )


class Explanation(Record):
    """The way of one citation to its ruling."""

    citation: Citation
    written: str
    """As it stands in the answer."""
    sentence: str
    lookups: tuple[Lookup, ...]
    """The URL that is meant, then its other readings."""
    nearest: str | None = None
    """The page of the ledger that comes closest to an unknown URL."""
    difference: str | None = None
    violation: Violation | None = None
    """Why it may not stand; `None` if it may."""


def explain(gate: Gate, answer: str, ledger: SourceRegistry) -> Iterator[Explanation]:
    """Yield how each citation of an answer is judged, in their order.

    Read and keyed as the default gate does; the ruling is that of `gate`.
    """
    verdict = gate.check(answer, ledger)
    known = ledger.keyed_by(url_key)
    index = NearestIndex(known.records())
    for citation in verdict.citations or extract_citations(answer):
        lookups = tuple(_look_up(url, known) for url in (citation.url, *citation.readings))
        nearest = None
        if all(one.record is None for one in lookups):
            nearest = index.find(url_key(citation.url))
        yield Explanation(
            citation=citation,
            written=answer[citation.start : citation.end],
            sentence=sentence_of(answer, citation.start, citation.end),
            lookups=lookups,
            nearest=nearest.record.url if nearest else None,
            difference=", ".join(nearest.differs) if nearest else None,
            violation=_ruling(verdict, citation, lookups),
        )


def _look_up(url: str, ledger: SourceRegistry) -> Lookup:
    key = url_key(url)
    return Lookup(url=url, key=key.value, is_canonical=key.is_canonical, record=ledger.get(url))


def _ruling(verdict: Verdict, citation: Citation, lookups: tuple[Lookup, ...]) -> Violation | None:
    """Return the violation of a source, which stands where it is cited first."""
    keys = {lookup.key for lookup in lookups}
    for violation in verdict.violations:
        if violation.start == citation.start and violation.end == citation.end:
            return violation
        if violation.key in keys:
            return violation
    return None


class Place(NamedTuple):
    """Line and column, from 1."""

    line: int
    column: int


def place_of(text: str, offset: int) -> Place:
    """Return where an offset of a text is."""
    line = text.count("\n", 0, offset) + 1
    return Place(line, offset - (text.rfind("\n", 0, offset) + 1) + 1)


def places_of(url: str, answer: str) -> list[Place]:
    """Return where a text stands in an answer, whatever it is read as."""
    found, at = [], answer.find(url)
    while at >= 0 and url:
        found.append(place_of(answer, at))
        at = answer.find(url, at + 1)
    return found


def steps(one: Explanation, answer: str) -> Iterator[str]:
    """Yield the way of a citation in words, a line a step."""
    first, rest = one.lookups[0], one.lookups[1:]
    line, column = place_of(answer, one.citation.start)
    form = "bare URL" if one.citation.form == "bare" else f"{one.citation.form} destination"
    yield f"{line}:{column}: {one_line(one.written)}"
    yield f'  sentence  "{one.sentence}"'
    yield f"  read as   {one_line(first.url)} ({form})"
    yield f"  key       {one_line(first.key)}{'' if first.is_canonical else ' (no canonical form)'}"
    yield f"  ledger    {first.found}"
    for other in rest:
        yield f"  or as     {one_line(other.url)}: {other.found}"
    if one.nearest is not None:
        yield f"  nearest   {one_line(one.nearest)} (another {one.difference})"
    if one.violation is None:
        yield "  ruling    may be cited"
    else:
        yield f"  ruling    {one.violation.kind}: {one_line(one.violation.message, 2000)}"
