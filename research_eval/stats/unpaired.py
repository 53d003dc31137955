"""Two proportions measured on different cases, from statsmodels."""

from statsmodels.stats.proportion import confint_proportions_2indep

from research_eval.stats.interval import CONFIDENCE, Estimate

__all__ = ["newcombe"]


def newcombe(k1: int, n1: int, k2: int, n2: int, confidence: float = CONFIDENCE) -> Estimate:
    """Return `k1/n1 - k2/n2` with the hybrid score interval.

    Source: Newcombe, Stat Med 17:873 (1998), method 10.

    Raises:
        ValueError: If a sample is empty, or a count lies outside its sample.
    """
    if not (0 <= k1 <= n1 and 0 <= k2 <= n2 and n1 and n2):
        raise ValueError(f"{k1}/{n1} and {k2}/{n2} are not two proportions")
    value = k1 / n1 - k2 / n2
    low, high = confint_proportions_2indep(
        k1, n1, k2, n2, method="newcomb", compare="diff", alpha=1 - confidence
    )
    # the library leaves rounding errors at 0 and 1, where a bound may pass the estimate
    return Estimate(
        value, max(-1.0, min(value, float(low))), min(1.0, max(value, float(high))), n1 + n2
    )
