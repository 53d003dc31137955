"""CPU of scoring stored trials, as a ratio to parsing the same journal with the json module.

    python benchmarks/score.py                 10 000 made-up trials
    python benchmarks/score.py --run FOLDER    the trials of a run instead, repeated to that number

Prints CPU a trial of reading alone, of the default scorers and of all scorers, and peak memory.
Exits 1 if reading and default scoring take more than 5 times the CPU of json.
"""

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from itertools import cycle, islice
from pathlib import Path

from research_eval.gate import CitationGate
from research_eval.journal import RunFolder
from research_eval.ledger import SourceRegistry
from research_eval.schema import (
    AnswerChecked,
    Fetched,
    ModelCalled,
    PromptRendered,
    ProviderTry,
    Searched,
    SearchHit,
    ToolCall,
    ToolCalled,
    TrialRecord,
    Usage,
)
from research_eval.scorer import BUILT_IN, DEFAULT_SCORERS, Scorer, Tally, score_trial

LIMIT = 5.0
CHUNK = 100
TEXT = "The toll at Morvane bridge is 4.50 crowns for a car since 1996. " * 40


def made_up(number: int) -> TrialRecord:
    """Return a trial as the bundled agents make them: a search, two pages, one or two answers."""
    site = f"https://site-{number % 97}.example"
    ledger, gate, events = SourceRegistry(), CitationGate(), []
    hits = tuple(
        SearchHit(url=f"{site}/page/{i}", title=f"Page {i}", snippet=TEXT[:160], rank=i)
        for i in range(1, 6)
    )
    events.append(PromptRendered(system_prompt=TEXT[:1500], tools=("web_search", "fetch")))
    for turn, tool in enumerate(("web_search", "fetch", "fetch"), start=1):
        call = ToolCall(id=f"c{turn}", name=tool, arguments='{"query": "toll of the bridge"}')
        events.append(_turn(turn, 1, "", (call,)))
        if tool == "web_search":
            for hit in hits:
                ledger.add_hit(hit)
            served = ProviderTry(provider="serper", outcome="served", requests=1)
            events.append(
                Searched(
                    query="toll", max_results=5, served_by="serper", hits=hits, tries=(served,)
                )
            )
        else:
            page = Fetched(
                url=f"{site}/page/{turn}",
                final_url=f"{site}/page/{turn}",
                status=200,
                ok=True,
                title="A page",
                content_sha256=f"{number % 97:064d}",
                content_chars=len(TEXT),
            )
            ledger.add_page(page, None)
            events.append(page)
        events.append(
            ToolCalled(
                turn=turn, tool_call_id=call.id, tool=tool, arguments=call.arguments, ok=True
            )
        )
    answers = [f"The toll is 4.50 crowns ({site}/page/2). It rose in 1996 ({site}/page/3)."]
    if number % 3 == 0:
        answers.insert(0, f"The toll is 4.50 crowns ({site}/page/5) and {site}/made-up.")
    for attempt, text in enumerate(answers, start=1):
        events.append(_turn(3 + attempt, attempt, text, ()))
        verdict = gate.check(text, ledger)
        words = None if verdict.passed else gate.corrective(verdict)
        events.append(
            AnswerChecked(attempt=attempt, answer=text, verdict=verdict, corrective=words)
        )
    return TrialRecord(
        case_id=f"case-{number % 48}",
        configuration="made-up",
        trial=1 + number // 48,
        question="What is the toll at Morvane bridge?",
        status="completed",
        answer=answers[-1],
        usage=Usage(requests=4, input_tokens=4000, output_tokens=300),
        sources=ledger.records(),
        transcript=tuple(events),
    )


def _turn(turn: int, attempt: int, text: str, calls: tuple[ToolCall, ...]) -> ModelCalled:
    return ModelCalled(
        turn=turn,
        attempt=attempt,
        text=text,
        tool_calls=calls,
        finish_reason="tool_calls" if calls else "stop",
        usage=Usage(requests=1, input_tokens=1000, output_tokens=75),
        model="reference:made-up",
    )


def side_by_side(folder: RunFolder, scorers: Iterable[Scorer] | None) -> tuple[float, float]:
    """Return CPU seconds of json and of the work, chunk by chunk in turns, the best of three goes.

    A busy machine hits both. Without `scorers` the records are read and thrown away.
    """
    chosen, best = tuple(scorers or ()), [0.0, 0.0]
    chunk_folder = RunFolder(folder.path / "chunk")
    chunk_folder.path.mkdir(exist_ok=True)
    with folder.trials_path.open("rb") as lines:
        while chunk := list(islice(lines, CHUNK)):
            chunk_folder.trials_path.write_bytes(b"".join(chunk))
            goes = [(_json(chunk_folder), _records(chunk_folder, chosen)) for _ in range(3)]
            best[0] += min(go[0] for go in goes)
            best[1] += min(go[1] for go in goes)
    return best[0], best[1]


def _json(folder: RunFolder) -> float:
    start = time.process_time()
    with folder.trials_path.open("rb") as lines:
        for line in lines:
            json.loads(line)
    return time.process_time() - start


def _records(folder: RunFolder, scorers: tuple[Scorer, ...]) -> float:
    tally = Tally(1)
    start = time.process_time()
    for trial in folder.trials():
        if scorers:
            tally.add(trial.case_id, score_trial(None, trial, lambda _sha256: TEXT, scorers))
    return time.process_time() - start


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--run", type=Path)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        folder = RunFolder(Path(place))
        trials: Iterable[TrialRecord] = map(made_up, range(options.trials))
        if options.run:
            stored = list(RunFolder(options.run).trials())
            trials = islice(cycle(stored), options.trials)
        with folder.trials_path.open("w", encoding="utf-8") as out:
            out.writelines(t.model_dump_json(exclude_none=True) + "\n" for t in trials)
        size = folder.trials_path.stat().st_size
        print(f"{options.trials} trials, {size / options.trials / 1000:.1f} kB each")
        ratios = {}
        for name, scorers in (
            ("reading records", None),
            ("default scorers", DEFAULT_SCORERS),
            ("all scorers", tuple(BUILT_IN.values())),
        ):
            base, seconds = side_by_side(folder, scorers)
            ratios[name] = seconds / base
            print(
                f"  {name:16} {seconds / options.trials * 1e6:7.1f} us a trial,"
                f" {ratios[name]:5.2f} times json"
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MB")
    return 0 if ratios["default scorers"] <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
