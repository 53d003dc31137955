"""An assertion for tests: an answer cites only opened pages, or the failure says what `gate check` says."""

from research_eval.gate.check import CitationGate
from research_eval.gate.protocol import Gate
from research_eval.ledger import SourceRegistry
from research_eval.schema import Violation

__all__ = ["assert_cites_only_opened", "line_of"]


def assert_cites_only_opened(
    answer: str, ledger: SourceRegistry, gate: Gate | None = None, *, name: str = "answer"
) -> None:
    """Assert that `answer` cites pages, and only such as the ledger knows as opened.

    Args:
        answer: The text.
        ledger: What was opened, for instance `SourceRegistry.from_urls(fetched=[...])`.
        gate: Which gate rules; the default one if none is given.
        name: What the failure calls the answer.

    Raises:
        AssertionError: With a line for each violation: place, kind, URL and what to do.
    """
    __tracebackhide__ = True  # pytest then shows the line that asserted
    verdict = (gate or CitationGate()).check(answer, ledger)
    if not verdict.passed:
        raise AssertionError("\n".join(line_of(one, answer, name) for one in verdict.violations))


def line_of(violation: Violation, answer: str, name: str) -> str:
    """Return a violation on one line, as compilers write: name, line, column, kind, message."""
    place = ""
    if violation.start is not None:
        from research_eval.gate.explain import place_of  # noqa: PLC0415  # only of a failure

        line, column = place_of(answer, violation.start)
        place = f":{line}:{column}"
    return f"{name}{place}: {violation.kind}: {violation.message}"
