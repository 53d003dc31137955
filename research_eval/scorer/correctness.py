"""Answers against expected facts: correct, incorrect or abstained."""

from collections.abc import Iterator

from research_eval.dataset import Case
from research_eval.schema import Score, Scored, TrialRecord
from research_eval.scorer.abstention import is_abstention
from research_eval.scorer.measure import Measure, declares
from research_eval.scorer.protocol import Pages, broken, inapplicable, scored, trial_error
from research_eval.stats.confidence import penalised_score

__all__ = ["PENALISED", "correctness", "f_part", "f_score", "penalised"]

FACTS = "cases with an answer and expected facts"
SIMPLEQA = "the rule of SimpleQA, arXiv:2411.04368"
MEASURES = (
    Measure("correct", "yes_no", "higher", "correct",
        "Answers that state every expected fact.", "correctness", FACTS, SIMPLEQA, headline=True),
    Measure("correct_given_attempted", "yes_no", "higher", "precision",
        "Correct answers, of those that did not abstain.", "correctness",
        f"{FACTS}; answers that do not abstain", SIMPLEQA),
    Measure("incorrect", "yes_no", "lower", "incorrect",
        "Answers that miss an expected fact.", "correctness", FACTS, SIMPLEQA),
    Measure("abstained", "yes_no", "neither", "abstained",
        "Answers that say that they do not know.", "correctness", FACTS, SIMPLEQA),
    Measure("facts_stated", "share", "higher", "facts stated",
        "Expected facts that the answer states.", applies=FACTS),
    Measure("correct_and_clean", "yes_no", "higher", "correct and clean",
        "Correct, and passed the gate in the end.", "correctness", FACTS, headline=True, needs_ledger=True),
    Measure("abstained_when_unanswerable", "yes_no", "higher", "abstained, rightly",
        "Abstentions where nothing can be found.", "abstention", "cases without an answer"),
    Measure("abstained_when_answerable", "yes_no", "lower", "abstained, wrongly",
        "Abstentions where there is an answer.", "abstention", FACTS),
)  # fmt: skip
NAMES = tuple(measure.name for measure in MEASURES)


@declares(*MEASURES, needs_ledger=False)
def correctness(case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
    """Compare the answer with the expected facts, all of which a correct one states.

    A rejected answer is judged too, so that truth and provenance can be told apart. Accuracy is the
    mean of `correct`, precision that of `correct_given_attempted` (the rule of SimpleQA,
    arXiv:2411.04368). An answer that states all facts has not abstained, whatever else it says.
    """
    del pages
    error = trial_error(trial)
    values = {} if error or case is None else _values(case, trial)
    for name in NAMES:
        if reason := _lacks(case, name):
            yield inapplicable(name, reason)
        elif error:
            yield broken(name, error)
        else:
            yield values.get(name) or inapplicable(name, "the answer abstains")


def _lacks(case: Case | None, name: str) -> str | None:
    """Return why a measure does not apply to a case, however a trial of it ended."""
    if case is None:
        return "the case is not known"
    if name == "abstained_when_unanswerable":
        return "the case has an answer" if case.answerable else None
    if not case.answerable:
        return "the case has no answer"
    return None if case.expected else "no fact is expected"


def _values(case: Case, trial: TrialRecord) -> dict[str, Score]:
    answer = trial.answer or ""
    stated = [fact.is_in(answer) for fact in case.expected]
    abstains = not answer.strip() or is_abstention(answer)
    found: dict[str, float] = {}
    if not case.answerable:
        abstains = abstains and not (stated and all(stated))
        found["abstained_when_unanswerable"] = float(abstains)
    elif stated:
        is_correct = all(stated)
        abstains = abstains and not is_correct
        found["abstained_when_answerable"] = float(abstains)
        found["facts_stated"] = sum(stated) / len(stated)
        found |= _ruling(is_correct=is_correct, abstains=abstains)
        found["correct_and_clean"] = float(is_correct and trial.status == "completed")
    return {name: scored(name, value) for name, value in found.items()}


def _ruling(*, is_correct: bool, abstains: bool) -> dict[str, float]:
    ruling = {
        "correct": float(is_correct),
        "incorrect": float(not is_correct and not abstains),
        "abstained": float(abstains),
    }
    if not abstains:
        ruling["correct_given_attempted"] = float(is_correct)
    return ruling


PENALISED = {"penalised_at_0": 0.0, "penalised_at_50": 0.5, "penalised_at_75": 0.75}
"""The confidence below which an answer had better abstain, by the score's name."""


@declares(
    *(
        Measure(
            name,
            "points",
            "higher",
            f"score at {threshold:.0%}".replace("%", " %"),
            "Mean of 1 for right, 0 for an abstention,"
            f" {-threshold / (1 - threshold):.0f} for wrong.",
            "abstention",
            FACTS,
            "Kalai et al., arXiv:2509.04664",
        )
        for name, threshold in PENALISED.items()
    ),
    default=False,
    needs_ledger=False,
)
def penalised(case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
    """Give 1 for a correct answer, 0 for an abstention and a loss for a wrong one.

    The loss is t / (1 - t), so that answering pays from a confidence of t on.

    Source: Kalai et al., arXiv:2509.04664.
    """
    found = {score.name: score for score in correctness(case, trial, pages)}
    ruling = [found[name] for name in ("correct", "incorrect", "abstained")]
    for name, threshold in PENALISED.items():
        first = ruling[0]
        if isinstance(first, Scored):
            right, wrong, none = (int(s.value) for s in ruling if isinstance(s, Scored))
            yield scored(name, penalised_score(right, wrong, none, threshold) or 0.0)
        else:
            yield first.model_copy(update={"name": name})


def f_part(correct: float, incorrect: float, abstained: float) -> tuple[float, float]:
    """Return what counts of answers add to numerator and denominator of the F score.

    The harmonic mean of accuracy and precision is the ratio of the sums of both, so that it has the
    interval of a ratio.
    """
    return correct, correct + incorrect + abstained / 2


def f_score(correct: float, incorrect: float, abstained: float) -> float | None:
    """Return the harmonic mean of accuracy and precision; `None` without answers.

    Source: Wei et al., arXiv:2411.04368 (SimpleQA).

    >>> round(f_score(4, 1, 5), 6)
    0.533333
    """
    total = correct + incorrect + abstained
    return 2 * correct / (total + correct + incorrect) if total else None
