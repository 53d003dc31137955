"""The words sent back to the model, for one violation and for a whole verdict.

Recorded model traffic depends on them: another wording is another version of the gate.
"""

from collections.abc import Sequence
from urllib.parse import unquote

from research_eval.gate.kind import KINDS
from research_eval.gate.nearest import Nearest
from research_eval.ledger import url_key
from research_eval.schema import Evidence, Verdict, Violation

__all__ = [
    "NO_CITATION_MESSAGE",
    "corrective_text",
    "fetch_failed_message",
    "message_of",
    "not_evidence_message",
    "unknown_url_message",
]

NO_CITATION_MESSAGE = KINDS["no_citation"].words
"""What the model is told when an answer cites nothing."""

MAX_LISTED = 20
"""Violations beyond this many are counted, not listed."""

MAX_URL_CHARS = 300
"""A longer URL is cut where it is quoted."""

_CLOSING_MARKS = frozenset("'\"`()[]{}<>|*")
_OPENING = (
    "Your answer was not accepted: it may cite only pages that you opened with `fetch` "
    "in this conversation."
)
_CLOSING = (
    "Answer the question again, in full. Cite only pages that you opened, by the URL under which "
    "you opened them. Open further pages with `fetch` if you need them, and leave out what no "
    "opened page supports."
)
_WALLS: dict[Evidence, str] = {
    "soft_404": "it says that there is nothing at this address",
    "bot_wall": "it shows a check for robots instead of its content",
    "consent_wall": "it shows a consent form instead of its content",
    "login_wall": "it shows a login form instead of its content",
    "empty_shell": "it came without content",
}
_CITE_ANOTHER = "Cite another page that you opened, or leave out what only this page says."
_PASSING = frozenset({"timeout", "connection", "host_busy", "http_429"})
"""Failures after which a second try can help."""
_CAME = {
    "timeout": "the site took too long to answer",
    "connection": "the site could not be reached",
    "unknown_host": "no site has this name",
    "robots": "the site asks programs not to read it",
    "host_busy": "the site asked to be left alone for a while",
    "too_many_redirects": "the site sends visitors round in circles",
    "unrecorded": "it is not available in this session",
    "extractor_failed": "it could not be read",
    "binary": "it holds no text",
    "scanned": "it holds pictures of pages without text",
    "encrypted": "it is locked with a password",
    "damaged": "the document is damaged",
    "failed": "the page did not open",
}
"""What came, in words; every other word of a failure is one."""


def unknown_url_message(url: str, nearest: Nearest | None) -> str:
    """Return what the model is told of a URL that is not in the ledger."""
    said = KINDS["unknown_url"].words.format(url=_quoted(url))
    if nearest is None:
        return said
    opened = nearest.record.state == "fetched"
    kind = "page that you opened" if opened else "search result that you got"
    how = f"another {' and '.join(nearest.differs)}"
    key = url_key(url).value
    if key.casefold() == nearest.record.key.casefold():
        how = "the same but for capital letters, which count"
    elif unquote(key) == unquote(nearest.record.key):
        how = "the same but for percent-encoding, which counts: cite it as you opened it"
    elif key.startswith(nearest.record.key) and key[len(nearest.record.key)] in _CLOSING_MARKS:
        how = f"{how}; if the URL ends there, put a space behind it"
    return f"{said} The closest {kind} is {_quoted(nearest.record.url)} ({how})."


def message_of(kind: str, url: str) -> str:
    """Return what the model is told of a URL, where the kind of violation says all."""
    return KINDS[kind].words.format(url=_quoted(url))


def fetch_failed_message(url: str, failure: str) -> str:
    """Return what the model is told of a page that was tried and not opened.

    Args:
        url: As the answer wrote it.
        failure: What came, a word of `Fetched.error`.
    """
    advice = _CITE_ANOTHER
    if failure in _PASSING or failure.startswith("http_5"):
        advice = f"Try once more, or {advice[0].lower()}{advice[1:]}"
    return KINDS["fetch_failed"].words.format(url=_quoted(url), came=_came(failure), advice=advice)


def _came(failure: str) -> str:
    if failure.startswith("http_"):
        return f"HTTP status {failure.removeprefix('http_')}"
    return _CAME.get(failure, failure.replace("_", " "))


def not_evidence_message(url: str, evidence: Evidence) -> str:
    """Return what the model is told of a page that was reached but shows nothing."""
    why = _WALLS.get(evidence, "it shows no content")
    return KINDS["not_evidence"].words.format(url=_quoted(url), why=why)


def corrective_text(verdict: Verdict) -> str:
    """Return the message that sends a rejected answer back, with every violation listed."""
    return "\n\n".join([_OPENING, "\n".join(_lines(verdict.violations)), _CLOSING])


def _lines(violations: Sequence[Violation]) -> list[str]:
    lines = [f"- {violation.message or violation.url}" for violation in violations[:MAX_LISTED]]
    left = len(violations) - MAX_LISTED
    return [*lines, f"- and {left} more"] if left > 0 else lines


def _quoted(url: str) -> str:
    return url if len(url) <= MAX_URL_CHARS else f"{url[:MAX_URL_CHARS]}…"
