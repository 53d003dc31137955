"""CPU that the harness itself spends on a trial, beside Inspect AI's on the same work, in one run.

The work: one question, five model calls with an instantaneous model, four calls of two tools with
the same results, one scorer, everything written to disk as each harness writes it. Then the memory
of a thousand trials in flight. Ends with exit status 1 if a floor is missed. Run:
python benchmarks/overhead.py [--trials 200] [--no-inspect]
"""

# ruff: noqa: ARG001, ARG002, PLC0415  # tools that ignore what they are asked; Inspect loads late
import argparse
import asyncio
import json
import logging
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from research_eval.agent import AgentSettings, EventLog, ResearchAgent
from research_eval.clock import SystemClock
from research_eval.dataset import Case
from research_eval.gate import load_gate
from research_eval.journal import JournalWriter, RunFolder
from research_eval.ledger import SourceRegistry
from research_eval.schema import (
    Fetched,
    ModelReply,
    SearchHit,
    ToolCall,
    ToolSpec,
    TrialRecord,
    Usage,
)
from research_eval.scorer import load_scorer, no_pages, score_trial
from research_eval.testing import ScriptedModel
from research_eval.tool.kit import ToolKit
from research_eval.tool.protocol import ToolOutcome

QUESTION = "When did the port of Lenz open?"
URLS = [f"https://port.example/history/{number}" for number in range(5)]
LISTING = "\n\n".join(f"{n}. Port\n   URL: {url}\n   A port." for n, url in enumerate(URLS, 1))
PAGE = "The port of Lenz opened in 1907 after nine years of work. " * 80
ANSWER = f"It opened in 1907 ({URLS[1]})."
CALLS = [("web_search", {"query": QUESTION}), *[("fetch", {"url": url}) for url in URLS[:3]]]
FLOOR_RATIO = 10.0
FLOOR_MB = 500.0


def spec(name: str, parameter: str) -> ToolSpec:
    properties = {parameter: {"type": "string", "description": f"The {parameter}."}}
    return ToolSpec(
        name=name,
        description=f"Call {name}.",
        parameters={"type": "object", "properties": properties, "required": [parameter]},
    )


