"""Measure whether research agents cite only pages that they really opened."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from research_eval.agent import AgentOutcome, AgentSettings, EventLog, ResearchAgent
    from research_eval.dataset import Case, load_cases
    from research_eval.errors import ResearchEvalError
    from research_eval.experiment import Experiment, load_experiment
    from research_eval.gate import (
        CitationGate,
        assert_cites_only_opened,
        extract_citations,
        load_gate,
    )
    from research_eval.journal import RunFolder
    from research_eval.ledger import SourceRegistry, url_key
    from research_eval.report.frame import StoredRun, load_run
    from research_eval.runner import research
    from research_eval.schema import (
        Message,
        ModelReply,
        ToolCall,
        ToolSpec,
        TrialRecord,
        Usage,
        Verdict,
        Violation,
    )

__all__ = [
    "AgentOutcome",
    "AgentSettings",
    "Case",
    "CitationGate",
    "EventLog",
    "Experiment",
    "Message",
    "ModelReply",
    "ResearchAgent",
    "ResearchEvalError",
    "RunFolder",
    "SourceRegistry",
    "StoredRun",
    "ToolCall",
    "ToolSpec",
    "TrialRecord",
    "Usage",
    "Verdict",
    "Violation",
    "assert_cites_only_opened",
    "extract_citations",
    "load_cases",
    "load_experiment",
    "load_gate",
    "load_run",
    "research",
    "url_key",
]

_PLACES = {
    "agent": ("AgentOutcome", "AgentSettings", "EventLog", "ResearchAgent"),
    "dataset": ("Case", "load_cases"),
    "errors": ("ResearchEvalError",),
    "experiment": ("Experiment", "load_experiment"),
    "gate": ("CitationGate", "assert_cites_only_opened", "extract_citations", "load_gate"),
    "journal": ("RunFolder",),
    "ledger": ("SourceRegistry", "url_key"),
    "report.frame": ("StoredRun", "load_run"),
    "runner": ("research",),
    "schema": (
        "Message",
        "ModelReply",
        "ToolCall",
        "ToolSpec",
        "TrialRecord",
        "Usage",
        "Verdict",
        "Violation",
    ),
}
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that the command line starts at once."""
    if name not in _PLACE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACE_OF[name]}"), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
