"""Stated confidence against what came true: Brier score, calibration errors, selective risk."""

import math
from collections.abc import Iterable, Sequence
from itertools import groupby

__all__ = [
    "area_under_risk_coverage",
    "brier",
    "expected_calibration_error",
    "penalised_score",
    "rms_calibration_error",
]

BIN = 100
"""Items in a bin of the root-mean-square calibration error."""


def brier(confidences: Sequence[float], correct: Sequence[bool]) -> float:
    """Return the mean squared distance of confidence and truth.

    Source: Brier, Mon Weather Rev 78:1 (1950).

    Raises:
        ValueError: If there is nothing to average, or the lengths differ.
    """
    pairs = _pairs(confidences, correct)
    return math.fsum((p - y) ** 2 for p, y in pairs) / len(pairs)


def expected_calibration_error(
    confidences: Sequence[float], correct: Sequence[bool], bins: int = 10
) -> float:
    """Return the mean gap between confidence and accuracy over bins of equal mass, the last too.

    Source: Naeini et al., AAAI 2015, with bins of equal mass.

    Raises:
        ValueError: If there is nothing to average, or the lengths differ.
    """
    pairs = _untied(_pairs(confidences, correct))
    size = max(1, math.ceil(len(pairs) / bins))
    return math.fsum(len(part) * abs(_gap(part)) for part in _bins(pairs, size)) / len(pairs)


def rms_calibration_error(
    confidences: Sequence[float], correct: Sequence[bool], bin_size: int = BIN
) -> float | None:
    """Return the root-mean-square gap over bins of `bin_size` sorted items, the last one too.

    `None` with fewer items than fill one bin.

    Source: Hendrycks et al., arXiv:1812.04606; every item counts, which code in wide use misses.

    Raises:
        ValueError: If there is nothing to average, or the lengths differ.
    """
    pairs = _untied(_pairs(confidences, correct))
    if len(pairs) < bin_size:
        return None
    total = math.fsum(len(part) * _gap(part) ** 2 for part in _bins(pairs, bin_size))
    return math.sqrt(total / len(pairs))


def area_under_risk_coverage(confidences: Sequence[float], correct: Sequence[bool]) -> float:
    """Return the error rate among the most confident, averaged over all shares answered.

    Source: Geifman et al., ICLR 2019 (arXiv:1805.08206).

    Raises:
        ValueError: If there is nothing to average, or the lengths differ.
    """
    pairs = _untied(_pairs(confidences, correct))
    wrong, risks = 0.0, []
    for rank, (_, right) in enumerate(reversed(pairs), start=1):
        wrong += 1 - right
        risks.append(wrong / rank)
    return math.fsum(risks) / len(risks)


def penalised_score(correct: int, incorrect: int, abstained: int, threshold: float) -> float | None:
    """Return the mean of +1 for right, 0 for abstaining and -t / (1 - t) for wrong.

    Source: Kalai et al., arXiv:2509.04664. `None` without answers.

    Raises:
        ValueError: If `threshold` is not in [0, 1).
    """
    if not 0 <= threshold < 1:
        raise ValueError(f"threshold must be in [0, 1), not {threshold}")
    total = correct + incorrect + abstained
    if total == 0:
        return None
    return (correct - incorrect * threshold / (1 - threshold)) / total


def _pairs(confidences: Sequence[float], correct: Sequence[bool]) -> list[tuple[float, bool]]:
    if not confidences or len(confidences) != len(correct):
        raise ValueError(f"{len(confidences)} confidences for {len(correct)} answers")
    return sorted(zip(confidences, correct, strict=True), key=lambda pair: pair[0])


def _untied(pairs: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Give items of one confidence their mean, so that their order among them does not matter."""
    found: list[tuple[float, float]] = []
    for stated, group in groupby(pairs, key=lambda pair: pair[0]):
        right = [y for _, y in group]
        found += [(stated, math.fsum(right) / len(right))] * len(right)
    return found


def _bins(pairs: Sequence[tuple[float, float]], size: int) -> list[Sequence[tuple[float, float]]]:
    return [pairs[start : start + size] for start in range(0, len(pairs), size)]


def _gap(part: Sequence[tuple[float, float]]) -> float:
    return math.fsum(p - y for p, y in part) / len(part)
