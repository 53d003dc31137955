"""Compare two gates on a finished run: its trial records in, the attempts judged differently out.

Each attempt is judged against the ledger as it stood then, rebuilt from the transcript alone.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from xml.etree import ElementTree as ET

from research_eval.errors import ConfigError
from research_eval.gate.expect import Expectations
from research_eval.gate.flip import Flip, flip_of
from research_eval.gate.load import load_gate
from research_eval.gate.protocol import Gate
from research_eval.gate.source import register_given
from research_eval.journal.piece import Piece, seldom_collecting
from research_eval.journal.stored import StoredHit, StoredPage, StoredTrial, read_piece
from research_eval.ledger import SourceRegistry
from research_eval.schema import TrialKey

__all__ = [
    "RECORDED",
    "Judgement",
    "judge_chunk",
    "judge_piece",
    "judge_stored",
    "junit_case",
    "junit_lines",
]

_UNPRINTABLE = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

RECORDED = "recorded"
"""In place of a gate's name: the verdicts that stand in the journal."""


class Judgement(NamedTuple):
    """One attempt, judged by both gates."""

    key: TrialKey
    attempt: int
    flip: Flip | None


def judge_stored(trial: StoredTrial, base: Gate | None, head: Gate) -> Iterator[Judgement]:
    """Yield every attempt of `trial`, judged by both gates; without a base, by its recorded verdict.

    Raises:
        ConfigError: If a gate of the user's own fails.
    """
    ledger = SourceRegistry()
    register_given(trial.question, ledger)
    for step in trial.steps:
        if isinstance(step, StoredHit):
            ledger.add_hit(step)
        elif isinstance(step, StoredPage):
            ledger.add_page(step, None)
        else:
            try:
                before = base.check(step.text, ledger) if base else step.recorded()
                after = head.check(step.text, ledger)
            except ConfigError as exc:
                where = f"{trial.key.configuration}, trial {trial.key.trial}"
                raise ConfigError(
                    f"{exc} ({trial.key.case_id}, {where}, attempt {step.attempt})"
                ) from exc
            flip = flip_of(trial.key, step.attempt, step.text, before, after)
            yield Judgement(trial.key, step.attempt, flip)


def judge_chunk(chunk: Piece, base: str, head: str) -> list[Judgement]:
    """Judge a piece of a run's journal by the gates of these names; any process can do it.

    Raises:
        RecordError: If a line is not a trial record.
        ConfigError: If there is no such gate.
    """
    return judge_piece(chunk, None if base == RECORDED else load_gate(base), load_gate(head))


def judge_piece(chunk: Piece, base: Gate | None, head: Gate) -> list[Judgement]:
    """Judge a piece of a run's journal by two gates; without a base, by its recorded verdicts.

    Raises:
        RecordError: If a line is not a trial record.
        ConfigError: If a gate fails.
    """
    with seldom_collecting():
        trials = list(read_piece(chunk))  # first all of one kind of work, then all of the other
        return [one for trial in trials for one in judge_stored(trial, base, head)]


def junit_lines(cases: Iterable[bytes], tests: int, failures: int) -> Iterator[bytes]:
    """Yield JUnit XML piece by piece around the tests of `junit_case`."""
    yield b'<?xml version="1.0" encoding="utf-8"?>\n<testsuite name="gate compare"'
    yield f' tests="{tests}" failures="{failures}" errors="0" skipped="0">'.encode()
    yield from cases
    yield b"</testsuite>"


def junit_case(judgement: Judgement, expected: Expectations) -> bytes:
    """Return one attempt as a test, on one line; an unexpected flip is a failure."""
    key, flip = judgement.key, judgement.flip
    name = f"{key.case_id} trial {key.trial} attempt {judgement.attempt}"
    case = ET.Element("testcase", classname=key.configuration, name=name)
    if flip is not None and flip.change != "other_violations":
        if expected.covers(flip):
            ET.SubElement(case, "system-out").text = f"expected: {flip.change}"
        else:
            message = _UNPRINTABLE.sub("\ufffd", f"{flip.change}: {flip.reason}")
            found = ET.SubElement(case, "failure", type=flip.change, message=message)
            found.text = _UNPRINTABLE.sub("\ufffd", "\n".join(flip.details)) or None
    text: bytes = ET.tostring(case, "utf-8")
    return text + b"\n"
