"""Re-judging stored answers: speed beside the bare gate's, and memory, by the commands that users call.

Writes a run of made-up trials (a search with five hits, two pages, one answer of about 900 characters
with four citations; one in five cites a page that nobody opened) and a file for `gate check --batch`.
The bare gate judges the same answers, which were read into memory before, each with a ledger of its own
that is built from hits and pages: no file, no JSON, no output. Speeds are compared by processor time, in
one process, piece by piece in turns, so that a busy machine hits both; memory is that of the command as
a process of its own over all answers.
Ends with exit status 1 if a command is slower than 80 % of the bare gate or takes 500 MB.
Run: python benchmarks/rejudge.py [--answers 100000] [--scheduler local]
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

from score import made_up
from spent import spent

from research_eval.cli.gate import gate
from research_eval.gate import CitationGate, Gate, SeedGate
from research_eval.journal import RunFolder
from research_eval.journal.piece import pieces_of
from research_eval.journal.stored import (
    Answer,
    StoredHit,
    StoredPage,
    StoredTrial,
    read_piece,
    told_by,
)
from research_eval.ledger import SourceRegistry
from research_eval.schema import AnswerChecked, TrialRecord, Verdict

LEAST_SPEED = 0.8
MOST_MB = 500.0
PIECE = 1000
PIECES = 6
"""Answers on which speeds are compared, piece by piece."""
ROUNDS = 5
VARIETY = 2000
"""Different trials; a larger run repeats them under other numbers."""
COMMAND = [sys.executable, "-m", "research_eval", "gate"]
WORDS = (
    "The toll at the bridge of Morvane is 4.50 crowns for a car since 1996, and the ferry beside it"
    " still runs in summer. "
)


def answer_of(site: str, number: int) -> str:
    wrong = f"{site}/archive/{number}" if number % 5 == 0 else f"{site}/page/2"
    parts = (
        f"**Short answer:** 4.50 crowns ([toll office]({site}/page/2)).\n\n{WORDS}{WORDS}",
        f"- *Cars:* {WORDS}({site}/page/3)\n- *Lorries:* {WORDS}[[2]]({wrong})\n",
        f"\n{WORDS}{WORDS}See {site}/page/3 for the years before.\n",
    )
    return "\n".join(parts)


def trial(number: int) -> TrialRecord:
    """Return a made-up trial with one answer that is as long as real ones are."""
    record = made_up(3 * number + 1)
    answer = answer_of(f"https://site-{(3 * number + 1) % 97}.example", number)
    checked = AnswerChecked(attempt=1, answer=answer, verdict=Verdict(gate="default@1"))
    events = (*record.transcript[:-1], checked)
    return record.model_copy(update={"transcript": events, "answer": answer})


def write_run(folder: Path, answers: int) -> list[TrialRecord]:
    """Write a journal of so many answers; return the trials that it repeats."""
    trials = [trial(number) for number in range(min(answers, VARIETY))]
    lines = [one.model_dump_json(exclude_none=True) for one in trials]
    with (folder / "trials.jsonl").open("w", encoding="utf-8") as file:
        for number, line in enumerate(islice(cycle(lines), answers)):
            head, _, tail = line.partition('"trial":')
            file.write(f'{head}"trial":{number},{tail.partition(",")[2]}\n')
    return trials


def write_batch(path: Path, trials: Sequence[TrialRecord], answers: int) -> None:
    """Write the same answers for `gate check --batch`."""
    lines = []
    for told in map(told_by, trials):
        fetched, searched = _urls(told)
        text = next(step.text for step in told.steps if isinstance(step, Answer))
        lines.append(json.dumps({"text": text, "fetched": fetched, "searched": searched})[1:])
    with path.open("w", encoding="utf-8") as file:
        for number, line in enumerate(islice(cycle(lines), answers)):
            file.write(f'{{"id": {number}, {line}\n')


def _urls(told: StoredTrial) -> tuple[list[str], list[str]]:
    return (
        [step.url for step in told.steps if isinstance(step, StoredPage)],
        [step.url for step in told.steps if isinstance(step, StoredHit)],
    )


def bare_compare(folder: Path) -> float:
    """Return CPU seconds of two gates, on ledgers built from what was read before."""
    told = [one for chunk in pieces_of(RunFolder(folder)) for one in read_piece(chunk)]
    gates = SeedGate(), CitationGate()
    began = time.process_time()
    for one in told:
        ledger = SourceRegistry()
        for step in one.steps:
            if isinstance(step, StoredHit):
                ledger.add_hit(step)
            elif isinstance(step, StoredPage):
                ledger.add_page(step, None)
            else:
                _judge(gates, step.text, ledger)
    return time.process_time() - began


def _judge(gates: Sequence[Gate], text: str, ledger: SourceRegistry) -> None:
    for one in gates:
        one.check(text, ledger)


def bare_check(path: Path) -> float:
    """Return CPU seconds of one gate, on ledgers built from lists of URLs."""
    judge = CitationGate()
    with path.open("rb") as file:
        every = [json.loads(line) for line in file]
    began = time.process_time()
    for one in every:
        judge.check(one["text"], SourceRegistry.from_urls(one["fetched"], one["searched"]))
    return time.process_time() - began


class Job(NamedTuple):
    """A command and the bare gate's part of its work."""

    words: tuple[str, ...]
    bare: Callable[[Path], float]
    file: str
    """What it reads, under the folder of a run."""

    def command(self, folder: Path) -> float:
        """Return CPU seconds of the command in this process, with its output thrown away."""
        began = time.process_time()
        with suppress(SystemExit):
            gate.main([*self.words, str(folder / self.file)], standalone_mode=False)
        return time.process_time() - began


