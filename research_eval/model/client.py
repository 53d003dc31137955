"""The small protocol behind which every model stands."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from research_eval.schema import Message, ModelReply, ToolSpec

__all__ = ["ClosableModel", "ModelClient"]


class ModelClient(Protocol):
    """Anything that continues a conversation."""

    name: str
    """The model as the experiment names it, for instance `openai:gpt-5-mini`."""

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Return the next assistant message.

        Raises:
            ModelError: If the provider failed after the request retries that are allowed.
        """
        ...


@runtime_checkable
class ClosableModel(Protocol):
    """A model that holds connections, which whoever built it closes."""

    async def aclose(self) -> None:
        """Close the connections; the model is not asked again."""
        ...
