"""How far a record may be believed: what the ledger rests on, and whether the model's traffic was seen."""

from collections.abc import Mapping
from typing import Literal

from research_eval.schema.record import Record

__all__ = ["FIDELITIES", "Fidelity", "LedgerFidelity"]

LedgerFidelity = Literal["opened", "summary", "claimed", "none"]
"""How the ledger knows that a page was opened; `FIDELITIES` says what each word means."""

FIDELITIES: Mapping[LedgerFidelity, str] = {
    "opened": "the agent opened pages through our tools",
    "summary": "a side model read the page, and the agent saw its summary",
    "claimed": "a log says so",
    "none": "there is no ledger; only measures that need none have a value",
}


class Fidelity(Record):
    """What stands behind a trial of an agent that is not the built-in one."""

    ledger: LedgerFidelity
    model: Literal["recorded", "unseen"] = "unseen"
    """Whether model calls went through our transport, which records and replays them."""
    unseen_urls: tuple[str, ...] | None = None
    """URLs that answers cite and that our ledger never saw: invented, or opened with tools of the
    agent's own; absent where there are none."""
