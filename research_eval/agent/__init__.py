"""Agent: a question in, a checked answer and its transcript out."""

from research_eval.agent.custom import CustomAgent, Driver
from research_eval.agent.log import EventLog, Observer
from research_eval.agent.opening import (
    UNIDENTIFIED,
    Surroundings,
    agent_code,
    check_custom_agent,
    open_driver,
)
from research_eval.agent.outcome import AgentOutcome
from research_eval.agent.research import Exchange, ResearchAgent
from research_eval.agent.settings import WAYS, AgentSettings, McpPlace
from research_eval.agent.tool_set import PromptSettings, ToolSet

__all__ = [
    "UNIDENTIFIED",
    "WAYS",
    "AgentOutcome",
    "AgentSettings",
    "CustomAgent",
    "Driver",
    "EventLog",
    "Exchange",
    "McpPlace",
    "Observer",
    "PromptSettings",
    "ResearchAgent",
    "Surroundings",
    "ToolSet",
    "agent_code",
    "check_custom_agent",
    "open_driver",
]
