"""Scorer: a case and a finished trial in, scores out."""