JOBS = (
    Job(("compare",), bare_compare, ""),
    Job(("check", "--batch"), bare_check, "batch.jsonl"),
)


def speed(job: Job, pieces: Sequence[Path]) -> tuple[float, float]:
    """Return CPU seconds of the command and of the bare gate: piece by piece, in turns, best of each."""
    command = bare = 0.0
    for piece in pieces:
        rounds = [(job.command(piece), job.bare(piece / job.file)) for _ in range(ROUNDS)]
        command += min(one for one, _ in rounds)
        bare += min(one for _, one in rounds)
    return command, bare


@contextmanager
def silent() -> Iterator[None]:
    """Send what commands print in this process to nowhere."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(nowhere)
        os.close(kept)


def make(place: Path, answers: int) -> Path:
    place.mkdir()
    write_batch(place / "batch.jsonl", write_run(place, answers), answers)
    return place


def measure(folder: Path, answers: int) -> Iterator[bool]:
    """Measure each command and print; yield whether it holds."""
    pieces = [make(folder / f"piece-{n}", PIECE) for n in range(PIECES)]
    every = make(folder / "all", answers)
    size = (every / "trials.jsonl").stat().st_size / 1e6
    print(f"{answers:,} answers; journal {size:,.0f} MB", flush=True)
    for job in JOBS:
        with silent():
            command, bare = speed(job, pieces)
        whole = spent("gate", *job.words, every / job.file)
        per = 1e6 / (PIECE * PIECES)
        print(
            f"gate {' '.join(job.words):14} {command * per:6.1f} us an answer, bare gate"
            f" {bare * per:6.1f} us: {bare / command:.0%} of its speed (floor {LEAST_SPEED:.0%});"
            f" all {answers:,}: peak {whole.mb:.0f} MB (floor {MOST_MB:.0f} MB), {whole.cpu_s:.0f} s"
            f" CPU, {whole.wall_s:.0f} s",
            flush=True,
        )
        yield bare / command >= LEAST_SPEED and whole.mb < MOST_MB


def on_cluster(folder: Path, scheduler: str) -> None:
    began = time.perf_counter()
    words = [*COMMAND, "compare", str(folder), "--scheduler", scheduler]
    subprocess.run(words, stdout=subprocess.DEVNULL, check=False)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(
        f"on the cluster {scheduler}: {time.perf_counter() - began:.0f} s; largest process {used:.0f} MB"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--scheduler", help="judge the journal on this Dask cluster as well")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        holds = list(measure(Path(name), options.answers))
        if options.scheduler:
            on_cluster(Path(name) / "all", options.scheduler)
    return 0 if all(holds) else 1


if __name__ == "__main__":
    sys.exit(main())
