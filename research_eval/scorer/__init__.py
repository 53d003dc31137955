"""Scorer: a case and a finished trial in, scores out."""

from research_eval.scorer.catalog import (
    BUILT_IN,
    DEFAULT_SCORERS,
    load_scorer,
    registry,
    scorers_for,
)
from research_eval.scorer.measure import Measure, Registry, declares
from research_eval.scorer.protocol import Pages, Scorer, no_pages, score_trial

__all__ = [
    "BUILT_IN",
    "DEFAULT_SCORERS",
    "Measure",
    "Pages",
    "Registry",
    "Scorer",
    "declares",
    "load_scorer",
    "no_pages",
    "registry",
    "score_trial",
    "scorers_for",
]
