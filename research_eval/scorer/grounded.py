"""Correctness against grounding: an answer can be right without its sources saying so, or wrong with them."""

from collections.abc import Iterator

from research_eval.dataset import Case
from research_eval.schema import Score, Scored, TrialRecord
from research_eval.scorer.correctness import correctness
from research_eval.scorer.measure import Measure, declares
from research_eval.scorer.page_cache import PageCache, Reading
from research_eval.scorer.protocol import Pages, scored
from research_eval.scorer.support import SupportSettings, judge_support

__all__ = ["GroundedCorrectnessScorer"]

MEASURES = tuple(
    Measure(
        name,
        "yes_no",
        "higher" if name == "correct_grounded" else "lower",
        name.replace("_", ", "),
        meaning,
        "grounded-correctness",
        "cases with expected facts; answers that do not abstain",
        "Magesh et al., J Empir Leg Stud 22:216 (2025)",
    )
    for name, meaning in (
        ("correct_grounded", "Right, and its sources say so."),
        ("correct_ungrounded", "Right, but not by its sources."),
        ("incorrect_grounded", "Wrong or incomplete, with sources."),
        ("incorrect_ungrounded", "Neither."),
    )
)
NAMES = tuple(measure.name for measure in MEASURES)


@declares(*MEASURES, default=False)
class GroundedCorrectnessScorer:
    """Puts each answer that does not abstain into one of four fields.

    Grounded: it passed the gate, some sentence cites a page whose text is known, and no page that it
    cites lacks what the sentence says (no pair is RED).

    Source: Magesh et al., J Empir Leg Stud 22:216 (2025), correctness by groundedness.
    """

    __name__ = "grounded_correctness"

    def __init__(
        self, settings: SupportSettings | None = None, page_cache: PageCache | None = None
    ) -> None:
        self._settings = settings or SupportSettings()
        self._page_cache = page_cache or PageCache()

    def __call__(self, case: Case | None, trial: TrialRecord, pages: Pages) -> Iterator[Score]:
        """Give 1 to the field that the answer belongs to and 0 to the others."""
        found = {score.name: score for score in correctness(case, trial, pages)}
        right = found["correct_given_attempted"]
        if not isinstance(right, Scored):
            yield from (right.model_copy(update={"name": name}) for name in NAMES)
            return
        is_grounded = self._is_grounded(trial, self._page_cache.read(trial, pages))
        here = (
            f"{'correct' if right.value else 'incorrect'}"
            f"_{'grounded' if is_grounded else 'ungrounded'}"
        )
        yield from (scored(name, float(name == here)) for name in NAMES)

    def _is_grounded(self, trial: TrialRecord, reading: Reading | None) -> bool:
        if reading is None or trial.status != "completed":
            return False
        levels = [
            judge_support(s.claim.text, p.text, self._settings, is_whole=p.is_whole).level
            for s in reading.sentences
            for p in s.pages
            if p.text is not None
        ]
        return bool(levels) and "red" not in levels
