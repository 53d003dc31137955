"""Gate: an answer and a ledger in, a verdict out."""

from research_eval.gate.assertion import assert_cites_only_opened
from research_eval.gate.check import CitationGate
from research_eval.gate.citation import extract_citations
from research_eval.gate.load import BUILT_IN_GATES, load_gate
from research_eval.gate.protocol import Gate
from research_eval.gate.seed import SeedGate

__all__ = [
    "BUILT_IN_GATES",
    "CitationGate",
    "Gate",
    "SeedGate",
    "assert_cites_only_opened",
    "extract_citations",
    "load_gate",
]
