"""`research-eval gate compare`: a finished run judged again by two gates, and what changes."""

import json
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Self

import click

from research_eval.cli.lines import print_text, read_text
from research_eval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from research_eval.cli.github import Annotation
    from research_eval.gate import Gate
    from research_eval.gate.compare import Judgement
    from research_eval.gate.expect import Expectations
    from research_eval.gate.flip import Flip
    from research_eval.gate.flip_group import FlipGroup, Grouping
    from research_eval.gate.opened import GatePlace
    from research_eval.journal.piece import Piece

__all__ = ["compare", "note_same_code"]

MOST_TOLD = 50
"""Flips that a summary lists."""


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--base",
    default="seed",
    show_default=True,
    metavar="GATE",
    help="The gate to compare with: a gate, git:REV:package.module:Name, or `recorded` for the verdicts of the run.",
)
@click.option(
    "--head", default="default", show_default=True, metavar="GATE", help="The gate to test."
)
@click.option(
    "--expect",
    type=click.Path(path_type=Path),
    help="A file of expected flips, one pattern a line; a line that matches no flip is an error.",
)
@click.option(
    "--expect-update",
    is_flag=True,
    help="Write the flips of today into the --expect file, and exit 0.",
)
@click.option("--junit", type=click.Path(path_type=Path), help="Where to write JUnit XML.")
@click.option("--markdown", type=click.Path(path_type=Path), help="Where to write a summary.")
@click.option(
    "--scheduler", metavar="ADDRESS", help="Judge on a Dask cluster: tcp://HOST:PORT, or local."
)
@click.option(
    "--group-by",
    type=click.Choice(["reason", "kind", "url", "host", "case", "configuration"]),
    help="Print groups with counts and three examples each, not every attempt.",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def compare(
    run: Path,
    base: str,
    head: str,
    expect: Path | None,
    expect_update: bool,
    junit: Path | None,
    markdown: Path | None,
    scheduler: str | None,
    group_by: "Grouping | None",
    as_json: bool,
) -> int:
    """Judge a finished run again by two gates, and print what changes.

    RUN is its folder; every attempt is judged. The journal streams through: memory does not grow
    with it.

    A line is: case, configuration, trial, attempt, change, and the reason after a tab; below it stand
    the sentence, the URL and the nearest page; at the end flips are counted by direction and reason.
    With --group-by a line is a direction, a count and a reason, host or case. Exits 1 if a passed_to_blocked or blocked_to_passed
    flip is not listed in the --expect file, 3 if there was nothing to judge.
    """
    from research_eval.cli.pieces import workers
    from research_eval.gate.compare import RECORDED, judge_chunk, judge_piece
    from research_eval.gate.opened import open_gate, place_of_gate
    from research_eval.gate.revision import is_of_revision
    from research_eval.journal import RunFolder
    from research_eval.journal.piece import pieces_of

    expected = _expected(expect, is_update=expect_update)
    if scheduler and (is_of_revision(base) or is_of_revision(head)):
        raise UsageError("--scheduler: a gate of another revision is asked by one process alone")
    with ExitStack() as stack:
        old = None if base == RECORDED else stack.enter_context(open_gate(base))
        new = stack.enter_context(open_gate(head))
        if old is not None:
            note_same_code(base, old, head, new)
        flips = Flips(expected, keeps_cases=junit is not None, as_json=as_json, by=group_by)
        stack.enter_context(flips)
        spread = stack.enter_context(workers(scheduler))
        work: Callable[[Piece], list[Judgement]] = partial(judge_piece, base=old, head=new)
        if scheduler:
            work = partial(judge_chunk, base=base, head=head)
        for judgements in spread(work, pieces_of(RunFolder(run))):
            flips.add(judgements)
        if expect_update and expect is not None:
            flips.update(expect)
        return flips.finish(junit, markdown, place_of_gate(new))


def note_same_code(base: str, old: "Gate", head: str, new: "Gate") -> None:
    """Say where both sides are the same code, so that nothing can flip."""
    from research_eval.gate.opened import code_of_gate

    ours, theirs = code_of_gate(base, old), code_of_gate(head, new)
    if ours is not None and ours == theirs:
        click.echo(
            f"research-eval: note: base {base} and head {head} are the same code ({ours[:16]})",
            err=True,
        )


def _expected(path: Path | None, *, is_update: bool) -> "Expectations":
    from research_eval.gate.expect import Expectations

    if path is None:
        if is_update:
            raise UsageError("--expect-update: name the file with --expect")
        return Expectations()
    if is_update and not path.exists():
        return Expectations("", str(path))
    return Expectations(read_text(str(path)), str(path))


class Flips:
    """Prints flips as they come, counts, and keeps what the JUnit report is made of on the disk."""

    def __init__(
        self,
        expected: "Expectations",
        *,
        keeps_cases: bool,
        as_json: bool,
        by: "Grouping | None" = None,
    ) -> None:
        """Start at nothing.

        Args:
            expected: Flips that are wanted.
            keeps_cases: Whether a JUnit report will be asked for.
            as_json: Whether to print JSON.
            by: What to put flips together by; `None` prints each.
        """
        from research_eval.gate.flip_group import FlipGroups

        self._by = by
        self._groups = FlipGroups(by or "reason")
        self._expected = expected
        self._as_json = as_json
        self._cases = TemporaryFile() if keeps_cases else None  # noqa: SIM115  # closed on exit
        self._attempts = self._turned = 0
        self._surprises: list[Flip] = []
        self._seen: tuple[set[str], set[str]] = (set(), set())
        self._failures = 0
        self._is_updated = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._cases is not None:
            self._cases.close()

    def add(self, judgements: "list[Judgement]") -> None:
        """Take note of the attempts of one piece of the journal."""
        from research_eval.gate.compare import junit_case

        self._attempts += len(judgements)
        self._seen[0].update(one.key.case_id for one in judgements)
        self._seen[1].update(one.key.configuration for one in judgements)
        flips = [judgement.flip for judgement in judgements if judgement.flip is not None]
        wanted = {id(flip): self._expected.covers(flip) for flip in flips}
        turned = [flip for flip in flips if flip.change != "other_violations"]
        self._turned += len(turned)
        self._surprises += [flip for flip in turned if not wanted[id(flip)]]
        for flip in flips:
            self._groups.add(flip, is_expected=wanted[id(flip)])
        if flips and self._by is None:
            print_text("\n".join(self._line(flip, wanted[id(flip)]) for flip in flips))
        if self._cases is not None:
            cases = [junit_case(one, self._expected) for one in judgements]
            self._failures += sum(b"<failure" in case for case in cases)
            self._cases.writelines(cases)

    def _line(self, flip: "Flip", is_expected: bool) -> str:
        if self._as_json:
            data = {**flip.model_dump(mode="json"), "expected": is_expected}
            return json.dumps(data, ensure_ascii=False)
        return "\n  ".join([f"{flip.place}\t{flip.reason}", *flip.details])

    def update(self, path: Path) -> None:
        """Rewrite the file of wanted flips by those that came.

        Raises:
            UsageError: If it cannot be written.
        """
        from research_eval.journal import write_whole

        text = self._expected.updated(self._surprises)
        gone, new = len(self._expected.stale), len(self._surprises)
        try:
            write_whole(path, text.encode("utf-8", "replace"))
        except OSError as exc:
            raise UsageError(f"{path}: cannot be written: {exc.strerror}") from exc
        click.echo(f"{path}: {new} lines added, {gone} removed", err=True)
        self._surprises, self._is_updated = [], True

    def finish(self, junit: Path | None, markdown: Path | None, place: "GatePlace | None") -> int:
        """Write what is asked for, print the sums, return the exit status.

        Raises:
            UsageError: If a line of the file of wanted flips names none.
        """
        from research_eval.cli.closing import close
        from research_eval.cli.github import annotate, tell

        self._write_junit(junit)
        remarks = _remarks(self._surprises, place)
        annotate(remarks)
        tell(self._markdown(), markdown)
        sums = (
            f"{self._attempts} attempts, {self._turned} flips, {len(self._surprises)} not expected"
        )
        self._print_groups(sums)
        if not self._is_updated:
            self._expected.refuse_stale(*self._seen)
        return close(1 if self._surprises else 0 if self._attempts else 3, sums)

    def _print_groups(self, sums: str) -> None:
        groups = self._groups.groups()
        if self._as_json:
            if self._by is not None and groups:
                print_text("\n".join(one.model_dump_json() for one in groups))
            return
        for one in groups:
            print_text("\n  ".join(self._group_lines(one)))
        print_text(sums)

    def _group_lines(self, one: "FlipGroup") -> list[str]:
        from research_eval.schema.display import one_line

        wanted = f", {one.expected} expected" if one.expected else ""
        lines = [f"{one.change}: {one.flips} by {one_line(one.group)}{wanted}"]
        if self._by is None:
            return lines
        for flip in one.examples:
            lines += [flip.place, *(f"  {detail}" for detail in flip.details)]
        left = one.flips - len(one.examples)
        return [*lines, f"and {left} more"] if left else lines

    def _write_junit(self, junit: Path | None) -> None:
        from research_eval.gate.compare import junit_lines
        from research_eval.journal import write_whole

        if junit is None or self._cases is None:
            return
        self._cases.seek(0)
        try:
            write_whole(junit, junit_lines(self._cases, self._attempts, self._failures))
        except OSError as exc:
            raise UsageError(f"{junit}: cannot be written: {exc.strerror}") from exc

    def _markdown(self) -> str:
        from research_eval.cli.github import markdown_table

        word = "unexpected flips" if self._surprises else "no unexpected flip"
        count = f"{len(self._surprises)} " if self._surprises else ""
        text = (
            f"### Citation gate: {count}{word}\n\n{self._attempts} attempts were judged by both gates;"
            f" {self._turned} verdicts flipped, {len(self._surprises)} of them unexpected.\n"
        )
        if not self._surprises:
            return text
        rows = [
            (f"{one.case_id} {one.configuration} #{one.trial}.{one.attempt}", one.change, why)
            for one in self._surprises[:MOST_TOLD]
            for why in ["; ".join(one.details) or one.reason]
        ]
        left = len(self._surprises) - MOST_TOLD
        more = f"\n{left} more in the command's output.\n" if left > 0 else ""
        return f"{text}\n{markdown_table(('attempt', 'change', 'why'), rows)}{more}"


def _remarks(flips: "list[Flip]", place: "GatePlace | None") -> "list[Annotation]":
    from research_eval.cli.github import Annotation

    return [
        Annotation(
            title=f"{one.change}: {one.case_id} {one.configuration}",
            message="\n".join([one.reason, *one.details]),
            file=place.file if place else None,
            line=place.line if place else None,
        )
        for one in flips
    ]
