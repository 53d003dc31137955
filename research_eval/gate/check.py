"""`CitationGate`: rules on an answer from recorded state alone, without network or model."""

from functools import cached_property

from research_eval.gate.corrective import (
    NO_CITATION_MESSAGE,
    corrective_text,
    fetch_failed_message,
    message_of,
    not_evidence_message,
    unknown_url_message,
)
from research_eval.gate.nearest import Nearest, NearestIndex
from research_eval.ledger import SourceKey, SourceRegistry, url_key
from research_eval.schema import Citation, SourceRecord, Verdict, Violation

__all__ = ["CitationGate"]


class CitationGate:
    """The default gate: nothing fabricated passes, nothing honest fails for its spelling."""

    id = "default@3"

    def check(self, answer: str, ledger: SourceRegistry) -> Verdict:
        """Rule on `answer` against what the trial really opened.

        Each source that may not be cited is one violation, at the place where it is cited first.
        """
        from research_eval.gate.citation import extract_citations  # noqa: PLC0415  # long to import

        citations = extract_citations(answer)
        if not citations:
            nothing = Violation(kind="no_citation", message=NO_CITATION_MESSAGE)
            return Verdict(gate=self.id, violations=(nothing,))
        known = _Known(ledger.keyed_by(url_key))
        violations: dict[SourceKey, Violation] = {}
        for citation in citations:
            record = known.get(citation.url)
            if record is not None and _leads_up(citation, record):
                record = None
            if not _is_citable(record):
                ruling = _rule(citation, record, known)
                if ruling is not None:
                    violations.setdefault(*ruling)
        return Verdict(gate=self.id, citations=citations, violations=tuple(violations.values()))

    def corrective(self, verdict: Verdict) -> str:
        """Return the words that send a rejected answer back to the model."""
        return corrective_text(verdict)


class _Known:
    """A ledger as one check asks it."""

    def __init__(self, ledger: SourceRegistry) -> None:
        self._ledger = ledger
        self.get = ledger.get

    @cached_property
    def _index(self) -> NearestIndex:
        return NearestIndex(self._ledger.records())

    def nearest(self, key: SourceKey) -> Nearest | None:
        return self._index.find(key)


def _rule(
    citation: Citation, record: SourceRecord | None, known: _Known
) -> tuple[SourceKey, Violation] | None:
    """Return why `citation` may not stand, if no other reading of it is a page that was opened."""
    url = citation.url
    for reading in citation.readings:
        other = known.get(reading)
        if _is_citable(other):
            return None
        if other is not None and (record is None or record.state != "fetched"):
            url, record = reading, other
    return url_key(url), _violation(citation, url, record, known)


def _leads_up(citation: Citation, record: SourceRecord) -> bool:
    """Whether a URL leads to `record` by two dots at its end, which a renderer leaves off."""
    return citation.form == "bare" and citation.url.endswith("/..") and record.url[-3:] != "/.."


def _is_citable(record: SourceRecord | None) -> bool:
    return record is not None and record.state == "fetched" and record.evidence == "ok"


def _violation(
    citation: Citation, url: str, record: SourceRecord | None, known: _Known
) -> Violation:
    key = url_key(url)
    place = {"url": url, "key": key.value, "start": citation.start, "end": citation.end}
    if record is None:
        nearest = known.nearest(key)
        return Violation(
            kind="unknown_url",
            nearest=nearest.record.url if nearest else None,
            difference=", ".join(nearest.differs) if nearest else None,
            message=unknown_url_message(url, nearest),
            **place,
        )
    if record.state == "fetched":
        message = not_evidence_message(url, record.evidence)
        return Violation(kind="not_evidence", message=message, **place)
    kind = _kind_of_unopened(record)
    if kind == "fetch_failed":
        message = fetch_failed_message(url, record.failure or "failed")
    else:
        message = message_of(kind, url)
    return Violation(kind=kind, message=message, **place)


def _kind_of_unopened(record: SourceRecord) -> str:
    if record.failure == "blocked":
        return "fetch_blocked"
    if record.failure is not None or record.state == "failed":
        return "fetch_failed"
    return "user_given" if record.state == "given" else "search_only"
