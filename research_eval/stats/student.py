"""Quantiles of Student's t, from scipy."""

from scipy.special import stdtrit

__all__ = ["t_quantile"]


def t_quantile(probability: float, degrees: int) -> float:
    """Return the quantile of Student's t with this many degrees of freedom."""
    return float(stdtrit(degrees, probability))
