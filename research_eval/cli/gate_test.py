"""`research-eval gate test`: a file of answers with the verdicts that should come, judged by a gate."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from research_eval.cli.gate_compare import note_same_code
from research_eval.cli.lines import print_text, read_text
from research_eval.errors import UsageError

if TYPE_CHECKING:
    from research_eval.gate import Gate
    from research_eval.gate.flip import Flip
    from research_eval.gate.labelled import Labelled
    from research_eval.schema import Verdict

__all__ = ["test"]


class Tested(NamedTuple):
    """One answer, judged."""

    answer: "Labelled"
    verdict: "Verdict"
    is_right: bool | None
    """Whether the verdict is the expected one; `None` where the file does not say."""
    flip: "Flip | None" = None
    """How the base judges otherwise."""

    @property
    def is_wrong(self) -> bool:
        """Whether the test fails: another verdict than expected, or than the base's if none is."""
        return self.is_right is False or (self.is_right is None and self.flip is not None)


@click.command()
@click.argument("answers")
@click.option(
    "--gate",
    "gate_name",
    default="default",
    show_default=True,
    metavar="GATE",
    help="The gate: a name, name@version, or package.module:name.",
)
@click.option(
    "--base",
    metavar="GATE",
    help="Compare with this gate too: a name, package.module:name, or git:REV:package.module:Name.",
)
@click.option(
    "--update", is_flag=True, help="Write the verdicts into ANSWERS as the expected ones."
)
@click.option("--junit", type=click.Path(path_type=Path), help="Where to write JUnit XML.")
@click.option("--markdown", type=click.Path(path_type=Path), help="Where to write a summary.")
def test(
    answers: str,
    gate_name: str,
    base: str | None,
    update: bool,
    junit: Path | None,
    markdown: Path | None,
) -> int:
    """Judge the answers in ANSWERS and compare the verdicts with the expected ones.

    ANSWERS is a file of JSON Lines {"id", "text", "fetched": [URL…], "searched": [URL…], "expected"},
    as gate check --batch reads them, or CSV with these columns. "expected" is "pass" or a list of violations, each a kind, or a kind and
    a URL. With --base a flip of an answer without "expected" is a difference too.

    Exits 1 on a difference.
    """
    from research_eval.gate.labelled import read_labelled
    from research_eval.gate.opened import open_gate, place_of_gate

    content = read_text(answers)
    labelled = read_labelled(content, answers)
    unlabelled = next((one for one in labelled if one.expected is None), None)
    if unlabelled is not None and base is None and not update:
        raise UsageError(
            f"{answers}:{unlabelled.line}: expected: is missing; --update writes what the gate says"
        )
    with ExitStack() as stack:
        new = stack.enter_context(open_gate(gate_name))
        old = None if base is None else stack.enter_context(open_gate(base))
        if base is not None and old is not None:
            note_same_code(base, old, gate_name, new)
        tested = [_tested(one, new, old, answers) for one in labelled]
        place = place_of_gate(new)
    _print(tested, answers)
    if update:
        return _update(answers, content, tested)
    if junit is not None:
        _write_junit(junit, tested, gate_name)
    return _finish(tested, answers, markdown, f"gate at {place.file}:{place.line}" if place else "")


def _tested(one: "Labelled", gate: "Gate", base: "Gate | None", name: str) -> Tested:
    from research_eval.gate.flip import flip_of
    from research_eval.gate.labelled import is_as_expected
    from research_eval.schema import TrialKey

    ledger = one.ledger()
    try:
        verdict = gate.check(one.text, ledger)
        before = base.check(one.text, ledger) if base else None
    except UsageError as exc:
        raise UsageError(f"{exc} ({name}:{one.line})") from exc
    is_right = None if one.expected is None else is_as_expected(verdict, one.expected)
    key = TrialKey(one.id, "", 0)
    flip = flip_of(key, 1, one.text, before, verdict) if before else None
    return Tested(one, verdict, is_right, flip)


