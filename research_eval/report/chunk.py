"""Details of trials as they are read, packed case by case for the page that shows them."""

import json
from collections.abc import Callable, Mapping

from research_eval.analysis.store import run_cases
from research_eval.dataset import Case
from research_eval.journal import RunFolder
from research_eval.report.detail import trial_detail
from research_eval.report.pack import Table, deflate
from research_eval.schema import ToolCalled, TrialKey, TrialRecord

__all__ = ["TrialChunks", "read_details"]

_LISTS = ("attempts", "sources", "events")
"""What has equal parts in many trials of a case."""


class TrialChunks:
    """Packs trials of one case that follow each other together, since they have much in common."""

    def __init__(self, cases: Mapping[str, Case]) -> None:
        self.packed: list[bytes] = []
        """Deflated: `pack.unpack` gives each trial by its configuration and number."""
        self.places: dict[str, list[int]] = {}
        """Of each case, which of the packed chunks have its trials."""
        self._cases = cases
        self._pages: dict[str, None] = {}
        self._results: dict[str, None] = {}
        self._case: str | None = None
        self._table, self._roots = Table(), list[bytes]()

    def see(self, trial: TrialRecord, notes: Mapping[str, str]) -> None:
        """Take in a trial and what scorers said of it."""
        if trial.case_id != self._case:
            self.close()
            self._case = trial.case_id
            self.places.setdefault(trial.case_id, []).append(len(self.packed))
        case = self._cases.get(trial.case_id)
        detail = trial_detail(trial, notes, [fact.value for fact in case.expected] if case else ())
        add, add_each = self._table.add, self._table.add_each
        inner = b",".join(
            b'"%b":%b' % (key.encode(), add_each(one) if key in _LISTS else add(one))
            for key, one in detail.items()
        )
        name = json.dumps(f"{trial.configuration}\n{trial.trial}")
        self._roots.append(b"%b:{%b}" % (name.encode(), inner))
        self._pages |= dict.fromkeys(s.content_sha256 for s in trial.sources if s.content_sha256)
        called = (event for event in trial.transcript if isinstance(event, ToolCalled))
        self._results |= dict.fromkeys(c.result_sha256 for c in called if c.result_sha256)

    def close(self) -> None:
        """Pack the last case."""
        if self._roots:
            self.packed.append(deflate(self._table.blocks(b"{%b}" % b",".join(self._roots))))
        self._table, self._roots = Table(), []

    @property
    def digests(self) -> tuple[str, ...]:
        """The texts that trials opened and read, pages first."""
        return tuple(self._pages | self._results)


def read_details(
    folder: RunFolder, note_of: Callable[[TrialKey], Mapping[str, str]]
) -> TrialChunks:
    """Return the details of all trials of a run.

    Args:
        folder: The run.
        note_of: Gives what scorers said of a trial.

    Raises:
        RecordError: If a trial can't be read.
        DatasetError: If the run's own cases can't be read.
    """
    found = TrialChunks(run_cases(folder))
    for trial in folder.trials():
        found.see(trial, note_of(trial.key))
    found.close()
    return found
