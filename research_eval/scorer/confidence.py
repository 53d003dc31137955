"""How sure an answer says it is, and whether that came true."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator

from research_eval.dataset import Case
from research_eval.schema import Score, Scored, TrialRecord
from research_eval.scorer.correctness import correctness
from research_eval.scorer.protocol import Pages, broken, inapplicable, scored, trial_error
from research_eval.stats.confidence import (
    area_under_risk_coverage,
    brier,
    expected_calibration_error,
    rms_calibration_error,
)

__all__ = ["ConfidenceTable", "confidence", "stated_confidence"]

NAMES = ("stated_confidence", "brier")
_STATED = re.compile(
    r"\b(?:confidence|certainty|Konfidenz|Sicherheit)\b\s*(?:score|level)?\W{0,6}"
    r"(\d{1,3}(?:[.,]\d+)?)\s*(%|percent|/\s*100)?",
    re.IGNORECASE,
)


def stated_confidence(answer: str) -> float | None:
    """Return the last confidence that an answer states, as a share; `None` without one.

    >>> stated_confidence("It is 12. Confidence: 80 %"), stated_confidence("confidence: 0.8")
    (0.8, 0.8)
    """
    found = list(_STATED.finditer(answer))
    if not found:
        return None
    value = float(found[-1][1].replace(",", "."))
    share = value / 100 if found[-1][2] or value > 1 else value
    return share if share <= 1 else None


def confidence(case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
    """Give the stated confidence and its squared distance from what came true.

    Answers state one where the prompt asks for it (`agent.prompt.extra`), as `Confidence: 80 %`.

    Source: Brier, Mon Weather Rev 78:1 (1950).
    """
    if error := trial_error(trial):
        yield from (broken(name, error) for name in NAMES)
        return
    stated = stated_confidence(trial.answer or "")
    if stated is None:
        yield from (inapplicable(name, "the answer states no confidence") for name in NAMES)
        return
    yield scored(NAMES[0], stated)
    found = {score.name: score for score in correctness(case, trial, pages)}
    right = found["correct_given_attempted"]
    if isinstance(right, Scored):
        yield scored(NAMES[1], brier([stated], [bool(right.value)]))
    else:
        yield inapplicable(NAMES[1], right.reason)


class ConfidenceTable:
    """Collects what answers stated and what came true, for measures over all of them together."""

    def __init__(self) -> None:
        self._stated = array("d")
        self._right = array("b")

    def add(self, scores: Iterable[Score]) -> None:
        """Take in the scores of one trial; one without both values adds nothing."""
        found = {s.name: s.value for s in scores if s.name in NAMES and isinstance(s, Scored)}
        if NAMES[0] in found and NAMES[1] in found:
            stated = found[NAMES[0]]
            self._stated.append(stated)
            self._right.append(abs(found[NAMES[1]] - (1 - stated) ** 2) < 1e-9)

    def merge(self, other: ConfidenceTable) -> None:
        """Take in all trials that `other` took in."""
        self._stated.extend(other._stated)
        self._right.extend(other._right)

    def __len__(self) -> int:
        return len(self._stated)

    def measures(self) -> dict[str, float | None]:
        """Return the calibration errors and the selective risk over all answers; none without any."""
        if not self._stated:
            return {}
        pairs = (self._stated, list(map(bool, self._right)))
        return {
            "expected calibration error": expected_calibration_error(*pairs),
            "RMS calibration error": rms_calibration_error(*pairs),
            "area under risk and coverage": area_under_risk_coverage(*pairs),
        }
