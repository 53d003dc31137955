"""Where an agent of the user's own asks for tools: one call after another, each in the transcript."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from research_eval.agent.conversation import Conversation, NoAnswer
from research_eval.agent.log import EventLog
from research_eval.agent.tool_set import ToolSet
from research_eval.errors import AgentError
from research_eval.schema import ModelCalled, ToolCall, Usage
from research_eval.tool.protocol import ToolOutcome

__all__ = ["MOST_EVENTS", "ToolDesk"]

T = TypeVar("T")

MOST_EVENTS = 1000
"""Tool calls and model calls that an agent may make in a trial: more is a loop."""


class ToolDesk:
    """Serves the tool calls of one trial; what ends the trial there, the agent cannot swallow."""

    def __init__(self, conversation: Conversation, tool_set: ToolSet, log: EventLog) -> None:
        """Note on `conversation` and `log` what the agent does with `tool_set`."""
        self._conversation = conversation
        self._tool_set = tool_set
        self._log = log
        self._turn = asyncio.Lock()
        self._events = 0
        self._is_over = asyncio.Event()
        self._problem: BaseException | None = None

    async def call(self, call: ToolCall) -> ToolOutcome:
        """Do one tool call.

        Raises:
            AgentError: If the trial is over.
        """
        async with self._turn:
            if self._is_over.is_set():
                raise AgentError("the trial is over; no tool is served any more")
            try:
                self._count()
                return await self._conversation.call_tool(call, self._tool_set, self._log)
            except asyncio.CancelledError:
                raise
            except BaseException as exc:  # `watch` raises it where it belongs
                self._problem = exc
                self._is_over.set()
                raise AgentError("the trial is over; no tool is served any more") from exc

    def told_model_call(self, text: str, usage: Usage, model: str, attempt: int) -> None:
        """Note a model call that the agent tells of.

        Raises:
            NoAnswer: If there are too many.
        """
        self._count()
        self._conversation.turn += 1
        self._conversation.usage += usage
        self._log.emit(
            ModelCalled(
                turn=self._conversation.turn,
                attempt=attempt,
                text=text,
                finish_reason="tool_calls",
                usage=usage,
                model=model,
            )
        )

    def _count(self) -> None:
        self._events += 1
        if self._events > MOST_EVENTS:
            raise NoAnswer("limit", "calls", f"no answer after {MOST_EVENTS} calls")

    async def watch(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what `work` returns, unless a tool call ends the trial before.

        Raises:
            BaseException: What ended the trial.
        """
        task = asyncio.create_task(work)
        over = asyncio.create_task(self._is_over.wait())
        try:
            await asyncio.wait({task, over}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            over.cancel()
            task.add_done_callback(_forget)
            if not task.done():
                task.cancel()
        if self._problem is not None:
            raise self._problem
        return task.result()

    def close(self) -> None:
        """Serve no more."""
        self._is_over.set()


def _forget(task: asyncio.Task[Any]) -> None:
    """Take note of how an abandoned task ended, or the event loop complains."""
    if not task.cancelled():
        task.exception()