class Search:
    spec = spec("web_search", "query")

    def __init__(self, ledger: SourceRegistry) -> None:
        self._ledger = ledger

    async def __call__(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        for rank, url in enumerate(URLS, 1):
            self._ledger.add_hit(SearchHit(url=url, title="Port", snippet="A port.", rank=rank))
        return ToolOutcome(text=LISTING)


class Fetch:
    spec = spec("fetch", "url")

    def __init__(self, ledger: SourceRegistry, log: EventLog) -> None:
        self._ledger, self._log = ledger, log

    async def __call__(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        event = Fetched(url=arguments["url"], final_url=arguments["url"], ok=True)
        self._log.emit(event)
        self._ledger.add_page(event, PAGE)
        return ToolOutcome(text=PAGE)


def replies() -> list[ModelReply]:
    used = Usage(requests=1, input_tokens=900, output_tokens=40)
    calls = [
        ModelReply(
            tool_calls=(ToolCall(id=f"c{n}", name=name, arguments=json.dumps(arguments)),),
            finish_reason="tool_calls",
            usage=used,
        )
        for n, (name, arguments) in enumerate(CALLS)
    ]
    return [*calls, ModelReply(text=ANSWER, usage=used)]


REPLIES = replies()


class SlowModel(ScriptedModel):
    """A model that lets every other trial go first, so that all are in flight together."""

    async def reply(self, messages: Any, tools: Any) -> ModelReply:
        await asyncio.sleep(0.5)
        return await super().reply(messages, tools)


async def trial(number: int, journal: JournalWriter, model: Callable[[Any], Any]) -> TrialRecord:
    clock = SystemClock()
    log, ledger = EventLog(clock), SourceRegistry()
    agent = ResearchAgent(
        AgentSettings(),
        model=model(REPLIES),
        kit=ToolKit(fetch=Fetch(ledger, log), search=Search(ledger)),
        ledger=ledger,
        gate=load_gate("default"),
        log=log,
        clock=clock,
    )
    outcome = await agent.run(QUESTION)
    record = TrialRecord(
        case_id="port",
        configuration="overhead",
        trial=number,
        question=QUESTION,
        status=outcome.status,
        answer=outcome.answer,
        references=outcome.references,
        usage=outcome.usage,
        sources=ledger.records(),
        transcript=outcome.transcript,
    )
    score_trial(CASE, record, no_pages, [SCORER])
    journal.add(record, ledger.texts(), {})
    return record


CASE = Case.model_validate(
    {"id": "port", "question": QUESTION, "expected": [{"value": "1907"}], "sources": [URLS[1]]}
)
SCORER = load_scorer("correctness")


def ours(trials: int) -> float:
    """Return CPU milliseconds a trial."""

    async def run(journal: JournalWriter) -> None:
        for number in range(trials):
            assert (await trial(number, journal, ScriptedModel)).status == "completed"

    with tempfile.TemporaryDirectory() as folder:
        journal = JournalWriter(RunFolder(Path(folder)))
        began = time.process_time()
        asyncio.run(run(journal))
        journal.close()
        return (time.process_time() - began) / trials * 1000


def inspects(trials: int) -> float:
    """Return the same of Inspect AI with its mock model."""
    from inspect_ai import Task, eval as run_task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate, use_tools
    from inspect_ai.tool import tool

    @tool
    def web_search() -> Any:
        async def execute(query: str) -> str:
            """Call web_search.

            Args:
                query: The query.
            """
            return LISTING

        return execute

    @tool
    def fetch() -> Any:
        async def execute(url: str) -> str:
            """Call fetch.

            Args:
                url: The url.
            """
            return PAGE

        return execute

    outputs = []
    for _ in range(trials):
        outputs += [ModelOutput.for_tool_call("mockllm/model", name, args) for name, args in CALLS]
        outputs.append(ModelOutput.from_content("mockllm/model", ANSWER))
    for output in outputs:  # else Inspect counts the tokens itself, with a table from the network
        output.usage = ModelUsage(input_tokens=900, output_tokens=40, total_tokens=940)
    samples = [Sample(input=QUESTION, target="1907") for _ in range(trials)]
    solver = [use_tools(web_search(), fetch()), generate()]
    task = Task(dataset=samples, solver=solver, scorer=includes())
    model = get_model("mockllm/model", custom_outputs=outputs)
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        (log,) = run_task(task, model=model, display="none", log_dir=folder, log_realtime=False)
        spent = time.process_time() - began
    assert log.status == "success", log.error
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
    return spent / trials * 1000


def in_flight(trials: int) -> float:
    """Return the peak memory of this process with so many trials at once, in MB."""

    async def run(journal: JournalWriter) -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(trials):
                group.create_task(trial(number, journal, SlowModel))

    with tempfile.TemporaryDirectory() as folder:
        journal = JournalWriter(RunFolder(Path(folder)))
        asyncio.run(run(journal))
        journal.close()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--no-inspect", action="store_true", help="measure this harness alone")
    options = parser.parse_args()
    ours(20)
    memory = in_flight(1000)
    print(f"1000 trials in flight: peak {memory:.0f} MB (floor: {FLOOR_MB:.0f} MB)")
    mine = min(ours(options.trials) for _ in range(3))
    print(f"research_eval: {mine:.2f} ms CPU a trial")
    if options.no_inspect:
        return int(memory > FLOOR_MB)
    inspects(10)
    theirs = min(inspects(options.trials) for _ in range(2))
    ratio = theirs / mine
    print(
        f"Inspect AI:    {theirs:.2f} ms CPU a trial, {ratio:.1f} times as much (floor: {FLOOR_RATIO:g})"
    )
    return int(ratio < FLOOR_RATIO or memory > FLOOR_MB)


if __name__ == "__main__":
    sys.exit(main())
