"""CPU of scoring stored trials, as a ratio to parsing the same journal with the json module.

    python benchmarks/score.py                 10 000 made-up trials
    python benchmarks/score.py --run FOLDER    the trials of a run instead, repeated to that number
    python benchmarks/score.py --journal 1000000 [--scheduler local]
                                               the command over a stored run of so many trials

Prints CPU a trial of reading alone, of the default scorers and of all scorers, and peak memory.
Exits 1 if reading and default scoring take more than 5 times the CPU of json.
With --journal, `research-eval score` runs as a process of its own by the default scorers, over trials
of --cases cases and four configurations; prints trials a second and peak memory, with --scheduler those
on a cluster as well. Exits 1 if a process takes 500 MB, or the cluster's scores differ by a byte.
"""

import argparse
import hashlib
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from itertools import cycle, islice
from pathlib import Path

from spent import spent

from research_eval.analysis.store import scores_path
from research_eval.analysis.table import Row, Table
from research_eval.gate import CitationGate
from research_eval.journal import RunFolder
from research_eval.ledger import SourceRegistry
from research_eval.schema import (
    AnswerChecked,
    ConfigurationSummary,
    Fetched,
    ModelCalled,
    PromptRendered,
    ProviderTry,
    RunRecord,
    Searched,
    SearchHit,
    ToolCall,
    ToolCalled,
    TrialRecord,
    Usage,
)
from research_eval.scorer import BUILT_IN, DEFAULT_SCORERS, Scorer, score_trial

LIMIT = 5.0
MOST_MB = 500.0
VARIETY = 2000
"""Different trials; a larger journal repeats them under other keys."""
CONFIGURATIONS = ("north", "east", "south", "west")
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
    table = Table(by_case=True)
    start = time.process_time()
    for trial in folder.trials():
        if scorers:
            row = Row(trial.configuration, trial.case_id, trial.trial)
            table.add(row, score_trial(None, trial, lambda _sha256: TEXT, scorers))
    return time.process_time() - start


def write_run(folder: RunFolder, trials: int, cases: int) -> None:
    """Write a run of so many trials, case by case as a plan has them."""
    each = -(-trials // (cases * len(CONFIGURATIONS)))
    tails = [
        made_up(number).model_dump_json(exclude_none=True).partition('"question":')[2]
        for number in range(VARIETY)
    ]
    keys = (
        (f"case-{case}", name, trial)
        for case in range(cases)
        for trial in range(1, each + 1)
        for name in CONFIGURATIONS
    )
    with folder.trials_path.open("w", encoding="utf-8") as file:
        for (case_id, name, trial), tail in zip(islice(keys, trials), cycle(tails), strict=False):
            file.write(
                f'{{"schema_version":1,"case_id":"{case_id}","configuration":"{name}",'
                f'"trial":{trial},"question":{tail}\n'
            )
    configurations = tuple(
        ConfigurationSummary(
            name=name, model="reference:made-up", is_reference_agent=True, gate="default@1",
            max_retries=2, max_turns=16, search="serper", tools=("fetch",), settings={},
        )
        for name in CONFIGURATIONS
    )  # fmt: skip
    manifest = RunRecord(
        experiment="toll", experiment_sha256="0" * 64, dataset="toll", dataset_sha256="1" * 64,
        dataset_is_synthetic=True, cassettes_sha256=None, code_version="1", packages={},
        model_mode="replay", web_mode="replay", seed=1, trials=each,
        case_ids=tuple(f"case-{case}" for case in range(cases)), configurations=configurations,
    )  # fmt: skip
    (folder.path / "manifest.json").write_text(manifest.model_dump_json(), "utf-8")


def score_journal(folder: RunFolder, trials: int, scheduler: str | None) -> bool:
    """Score by the command, here and on a cluster, and print; return whether all holds."""
    names = [name for name, scorer in BUILT_IN.items() if scorer in DEFAULT_SCORERS]
    words = ["score", folder.path, "--json", *(w for name in names for w in ("--scorer", name))]
    places = ([], ["--scheduler", scheduler]) if scheduler else ([],)
    digests, holds = set(), True
    for place in places:
        used = spent(*words, *place)
        with scores_path(folder).open("rb") as file:
            digests.add(hashlib.file_digest(file, "sha256").hexdigest())
        scores_path(folder).unlink()
        holds = holds and used.mb < MOST_MB
        print(
            f"  {' '.join(['score', *place])}: {used.wall_s:.0f} s, {trials / used.wall_s:,.0f} trials"
            f" a second, {used.cpu_s:.0f} s CPU; peak {used.mb:.0f} MB (limit {MOST_MB:.0f} MB)",
            flush=True,
        )
    if scheduler:
        print(f"  the same bytes: {'yes' if len(digests) == 1 else 'NO'}")
    return holds and len(digests) == 1


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--run", type=Path)
    parser.add_argument("--journal", type=int, help="score a stored run of so many trials instead")
    parser.add_argument("--cases", type=int, default=10_000, help="of the run of --journal")
    parser.add_argument("--scheduler", help="score the run of --journal on this cluster as well")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        folder = RunFolder(Path(place))
        if options.journal:
            write_run(folder, options.journal, options.cases)
            size = folder.trials_path.stat().st_size / 1e6
            print(f"{options.journal:,} trials of {options.cases:,} cases; journal {size:,.0f} MB")
            return 0 if score_journal(folder, options.journal, options.scheduler) else 1
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
