"""Questions that an honest agent answers over the laboratory's chain: does the gate still pass them?"""

import hashlib
from collections.abc import Mapping
from typing import Any

from research_eval.agent import AgentSettings, EventLog, ResearchAgent
from research_eval.clock import Clock
from research_eval.gate import load_gate
from research_eval.ledger import SourceRegistry
from research_eval.model.reference import reference_agent
from research_eval.schema import Fetched, ToolSpec
from research_eval.tool.kit import ToolKit
from research_eval.tool.protocol import EmitEvent, ToolOutcome
from research_eval.tool.search import SearchProvider, WebSearchTool

__all__ = ["ask_agent"]


async def ask_agent(question: str, chain: SearchProvider, clock: Clock) -> str:
    """Return how the question ended: `completed` if the gate passed the answer."""
    log, ledger = EventLog(clock), SourceRegistry()
    kit = ToolKit(
        fetch=_LabPages(ledger, log.emit),
        search=WebSearchTool(chain, ledger=ledger, clock=clock, emit=log.emit),
    )
    agent = ResearchAgent(
        AgentSettings(),
        model=reference_agent("honest", case_seed=question),
        kit=kit,
        ledger=ledger,
        gate=load_gate("default"),
        log=log,
        clock=clock,
    )
    outcome = await agent.run(question)
    return outcome.status


class _LabPages:
    """A `fetch` to which every page of the laboratory opens at once."""

    spec = ToolSpec(
        name="fetch",
        description="Open a page.",
        parameters={"type": "object", "properties": {"url": {"type": "string"}}},
    )

    def __init__(self, ledger: SourceRegistry, emit: EmitEvent) -> None:
        self._ledger = ledger
        self._emit = emit

    async def __call__(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        url = str(arguments.get("url", ""))
        text = f"The page at {url} says what it says."
        digest = hashlib.sha256(text.encode()).hexdigest()
        fetched = Fetched(
            url=url,
            final_url=url,
            status=200,
            ok=True,
            content_sha256=digest,
            content_chars=len(text),
        )
        self._ledger.add_page(fetched, text)
        self._emit(fetched)
        return ToolOutcome(text=text)
