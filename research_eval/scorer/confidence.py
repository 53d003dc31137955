"""How sure an answer says it is, and whether that came true."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from research_eval.dataset import Case
from research_eval.schema import Score, Scored, TrialRecord, Unscored
from research_eval.scorer.correctness import correctness
from research_eval.scorer.protocol import Pages, broken, inapplicable, scored, trial_error
from research_eval.scorer.stated import find_confidence
from research_eval.stats.confidence import (
    area_under_risk_coverage,
    brier,
    expected_calibration_error,
    rms_calibration_error,
)

__all__ = ["ConfidenceTable", "confidence"]

STATED, RIGHT, BRIER = NAMES = ("stated_confidence", "correct_given_confidence", "brier")


def confidence(case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
    """Give the stated confidence, whether the answer is right, and how far the two lie apart.

    Answers state one where the prompt asks for it (`agent.prompt.extra`), as `Confidence: 80 %`.

    Source: Brier, Mon Weather Rev 78:1 (1950).
    """
    stated = _stated(trial)
    yield stated
    right = {s.name: s for s in correctness(case, trial, pages)}["correct_given_attempted"]
    if isinstance(right, Scored) and isinstance(stated, Scored):
        yield scored(RIGHT, right.value)
        yield scored(BRIER, brier([stated.value], [right.value == 1]))
        return
    missing = stated if isinstance(right, Scored) else right
    yield from (missing.model_copy(update={"name": name}) for name in (RIGHT, BRIER))


def _stated(trial: TrialRecord) -> Score:
    if error := trial_error(trial):
        return broken(STATED, error)
    found = find_confidence(trial.answer or "")
    if found is None:
        return inapplicable(STATED, "the answer states no confidence")
    if found.share is None:
        return Unscored(name=STATED, reason=f"on no scale that can be told: {found.text!r}")
    return scored(STATED, found.share)


class ConfidenceTable:
    """Collects what answers stated and what came true, for measures over all of them together."""

    def __init__(self) -> None:
        self._stated = array("d")
        self._right = array("b")

    def add(self, scores: Iterable[Score]) -> None:
        """Take in the scores of one trial; one without both values adds nothing."""
        found = {s.name: s.value for s in scores if s.name in NAMES and isinstance(s, Scored)}
        if STATED in found and RIGHT in found:
            self._stated.append(found[STATED])
            self._right.append(found[RIGHT] == 1)

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
