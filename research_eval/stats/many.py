"""More than two configurations, or two on different cases: a test for all, corrected p values."""

from collections.abc import Sequence
from typing import NamedTuple

from statsmodels.stats.contingency_tables import cochrans_q
from statsmodels.stats.proportion import confint_proportions_2indep

from research_eval.stats.interval import CONFIDENCE, Estimate

__all__ = ["CochranQ", "cochran_q", "newcombe"]


class CochranQ(NamedTuple):
    """A test of whether several yes-or-no outcomes on the same cases share one rate."""

    q: float
    degrees: int
    p: float


def cochran_q(rows: Sequence[Sequence[int]]) -> CochranQ:
    """Test the columns of `rows`, one row a case and one column a configuration, each 0 or 1.

    Source: Cochran, Biometrika 37:256 (1950).

    Raises:
        ValueError: If there are fewer than two columns, or an entry is neither 0 nor 1.
    """
    columns = len(rows[0]) if rows else 0
    if columns < 2 or any(len(row) != columns or not set(row) <= {0, 1} for row in rows):
        raise ValueError("rows of zeros and ones are needed, one column for each configuration")
    if all(len(set(row)) == 1 for row in rows):
        return CochranQ(0.0, columns - 1, 1.0)  # no case tells any two apart
    result = cochrans_q(rows)
    return CochranQ(float(result.statistic), columns - 1, float(result.pvalue))


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
