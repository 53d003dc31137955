"""How sure an answer says it is, and whether that came true."""

from collections.abc import Iterator

from research_eval.dataset import Case
from research_eval.schema import Score, Scored, TrialRecord, Unscored
from research_eval.scorer.correctness import correctness
from research_eval.scorer.measure import Measure, declares
from research_eval.scorer.protocol import Pages, broken, inapplicable, scored, trial_error
from research_eval.scorer.stated import find_confidence
from research_eval.stats.confidence import brier

__all__ = ["NAMES", "confidence"]

MEASURES = (
    Measure("stated_confidence", "share", "neither", "stated confidence",
        "How sure the answer says it is.", applies="answers that state a confidence"),
    Measure("correct_given_confidence", "yes_no", "higher", "correct, stated",
        "Correct answers, of those that state a confidence.",
        applies="answers that state a confidence"),
    Measure("brier", "share", "lower", "Brier score",
        "Mean squared distance of stated confidence and truth.",
        applies="answers that state a confidence", source="Brier, Mon Weather Rev 78:1 (1950)"),
)  # fmt: skip
STATED, RIGHT, BRIER = NAMES = tuple(measure.name for measure in MEASURES)


@declares(*MEASURES, default=False, needs_ledger=False)
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
        return Unscored(name=STATED, reason=f"the scale of the number is unclear: {found.text!r}")
    return scored(STATED, found.share)