def _print(tested: list[Tested], name: str) -> None:
    """Print a table of what is not as expected, each with the reason."""
    for one in tested:
        if one.flip is not None:
            print_text(f"flip  {one.answer.id}: {one.flip.change}: {one.flip.reason}")
        if one.is_right is False:
            expected, found = _words(one)
            print_text(f"FAILED  {one.answer.id}  expected {expected}  found {found}")
            print_text(f"  at {name}:{one.answer.line}")
        if one.is_wrong:
            for line in _reasons(one):
                print_text(f"  {line}")


def _words(one: Tested) -> tuple[str, str]:
    from research_eval.gate.labelled import label_of, label_words
    from research_eval.schema.display import one_line

    expected = label_words(one.answer.expected) if one.answer.expected is not None else "?"
    found = label_words(label_of(one.verdict, with_urls=True))
    return one_line(expected), one_line(found)


def _reasons(one: Tested) -> list[str]:
    from research_eval.gate.flip import why

    if one.verdict.passed and one.flip is not None:
        return list(one.flip.details)
    return [why(violation, one.answer.text) for violation in one.verdict.violations]


def _update(name: str, content: str, tested: list[Tested]) -> int:
    from research_eval.cli.closing import close
    from research_eval.gate.labelled import label_of, relabelled
    from research_eval.journal import write_whole

    if name == "-":
        raise UsageError("--update: standard input cannot be written to; name a file")
    wrong = [one for one in tested if one.is_right is not True]
    labels = {
        one.answer.id: label_of(one.verdict, with_urls=_has_urls(one.answer)) for one in wrong
    }
    if labels:
        try:
            write_whole(Path(name), relabelled(content, name, labels).encode("utf-8", "replace"))
        except OSError as exc:
            raise UsageError(f"{name}: cannot be written: {exc.strerror}") from exc
    return close(0, f"{len(labels)} of {len(tested)} expected verdicts were written to {name}")


def _has_urls(answer: "Labelled") -> bool:
    """Return whether the file names URLs, as a new label does unless the old one named kinds alone."""
    return not answer.expected or any(" " in item for item in answer.expected)


def _write_junit(path: Path, tested: list[Tested], gate: str) -> None:
    from research_eval.journal import write_whole
    from research_eval.report.junit import answers_junit

    rows = []
    for one in tested:
        expected, found = _words(one)
        message = f"expected {expected}, found {found}"
        if one.is_right is None and one.flip is not None:
            message = f"{one.flip.change}: {one.flip.reason}"
        rows.append((one.answer.id, message if one.is_wrong else None, "\n".join(_reasons(one))))
    try:
        write_whole(path, answers_junit(f"gate test {gate}", rows))
    except OSError as exc:
        raise UsageError(f"{path}: cannot be written: {exc.strerror}") from exc


def _finish(tested: list[Tested], name: str, markdown: Path | None, gate: str) -> int:
    from research_eval.cli.closing import close
    from research_eval.cli.github import Annotation, annotate, markdown_table, tell

    wrong = [one for one in tested if one.is_wrong]
    flips = sum(one.flip is not None for one in tested)
    sums = f"{len(tested)} answers, {len(wrong)} not as expected"
    if any(one.flip is not None for one in tested):
        sums += f", {flips} flips"
    rows = [(one.answer.id, *_words(one), "; ".join(_reasons(one))) for one in wrong]
    table = markdown_table(("answer", "expected", "found", "why"), rows) if rows else ""
    tell(f"### Citation gate: {sums}\n\n{table}", markdown)
    annotate(
        [
            Annotation(
                title=f"gate test: {one.answer.id}",
                message="\n".join(
                    ["expected {}, found {}".format(*_words(one)), *_reasons(one), gate]
                ).rstrip(),
                file=name,
                line=one.answer.line,
            )
            for one in wrong
        ]
    )
    print_text(sums)
    return close(1 if wrong else 0, sums)
