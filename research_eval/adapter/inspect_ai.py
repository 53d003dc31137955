"""The gate as a scorer of Inspect: correct where an answer cites only opened pages."""

from collections.abc import Callable

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from research_eval.gate import load_gate
from research_eval.gate.assertion import line_of
from research_eval.ledger import SourceRegistry

__all__ = ["cites_only_opened"]


@scorer(metrics=[accuracy(), stderr()])
def cites_only_opened(
    ledger_of: Callable[[TaskState], SourceRegistry], gate: str = "default"
) -> Scorer:
    """Return a scorer for a `Task`; the explanation of a score names each violation.

    Args:
        ledger_of: Where the ledger of a sample is, for instance
            `lambda state: state.metadata["ledger"]`.
        gate: Which gate rules: a name, `name@version` or dotted path, which Inspect's log keeps.
    """
    ruling = load_gate(gate)

    async def score(state: TaskState, target: Target) -> Score:
        del target
        answer = state.output.completion
        verdict = ruling.check(answer, ledger_of(state))
        lines = (line_of(one, answer, "answer") for one in verdict.violations)
        return Score(
            value=CORRECT if verdict.passed else INCORRECT,
            answer=answer,
            explanation="\n".join(lines) or None,
            metadata={"gate": verdict.gate, "kinds": [one.kind for one in verdict.violations]},
        )

    return score
