"""How a trial ended and what the gate said: first attempt, final answer, retries, violations."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from typing_extensions import override

from research_eval.dataset import Case
from research_eval.gate.kind import KINDS, is_harness_alone
from research_eval.schema import (
    ENDINGS,
    AnswerChecked,
    RunRecord,
    Score,
    TrialRecord,
    TrialStatus,
    Unscored,
    ViolationKind,
)
from research_eval.scorer.measure import Measure, declares
from research_eval.scorer.protocol import Pages, broken, inapplicable, scored, trial_error

__all__ = ["GateScorer", "gate_outcome", "kinds_of_run", "trial_status"]


@declares(
    *(
        Measure(
            f"status_{status}",
            "yes_no",
            "higher" if status == "completed" else "lower",
            ending.label,
            f"Trials that ended so: {ending.meaning}.",
            applies="every trial that ran",
        )
        for status, ending in ENDINGS.items()
    ),
    needs_ledger=False,
)
def trial_status(case: Case | None, trial: TrialRecord, pages: Pages) -> tuple[Score, ...]:
    """Say for each way to end a trial whether this one ended so; never unscored."""
    del case, pages
    return _STATUS_SCORES[trial.status]


_STATUS_SCORES: dict[TrialStatus, tuple[Score, ...]] = {
    status: tuple(scored(f"status_{other}", float(other == status)) for other in ENDINGS)
    for status in ENDINGS
}

PASSES = (
    Measure("first_attempt_passed", "yes_no", "higher", "first attempt",
        "Judged trials whose first answer cited only pages opened in that trial.", headline=True),
    Measure("final_passed", "yes_no", "higher", "final",
        "Judged trials that ended with an answer which passed the gate.", headline=True),
    Measure("retries", "count", "lower", "retries",
        "Mean number of corrective second answers a judged trial."),
)  # fmt: skip
PASS_NAMES = tuple(measure.name for measure in PASSES)


def kinds_of_run(manifest: RunRecord) -> tuple[ViolationKind, ...]:
    """Return the kinds of violation of a run: those built in, then those that its gates declare."""
    found = dict(KINDS)
    for configuration in manifest.configurations:
        for kind in configuration.violation_kinds:
            found.setdefault(kind.name, kind)
    return tuple(found.values())


class GateScorer:
    """Says what the gate made of the attempts."""

    __name__ = "gate"
    is_default = True

    def __init__(self, kinds: Iterable[ViolationKind] = KINDS.values()) -> None:
        """Take the kinds of violation that the gates of a run declare."""
        self._kinds = tuple(kinds)
        self._names = {
            when: tuple((kind.name, f"{when}_{kind.name}") for kind in self._kinds)
            for when in ("first", "final")
        }
        self.measures = (*PASSES, *self._measures("first"), *self._measures("final"))
        self._outcome = lru_cache(maxsize=1024)(self._scores)

    def _measures(self, when: str) -> Iterator[Measure]:
        answer = "last" if when == "final" else when
        for kind, (_, name) in zip(self._kinds, self._names[when], strict=True):
            yield Measure(
                name,
                "yes_no",
                kind.better,
                kind.label,
                f"{kind.meaning} Of the {answer} answer.",
                f"violations-{when}",
                "trials that gave an answer",
            )

    def for_run(self, manifest: RunRecord) -> "GateScorer":
        """Return the scorer with the kinds that the gates of a run declare."""
        return GateScorer(kinds_of_run(manifest))

    @override
    def __reduce__(self) -> tuple[type["GateScorer"], tuple[tuple[ViolationKind, ...]]]:
        """Let another process make the same scorer."""
        return GateScorer, (self._kinds,)

    def __call__(self, case: Case | None, trial: TrialRecord, pages: Pages) -> tuple[Score, ...]:
        """Give no score to a trial that failed by infrastructure.

        A trial without any answer violated nothing. One that reached a limit has passed nothing;
        of one that ended so in another way (refused, empty, protocol) nobody knows: it is in no
        rate of judged trials, and counts as not passed in the strict rates alone.
        """
        del case, pages
        if error := trial_error(trial):
            return tuple(broken(measure.name, error) for measure in self.measures)
        attempts = trial.attempts
        is_blocked = any(is_harness_alone(attempt.verdict) for attempt in attempts[:1])
        return self._outcome(
            len(attempts), trial.status, _kinds(attempts[:1]), _kinds(attempts[-1:]), is_blocked
        )

    def _scores(
        self,
        attempts: int,
        status: TrialStatus,
        first: frozenset[str],
        final: frozenset[str],
        is_blocked: bool,
    ) -> tuple[Score, ...]:
        """Return the scores; trials that went alike share them.

        Args:
            attempts: How many there were.
            status: How the trial ended.
            first: Kinds of violation of the first answer.
            final: Those of the last.
            is_blocked: Whether the first was rejected for what the SSRF guard blocked alone.
        """
        if not attempts and not ENDINGS[status].is_rated:
            why = f"no answer: {ENDINGS[status].label}"
            passes: tuple[Score, ...] = tuple(
                Unscored(name=name, reason=why) for name in ("first_attempt_passed", "final_passed")
            )
        else:
            passes = (
                broken("first_attempt_passed", "blocked by the SSRF guard")
                if is_blocked
                else scored("first_attempt_passed", float(attempts > 0 and not first)),
                scored("final_passed", float(status == "completed")),
            )
        return (
            *passes,
            scored("retries", float(max(0, attempts - 1))),
            *self._violations("first", first, attempts),
            *self._violations("final", final, attempts),
        )

    def _violations(self, when: str, found: frozenset[str], attempts: int) -> Iterator[Score]:
        for kind, name in self._names[when]:
            if attempts:
                yield scored(name, float(kind in found))
            else:
                yield inapplicable(name, "no answer was given")


gate_outcome = GateScorer()


def _kinds(attempts: tuple[AnswerChecked, ...]) -> frozenset[str]:
    return frozenset(v.kind for attempt in attempts for v in attempt.verdict.violations)
