"""What `gate compare` does with the judgements of a journal, piece by piece: print, count."""

import json
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Self

import click

if TYPE_CHECKING:
    from research_eval.gate.compare import Flip, Judgement

__all__ = ["Flips"]


class Flips:
    """Prints flips as they come, counts, and keeps what the JUnit report is made of on the disk."""

    def __init__(self, expected: frozenset[str], *, keeps_cases: bool, as_json: bool) -> None:
        """Start at nothing.

        Args:
            expected: Flips that are wanted, as their lines say them.
            keeps_cases: Whether a JUnit report will be asked for.
            as_json: Whether to print JSON.
        """
        self._expected = expected
        self._as_json = as_json
        self._cases = TemporaryFile() if keeps_cases else None  # noqa: SIM115  # closed on exit
        self._attempts = self._turned = self._surprises = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._cases is not None:
            self._cases.close()

    def add(self, judgements: "list[Judgement]") -> None:
        """Take note of the attempts of one piece of the journal."""
        from research_eval.gate.compare import junit_case

        self._attempts += len(judgements)
        flips = [judgement.flip for judgement in judgements if judgement.flip is not None]
        turned = [flip for flip in flips if flip.change != "other_violations"]
        self._turned += len(turned)
        self._surprises += sum(flip.place not in self._expected for flip in turned)
        if flips:
            _echo("\n".join(map(self._line, flips)))
        if self._cases is not None:
            self._cases.writelines(junit_case(one, self._expected) for one in judgements)

    def _line(self, flip: "Flip") -> str:
        if self._as_json:
            data = {**flip.model_dump(mode="json"), "expected": flip.place in self._expected}
            return json.dumps(data, ensure_ascii=False)
        return f"{flip.place}\t{flip.reason}"

    def finish(self, junit: Path | None) -> int:
        """Write the JUnit report if one is asked for, print the sums, return the exit status."""
        from research_eval.gate.compare import junit_lines
        from research_eval.journal import write_whole

        if junit is not None and self._cases is not None:
            self._cases.seek(0)
            write_whole(junit, junit_lines(self._cases, self._attempts, self._surprises))
        if not self._as_json:
            _echo(
                f"{self._attempts} attempts, {self._turned} flips, {self._surprises} not expected"
            )
        return 1 if self._surprises else 0


def _echo(text: str) -> None:
    click.echo(text.encode("utf-8", "replace"))
