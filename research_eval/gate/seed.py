"""The `seed` gate: the plain semantics of the original, kept to be compared with.

It is deliberately left as it was: its holes and its false alarms are what other gates are measured
against.
"""

import re
from urllib.parse import SplitResult, urlsplit

from research_eval.gate.corrective import (
    NO_CITATION_MESSAGE,
    corrective_text,
    message_of,
    unknown_url_message,
)
from research_eval.ledger import SourceKey, SourceRegistry
from research_eval.schema import Citation, Verdict, Violation

__all__ = ["SeedGate", "seed_citations", "seed_key"]

_URL = re.compile("https?://[^\\s<>\"'`)\\]\uff09\u300d]+")
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_TRAILING = ".,\u3002\u3001;:!?"
_DEFAULT_PORT = {"http": 80, "https": 443}
_TRACKING = frozenset(
    [
        "gclid",
        "fbclid",
        "yclid",
        "msclkid",
        "dclid",
        "igshid",
        "twclid",
        "mc_cid",
        "mc_eid",
        "_ga",
        "_gl",
        "ref_src",
        "ref_url",
        "cmpid",
        "spm",
        "share_id",
        "xtor",
    ]
)


class SeedGate:
    """Rules as the original did: a pattern finds the URLs, a plain key looks them up."""

    id = "seed@1"

    def check(self, answer: str, ledger: SourceRegistry) -> Verdict:
        """Rule on `answer` against what the trial really opened."""
        citations = seed_citations(answer)
        if not citations:
            nothing = Violation(kind="no_citation", message=NO_CITATION_MESSAGE)
            return Verdict(gate=self.id, violations=(nothing,))
        known = ledger.keyed_by(seed_key)
        violations: dict[str, Violation] = {}
        for citation in citations:
            key = seed_key(citation.url).value
            violation = None if key in violations else _rule(citation, key, known)
            if violation is not None:
                violations[key] = violation
        return Verdict(gate=self.id, citations=citations, violations=tuple(violations.values()))

    def corrective(self, verdict: Verdict) -> str:
        """Return the words that send a rejected answer back to the model."""
        return corrective_text(verdict)


def seed_citations(text: str) -> tuple[Citation, ...]:
    """Return the URLs that the original's pattern finds, cut as the original cut them."""
    found = []
    for match in _URL.finditer(text):
        url = match[0]
        foreign = _NON_ASCII.search(url)
        if foreign:
            url = url[: foreign.start()]
        url = url.rstrip(_TRAILING)
        if len(url) > len("https://"):
            found.append(Citation(url=url, start=match.start(), end=match.start() + len(url)))
    return tuple(found)


def seed_key(url: str) -> SourceKey:
    """Return the original's key: its listed folds, and nothing of RFC 3986 or UTS #46."""
    try:
        parts = urlsplit(url)
        place = _place(parts)
    except ValueError:
        return SourceKey.verbatim(url)
    if parts.scheme not in _DEFAULT_PORT or not place:
        return SourceKey.verbatim(url)
    path = parts.path.rstrip("/") or "/"
    kept = sorted(piece for piece in parts.query.split("&") if piece and not _is_tracking(piece))
    query = "?" + "&".join(kept) if kept else ""
    return SourceKey.canonical(f"{parts.scheme}://{place}{path}{query}")


def _place(parts: SplitResult) -> str:
    host = (parts.hostname or "").removeprefix("www.")
    user = parts.netloc.rpartition("@")[0]
    port = parts.port
    if user:
        host = f"{user}@{host}"
    return host if port in {None, _DEFAULT_PORT.get(parts.scheme)} else f"{host}:{port}"


def _is_tracking(piece: str) -> bool:
    name = piece.partition("=")[0]
    return name in _TRACKING or name.startswith("utm_")


def _rule(citation: Citation, key: str, ledger: SourceRegistry) -> Violation | None:
    record = ledger.get(citation.url)
    if record is not None and record.state == "fetched":
        return None
    url, start, end = citation.url, citation.start, citation.end
    if record is None or record.state != "searched":
        message = unknown_url_message(url, None)
        return Violation(
            kind="unknown_url", url=url, key=key, start=start, end=end, message=message
        )
    message = message_of("search_only", url)
    return Violation(kind="search_only", url=url, key=key, start=start, end=end, message=message)
