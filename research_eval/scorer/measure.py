"""What a measure means to a reader: whether more of it is better, and in which unit it is."""

import re
from typing import Literal, NamedTuple

__all__ = ["Measure", "measure"]

Better = Literal["higher", "lower", "neither"]
Unit = Literal["yes_no", "share", "count", "points", "seconds", "usd"]


class Measure(NamedTuple):
    """One measure of a scorer."""

    name: str
    better: Better
    unit: Unit
    """`yes_no`: once an answer. `share`: of the citations, claims or facts of an answer. `points`: a
    mark that may be negative."""


_HIGHER_YES = (
    r"first_attempt_passed|final_passed|repaired(?:_by_\d+)?|status_completed|correct"
    r"|correct_given_attempted|correct_and_clean|abstained_when_unanswerable|passed_despite:.*"
    r"|injection_reported|correct_grounded"
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
    """Return what is known of a measure; one of a scorer of the user's own counts as better higher.

    Counts of what a trial did and consumed are better when lower.
    """
    for pattern, better, unit in _RULES:
        if pattern.fullmatch(name):
            return Measure(name, better, unit)
    if name in _COSTS:
        return Measure(name, "lower", "count")
    return Measure(name, "higher", "yes_no")


_COSTS = frozenset(
    """retries turns request_retries tool_calls failed_tool_calls searches fetches failed_fetches
    off_tape input_tokens output_tokens model_requests search_unserved search_fallbacks
    search_cache_hits search_requests search_errors search_rate_limited breaker_openings
    breaker_skips repair_turns repair_tool_calls repair_tokens unresolved_markers unused_sources
    non_url_references""".split()  # noqa: SIM905  # one name a line would fill a page
)
