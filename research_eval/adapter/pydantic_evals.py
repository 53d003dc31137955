"""The gate as an evaluator of pydantic-evals: an assertion that holds where an answer cites only opened pages."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext
from typing_extensions import override

from research_eval.gate import CitationGate, Gate
from research_eval.gate.assertion import line_of
from research_eval.ledger import SourceRegistry

__all__ = ["CitesOnlyOpened"]

Context: TypeAlias = EvaluatorContext[Any, Any, Any]


def _output(ctx: Context) -> str:
    return str(ctx.output)


@dataclass
class CitesOnlyOpened(Evaluator[Any, Any, Any]):
    """Passes where the gate does; the reason names each violation.

    Attributes:
        ledger_of: Where the ledger of a case is, for instance `lambda ctx: ctx.output.ledger`.
        gate: Which gate rules.
        text_of: Where the answer is.
    """

    ledger_of: Callable[[Context], SourceRegistry]
    gate: Gate = field(default_factory=CitationGate)
    text_of: Callable[[Context], str] = _output

    @override
    def evaluate(self, ctx: Context) -> EvaluationReason:
        """Judge the answer of one case."""
        answer = self.text_of(ctx)
        verdict = self.gate.check(answer, self.ledger_of(ctx))
        lines = (line_of(one, answer, "answer") for one in verdict.violations)
        return EvaluationReason(value=verdict.passed, reason="\n".join(lines) or None)
