"""More than two configurations at once, from statsmodels: one test for all, corrected p values."""

from collections.abc import Sequence
from typing import NamedTuple

from statsmodels.stats.contingency_tables import cochrans_q
from statsmodels.stats.multitest import multipletests

__all__ = ["CochranQ", "benjamini_hochberg", "cochran_q", "holm"]


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


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p values that hold for all comparisons together, in the order given.

    Source: Holm, Scand J Stat 6:65 (1979).
    """
    return _corrected(p_values, "holm")


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return p values that bound the share of false discoveries, in the order given.

    Source: Benjamini and Hochberg, J R Stat Soc B 57:289 (1995).
    """
    return _corrected(p_values, "fdr_bh")


def _corrected(p_values: Sequence[float], method: str) -> list[float]:
    if len(p_values) < 2:
        return list(p_values)
    return [float(p) for p in multipletests(p_values, method=method)[1]]
