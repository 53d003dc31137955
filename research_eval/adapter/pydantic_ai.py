"""The gate as an output validator of a pydantic-ai agent: an answer that cites unopened pages is sent back."""

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic_ai import ModelRetry, RunContext

from research_eval.gate import CitationGate, Gate
from research_eval.gate.corrective import corrective_text
from research_eval.ledger import SourceRegistry

__all__ = ["citation_validator"]

Output = TypeVar("Output")


def citation_validator(
    ledger_of: Callable[[RunContext[Any]], SourceRegistry],
    gate: Gate | None = None,
    text_of: Callable[[Any], str] = str,
) -> Callable[[RunContext[Any], Output], Output]:
    """Return a validator for `agent.output_validator(...)`.

    A rejected answer raises `ModelRetry` with the corrective; pydantic-ai asks the model again as
    often as the agent's retries of outputs allow. Pieces of a streamed answer are not judged.

    Args:
        ledger_of: Where the ledger of a run is, for instance `lambda ctx: ctx.deps.ledger`.
        gate: Which gate rules; the default one if none is given.
        text_of: What a structured output says to its reader.
    """
    ruling = gate or CitationGate()

    def cites_only_opened(ctx: RunContext[Any], output: Output) -> Output:
        if not getattr(ctx, "partial_output", False):
            verdict = ruling.check(text_of(output), ledger_of(ctx))
            if not verdict.passed:
                raise ModelRetry(corrective_text(verdict))
        return output

    return cites_only_opened
