"""Gate: an answer and a ledger in, a verdict out."""

from typing import TYPE_CHECKING

from research_eval.gate.assertion import assert_cites_only_opened
from research_eval.gate.check import CitationGate
from research_eval.gate.load import BUILT_IN_GATES, load_gate
from research_eval.gate.protocol import Gate
from research_eval.gate.seed import SeedGate

if TYPE_CHECKING:
    from research_eval.gate.citation import extract_citations

__all__ = [
    "BUILT_IN_GATES",
    "CitationGate",
    "Gate",
    "SeedGate",
    "assert_cites_only_opened",
    "extract_citations",
    "load_gate",
]


def __getattr__(name: str) -> object:
    """Import what reads citations when it is first used: its many patterns take long to compile."""
    if name != "extract_citations":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from research_eval.gate.citation import extract_citations  # noqa: PLC0415

    return extract_citations
