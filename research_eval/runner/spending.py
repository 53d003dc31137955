"""What a run has spent before: in its records, and in calls that are in none, which a limit must not forget."""

import itertools

from pydantic import ValidationError

from research_eval.errors import RecordError, UsageError
from research_eval.journal import RunFolder
from research_eval.runner.budget import Budget, CallBound
from research_eval.schema import Record

__all__ = ["count_earlier", "keep_unrecorded"]


class Unrecorded(Record):
    """What one execution may have spent on calls that are in no record, a line of `spending.jsonl`.

    Those are the calls of trials that a limit or an interrupt ended, and calls that broke off.
    """

    tokens: int
    usd: float


def count_earlier(budget: Budget, folder: RunFolder) -> None:
    """Count what earlier executions of the same run consumed: its limits hold for all together.

    Raises:
        RecordError: If a line cannot be read.
    """
    for record in itertools.chain(folder.trials(), folder.superseded()):
        budget.add_trial(record)
    path = folder.spending_path
    lines = path.read_bytes().splitlines() if path.exists() else []
    for number, line in enumerate(lines, 1):
        try:
            spent = Unrecorded.model_validate_json(line)
        except ValidationError as exc:
            raise RecordError(f"{path}:{number}: {exc.errors()[0]['msg']}") from exc
        budget.earlier += CallBound(spent.tokens, spent.usd)


def keep_unrecorded(budget: Budget, folder: RunFolder) -> None:
    """Add a line with what this execution may have spent on calls that are in no record, if it did.

    Raises:
        UsageError: If it cannot be written.
    """
    spent = budget.lost + budget.dropped
    if not spent.tokens:
        return
    line = Unrecorded(tokens=spent.tokens, usd=spent.usd).model_dump_json().encode() + b"\n"
    try:
        with folder.spending_path.open("ab") as file:
            file.write(line)
    except OSError as exc:
        raise UsageError(f"{folder.spending_path}: cannot be written: {exc.strerror}") from exc
