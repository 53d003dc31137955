"""Dataset: a file in, cases out."""

from research_eval.dataset.case import Case, Fact
from research_eval.dataset.loader import load_cases, parse_cases
from research_eval.dataset.select import select_cases

__all__ = ["Case", "Fact", "load_cases", "parse_cases", "select_cases"]
