"""Journal: a run folder in, its records out, and back."""

from research_eval.journal.folder import RunFolder

__all__ = ["RunFolder"]
