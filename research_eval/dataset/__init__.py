"""Dataset: a file in, cases out."""

from research_eval.dataset.card import count_cases
from research_eval.dataset.case import Case, Fact
from research_eval.dataset.lint import Finding, Hit, Web, lint_cases
from research_eval.dataset.loader import find_faults, load_cases, parse_cases
from research_eval.dataset.select import select_cases

__all__ = [
    "Case",
    "Fact",
    "Finding",
    "Hit",
    "Web",
    "count_cases",
    "find_faults",
    "lint_cases",
    "load_cases",
    "parse_cases",
    "select_cases",
]
