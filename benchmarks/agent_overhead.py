"""Measure what an agent of one's own costs beside the built-in one: CPU of this process, a trial.

python benchmarks/agent_overhead.py [TRIALS]

Each way does the same: one tool call and one answer. The ways take turns, seven times, and the
median counts. The child's own CPU, for a command, is printed apart: it is the agent's own. Exits 1 if a callable costs more than 2 ms or a command more than 30 ms
beyond the built-in agent.
"""

import asyncio
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

import httpx

from research_eval.agent import (
    AgentSettings,
    CustomAgent,
    EventLog,
    ResearchAgent,
    Surroundings,
    open_driver,
)
from research_eval.clock import VirtualClock
from research_eval.gate import load_gate
from research_eval.ledger import SourceRegistry
from research_eval.testing import ScriptedModel, ScriptedTool, call_tool
from research_eval.tool.kit import ToolKit
from research_eval.waiting import Waits

ROUNDS = 7
WARM_UP = 3
MOST_MS = {"callable": 2.0, "command": 30.0}
PROGRAM = """
import sys
sys.stdin.readline()
print('{"type": "tool_call", "call": "1", "name": "fetch", "arguments": {"url": "u"}}', flush=True)
sys.stdin.readline()
print('{"type": "answer", "id": "trial", "text": "none", "final": true}', flush=True)
"""


def ask(question: str, tools: object) -> str:
    """Be the agent."""
    del question
    tools.fetch("u")  # type: ignore[attr-defined]
    return "none"


def agent(way: str, folder: Path) -> CustomAgent | ResearchAgent:
    """Return the agent of one trial."""
    clock, ledger = VirtualClock(), SourceRegistry()
    kit = ToolKit(fetch=ScriptedTool("fetch", ["a page"], ["url"]))
    parts = {"kit": kit, "ledger": ledger, "gate": load_gate("default"), "log": EventLog(clock)}
    if way == "built-in":
        model = ScriptedModel([call_tool("fetch", '{"url": "u"}'), "none"])
        settings = AgentSettings(max_retries=0)
        return ResearchAgent(settings, model=model, clock=clock, **parts)  # type: ignore[arg-type]
    chosen = (
        AgentSettings(callable="benchmarks.agent_overhead:ask")
        if way == "callable"
        else AgentSettings(command=(sys.executable, "-S", "-E", str(folder / "agent.py")))
    )
    around = Surroundings(folder, httpx.MockTransport(lambda _: httpx.Response(200)))
    driver = open_driver(chosen, around)
    return CustomAgent(chosen, driver, trial_id="trial", waits=Waits(clock), **parts)  # type: ignore[arg-type]


async def cost(way: str, trials: int, folder: Path) -> float:
    """Return the CPU milliseconds of a trial."""
    for _ in range(WARM_UP):
        await agent(way, folder).run("What?")
    began = time.process_time()
    for _ in range(trials):
        outcome = await agent(way, folder).run("What?")
        if outcome.status != "rejected":
            raise SystemExit(f"{way}: {outcome.failure}")
    return 1000 * (time.process_time() - began) / trials


def main() -> int:
    """Measure and rule."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    ways = ("built-in", *MOST_MS)
    costs: dict[str, list[float]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "agent.py").write_text(PROGRAM)
        for _ in range(ROUNDS):
            for way in ways:
                costs[way].append(asyncio.run(cost(way, trials, folder)))
    found = {way: statistics.median(each) for way, each in costs.items()}
    failed = False
    for way, milliseconds in found.items():
        more = milliseconds - found["built-in"]
        limit = f", at most {MOST_MS[way]:g}" if way in MOST_MS else ""
        print(f"{way}: {milliseconds:.2f} ms CPU a trial, {more:.2f} beyond the built-in{limit}")
        failed |= more > MOST_MS.get(way, 0.0)
    child = resource.getrusage(resource.RUSAGE_CHILDREN)
    programs = ROUNDS * (trials + WARM_UP)
    print(f"the program itself: {1000 * (child.ru_utime + child.ru_stime) / programs:.2f} ms")
    return int(failed)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    sys.exit(main())
