"""One line of a ledger: a URL that a trial saw, and how far it got with it."""

from typing import Literal

from research_eval.schema.fidelity import LedgerFidelity
from research_eval.schema.record import Record

__all__ = ["Evidence", "SourceRecord", "SourceState"]

Evidence = Literal["ok", "soft_404", "bot_wall", "consent_wall", "login_wall", "empty_shell"]
"""Whether a page that was reached shows anything; all but `ok` are no evidence."""

SourceState = Literal["given", "failed", "searched", "fetched"]
"""How far a trial got with a URL; each goes further than the one before.

`given`: it stands in the question alone. `failed`: it was tried, without success, and known from
nowhere else. `searched`: it was a search hit. `fetched`: it was really opened in this trial.
"""


class SourceRecord(Record):
    """What the ledger knows of one source."""

    key: str
    """Canonical URL, or the URL as written where it has no canonical form."""
    is_canonical: bool = True
    url: str
    """The URL as it was first observed."""
    observed: tuple[str, ...] = ()
    """Every other spelling under which it was observed, in order."""
    title: str | None = None
    snippet: str | None = None
    state: SourceState = "searched"
    failure: str | None = None
    """What came when it was tried and never opened, for instance `http_404`."""
    evidence: Evidence = "ok"
    """Of a fetched source."""
    alias_of: str | None = None
    """Key of the fetched page that declared this URL as its canonical one, where that is why."""
    content_sha256: str | None = None
    """Digest of the extracted text (UTF-8), which stands in the run's page store."""
    content_chars: int | None = None
    """Length of the extracted text, in characters."""
    fidelity: LedgerFidelity | None = None
    """How it is known that the page was opened, where that was not through our tools."""
