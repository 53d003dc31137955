"""Which scorers there are, and how one is found by its name."""

from typing import cast

from research_eval.errors import ConfigError
from research_eval.plugin import load_plugin
from research_eval.scorer.citation_quality import CitationQualityScorer
from research_eval.scorer.confidence import confidence
from research_eval.scorer.correctness import correctness, penalised
from research_eval.scorer.coverage import coverage
from research_eval.scorer.efficiency import efficiency
from research_eval.scorer.failover import search_failover
from research_eval.scorer.grounded import GroundedCorrectnessScorer
from research_eval.scorer.grounding import GroundingScorer
from research_eval.scorer.link import links
from research_eval.scorer.outcome import gate_outcome, trial_status
from research_eval.scorer.own import OwnScorer, is_of_this_project
from research_eval.scorer.protocol import Scorer
from research_eval.scorer.provenance import provenance
from research_eval.scorer.repair import repair_course, repair_rate
from research_eval.scorer.robustness import robustness
from research_eval.scorer.shelf import PageShelf

__all__ = ["BUILT_IN", "DEFAULT_SCORERS", "load_scorer"]

_SHELF = PageShelf()
"""Pages taken apart, shared by the scorers that read them."""

BUILT_IN: dict[str, Scorer] = {
    "status": trial_status,
    "gate": gate_outcome,
    "repair_rate": repair_rate,
    "provenance": provenance,
    "correctness": correctness,
    "robustness": robustness,
    "efficiency": efficiency,
    "failover": search_failover,
    "repair_course": repair_course,
    "coverage": coverage,
    "support": GroundingScorer(shelf=_SHELF),
    "citation_quality": CitationQualityScorer(shelf=_SHELF),
    "grounded_correctness": GroundedCorrectnessScorer(shelf=_SHELF),
    "links": links,
    "penalised": penalised,
    "confidence": confidence,
}
"""Every scorer of the project by the name that `research-eval score --scorer` takes."""

ON_REQUEST = frozenset(
    {
        "repair_course",
        "coverage",
        "support",
        "citation_quality",
        "grounded_correctness",
        "links",
        "penalised",
        "confidence",
    }
)
"""Scorers that take answers and pages apart, or that few reports need."""

DEFAULT_SCORERS: tuple[Scorer, ...] = tuple(
    scorer for name, scorer in BUILT_IN.items() if name not in ON_REQUEST
)
"""What every report is made with."""


def load_scorer(name: str) -> Scorer:
    """Return the scorer called `name`: built in, an entry point, or `package.module:name`.

    Raises:
        ConfigError: If there is no such scorer, or it cannot be called.
    """
    found = load_plugin("scorer", name, BUILT_IN, others=["judge"])
    if not callable(found):
        raise ConfigError(f"scorer {name!r} is not callable")
    scorer = cast("Scorer", found)
    return scorer if is_of_this_project(scorer) else OwnScorer(name, scorer)
