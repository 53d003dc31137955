"""Agent: a question in, a checked answer and its transcript out."""

from research_eval.agent.log import EventLog, Observer
from research_eval.agent.research import AgentOutcome, AgentSettings, Exchange, ResearchAgent
from research_eval.agent.tool_set import PromptSettings, ToolSet

__all__ = [
    "AgentOutcome",
    "AgentSettings",
    "EventLog",
    "Exchange",
    "Observer",
    "PromptSettings",
    "ResearchAgent",
    "ToolSet",
]
