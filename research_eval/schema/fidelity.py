"""How far a record may be believed: what the ledger rests on, and whether the model's traffic was seen."""

from typing import Literal

from research_eval.schema.record import Record

__all__ = ["Fidelity", "LedgerFidelity"]

LedgerFidelity = Literal["opened", "summary", "claimed", "none"]
"""How the ledger knows that a page was opened.

`opened`: through our tools. `summary`: a side model read it, and the agent saw its summary. `claimed`:
a log says so. `none`: there is no ledger, so that only measures count that need none.
"""


class Fidelity(Record):
    """What stands behind a trial of an agent that is not the built-in one."""

    ledger: LedgerFidelity
    model: Literal["recorded", "unseen"] = "unseen"
    """Whether model calls went through our transport, which records and replays them."""
