"""What a measure means to a reader: whether more of it is better, and in which unit it is."""

import math
import re
from collections.abc import Iterable
from typing import NamedTuple

from research_eval.schema.score import Better, Scored, Unit

__all__ = ["Kinds", "Measure", "is_built_in", "is_occasional", "measure", "merged"]


class Measure(NamedTuple):
    """One measure of a scorer."""

    name: str
    better: Better
    unit: Unit

    @property
    def is_rate(self) -> bool:
        """Whether it lies between 0 and 1."""
        return self.unit in {"yes_no", "share"}

    @property
    def lowest(self) -> float:
        """What no value of it falls below: only points may be negative."""
        return -math.inf if self.unit == "points" else 0.0


_HIGHER_YES = (
    r"first_attempt_passed|final_passed|repaired(?:_by_\d+)?|status_completed|correct"
    r"|correct_given_attempted|correct_and_clean|abstained_when_unanswerable|passed_despite:.*"
    r"|injection_reported|correct_grounded|correct_given_confidence"
)
_LOWER_YES = (
    r"(?:first|final)_(?:no_citation|unknown_url|search_only|not_evidence|any_.*)|incorrect"
    r"|abstained_when_answerable|injection_.*|false_evidence|uncited_assertion"
    r"|status_(?:rejected|refused|limit|error)|incorrect_(?:un)?grounded|correct_ungrounded"
)
_HIGHER_SHARE = (
    r"(?:first|final)_cited_(?:opened|alias)|(?:first|final)_provenance_credit|facts_stated"
    r"|cited_claim_share|support_(?:green|lenient|pessimistic)|judge_support"
    r"|repair_(?:refetched|replaced)|citation_(?:recall|precision)(?:_upper|_needed)?"
    r"|thoroughness|source_necessity|support_f1|quote_validity"
)
_LOWER_SHARE = (
    r"(?:first|final)_cited_.*|support_(?:red|unreadable)|number_absence|judge_support_missing"
    r"|repair_(?:citation_stripped|relabelled|swapped|unchanged)|over_correction|new_violations"
    r"|dead_links|withheld_links|brier"
)
_NEITHER_SHARE = (
    r"support_undecided|repair_(?:claim_removed|gave_up)|domain_concentration|uncited_pages"
    r"|untried_links|stated_confidence"
)
_RULES: tuple[tuple[re.Pattern[str], Better, Unit], ...] = (
    (re.compile(_HIGHER_YES), "higher", "yes_no"),
    (re.compile(_LOWER_YES), "lower", "yes_no"),
    (re.compile(r"abstained"), "neither", "yes_no"),
    (re.compile(_HIGHER_SHARE), "higher", "share"),
    (re.compile(_LOWER_SHARE), "lower", "share"),
    (re.compile(_NEITHER_SHARE), "neither", "share"),
    (re.compile(r"penalised_at_\d+"), "higher", "points"),
    (re.compile(r"effective_citations|not_red_citations"), "higher", "count"),
    (re.compile(r".*_seconds"), "lower", "seconds"),
    (re.compile(r"cost_usd"), "lower", "usd"),
    (re.compile(r"served_by:.*|check_worthy_claims|(?:first|final)_citations"), "neither", "count"),
)


def measure(name: str) -> Measure:
    """Return what is known of a measure; of one of a scorer of the user's own, that more is better.

    Counts of what a trial did and consumed are better when lower.
    """
    for pattern, better, unit in _RULES:
        if pattern.fullmatch(name):
            return Measure(name, better, unit)
    if name in _COSTS:
        return Measure(name, "lower", "count")
    return Measure(name, "higher", "points")


def is_built_in(name: str) -> bool:
    """Return whether scorers of the project itself measure this."""
    if name.endswith("_seconds"):
        return name in {"virtual_seconds", "repair_seconds"}
    return name in _COSTS or any(pattern.fullmatch(name) for pattern, *_ in _RULES)


def is_occasional(name: str) -> bool:
    """Return whether a measure is given only where it applies, so that silence means it did not."""
    return name.startswith(("passed_despite:", "served_by:"))


class Kinds:
    """What the measures are that were met, by what is known of them, by what scores state and hold.

    A measure of the user's own is what its scores state; if they state nothing it is a yes or no
    where every value is 0 or 1 and weighs 1, and a mean elsewhere. No measure with a value beyond
    0 and 1 is a rate, whatever was said of it.
    """

    def __init__(self) -> None:
        self.stated: dict[str, tuple[Unit | None, Better | None]] = {}
        self.uneven: set[str] = set()
        """Measures with a value that is neither 0 nor 1, or that does not weigh 1."""
        self.beyond: set[str] = set()
        """Measures with a value outside 0 to 1."""

    def add(self, score: Scored) -> None:
        """Take note of one value."""
        if score.weight != 1 or score.value not in {0, 1}:
            self.uneven.add(score.name)
            if not 0 <= score.value <= 1:
                self.beyond.add(score.name)
        if score.unit or score.better:
            self.stated.setdefault(score.name, (score.unit, score.better))

    def merge(self, other: "Kinds") -> None:
        """Take note of all that `other` did."""
        self.stated = {**other.stated, **self.stated}
        self.uneven |= other.uneven
        self.beyond |= other.beyond

    def worst(self, name: str) -> float | None:
        """Return what a trial without a value counts as at worst.

        `None` where there is no such value, or where nobody said whether more is better.
        """
        found = self.of(name)
        is_told = is_built_in(name) or self.stated.get(name, (None, None))[1] is not None
        if not found.is_rate or found.better == "neither" or not is_told:
            return None
        return 1.0 if found.better == "lower" else 0.0

    def of(self, name: str) -> Measure:
        """Return what is known of a measure."""
        found = measure(name)
        if not is_built_in(name):
            unit, better = self.stated.get(name, (None, None))
            own: Unit = found.unit if name in self.uneven or found.unit != "points" else "yes_no"
            found = Measure(name, better or found.better, unit or own)
        if found.is_rate and name in self.beyond:
            return found._replace(unit="points")
        return found


def merged(kinds: Iterable[Kinds]) -> Kinds:
    """Return what all of `kinds` know together, so that all sides of a comparison agree."""
    every = Kinds()
    for one in kinds:
        every.merge(one)
    return every


_COSTS = frozenset(
    """retries turns request_retries tool_calls failed_tool_calls searches fetches failed_fetches
    off_tape input_tokens output_tokens model_requests search_unserved search_fallbacks
    search_cache_hits search_requests search_errors search_rate_limited breaker_openings
    breaker_skips repair_turns repair_tool_calls repair_tokens unresolved_markers unused_sources
    non_url_references""".split()  # noqa: SIM905  # one name a line would fill a page
)
