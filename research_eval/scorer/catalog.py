"""Which scorers there are, how one is found by its name, and what all of them measure."""

from collections.abc import Iterable
from typing import cast

from research_eval.errors import ConfigError
from research_eval.plugin import load_plugin
from research_eval.schema import RunRecord
from research_eval.scorer.citation_form import citation_form
from research_eval.scorer.citation_quality import CitationQualityScorer
from research_eval.scorer.confidence import confidence
from research_eval.scorer.correctness import correctness, penalised
from research_eval.scorer.coverage import coverage
from research_eval.scorer.custom import CustomScorer, is_of_this_project
from research_eval.scorer.efficiency import efficiency
from research_eval.scorer.failover import search_failover
from research_eval.scorer.grounded import GroundedCorrectnessScorer
from research_eval.scorer.grounding import GroundingScorer
from research_eval.scorer.judge import JudgeScorer
from research_eval.scorer.link import links
from research_eval.scorer.measure import Measure, Registry, measures_of
from research_eval.scorer.outcome import gate_outcome, trial_status
from research_eval.scorer.page_cache import PageCache
from research_eval.scorer.protocol import Scorer
from research_eval.scorer.provenance import provenance
from research_eval.scorer.repair import repair_outcome, repair_rate
from research_eval.scorer.robustness import robustness

__all__ = ["BUILT_IN", "DEFAULT_SCORERS", "load_scorer", "registry", "scorers_for"]

_PAGE_CACHE = PageCache()
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
    "repair_outcome": repair_outcome,
    "coverage": coverage,
    "support": GroundingScorer(page_cache=_PAGE_CACHE),
    "citation_quality": CitationQualityScorer(page_cache=_PAGE_CACHE),
    "grounded_correctness": GroundedCorrectnessScorer(page_cache=_PAGE_CACHE),
    "links": links,
    "citation_form": citation_form,
    "penalised": penalised,
    "confidence": confidence,
}
"""Every scorer of the project by the name that `research-eval score --scorer` takes."""

DEFAULT_SCORERS: tuple[Scorer, ...] = tuple(
    scorer for scorer in BUILT_IN.values() if getattr(scorer, "is_default", True)
)
"""What every report is made with."""


def load_scorer(name: str) -> Scorer:
    """Return the scorer called `name`: built in, an entry point, or `package.module:name`.

    Raises:
        ConfigError: If there is no such scorer, it cannot be called, or what it declares is taken.
    """
    found = load_plugin("scorer", name, BUILT_IN, others=["judge"])
    if not callable(found):
        raise ConfigError(f"scorer {name!r} is not callable")
    scorer = cast("Scorer", found)
    return scorer if is_of_this_project(scorer) else CustomScorer(name, scorer, registry())


def scorers_for(manifest: RunRecord, scorers: Iterable[Scorer]) -> tuple[Scorer, ...]:
    """Return the scorers with what they need to know of a run: prices, kinds of violation."""
    return tuple(one.for_run(manifest) if hasattr(one, "for_run") else one for one in scorers)


def registry(manifest: RunRecord | None = None, own: Iterable[Measure] = ()) -> Registry:
    """Return every measure that is declared: of the scorers built in, then of the user's own.

    Args:
        manifest: Of the run whose scores are shown, for the kinds of violation of its gates.
        own: What scorers of the user's own declare.
    """
    scorers: Iterable[Scorer] = BUILT_IN.values()
    if manifest is not None:
        scorers = scorers_for(manifest, scorers)
    found = [measure for scorer in scorers for measure in measures_of(scorer)]
    return Registry([*found, *measures_of(JudgeScorer), *own])
