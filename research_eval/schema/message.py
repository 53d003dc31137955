"""What a model is told and what it says: messages, tool calls, replies, usage."""

from typing import Any, Literal

from research_eval.schema.record import Record

__all__ = ["FinishReason", "Message", "ModelReply", "ToolCall", "ToolSpec", "Usage"]

FinishReason = Literal[
    "stop", "tool_calls", "length", "content_filter", "refusal", "malformed_call"
]
"""Why the model stopped; only `stop` may be an answer.

`malformed_call`: the model wrote a tool call that nobody can read.
"""


class ToolCall(Record):
    """One tool call that the model asked for."""

    id: str
    """The provider's id, or one of ours that is the same in every replay."""
    name: str
    """The tool's name as the model wrote it; it may be unknown."""
    arguments: str
    """The arguments as the model wrote them: JSON text, perhaps malformed."""


class Message(Record):
    """One entry of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    """Of an assistant message: the calls it asks for."""
    tool_call_id: str | None = None
    """Of a tool message: the call that it answers."""
    tool_name: str | None = None
    """Of a tool message: the tool that was called."""
    is_error: bool = False
    """Of a tool message: whether the call failed."""
    provider_state: Any = None
    """Of an assistant message: opaque JSON that its provider wants back (signatures, thoughts)."""


class ToolSpec(Record):
    """A tool as a model sees it."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON Schema of the arguments object."""


class Usage(Record):
    """What model calls consumed; sums add field by field with `+`."""

    requests: int = 0
    input_tokens: int = 0
    """Prompt tokens, cached ones included."""
    output_tokens: int = 0
    """Generated tokens, reasoning included."""
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    unmeasured_requests: int = 0
    """Replies that carried no usage: the totals are lower bounds by that many requests."""
    reported_cost_usd: float | None = None
    """What the provider itself said it charged, US dollars."""

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum of both, field by field; an unknown cost counts as nothing."""
        costs = [c for c in (self.reported_cost_usd, other.reported_cost_usd) if c is not None]
        return Usage(
            requests=self.requests + other.requests,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            unmeasured_requests=self.unmeasured_requests + other.unmeasured_requests,
            reported_cost_usd=sum(costs) if costs else None,
        )


class ModelReply(Record):
    """One reply of a model."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: FinishReason = "stop"
    usage: Usage = Usage()
    model: str = ""
    """The model's name as the provider reports it."""
    request_retries: int = 0
    """Times that the request was sent again after an error."""
    notes: tuple[str, ...] | None = None
    """What was repaired in the reply or is odd about it; the words of `ModelCalled.notes`."""
    provider_state: Any = None
    """Opaque JSON to be sent back with this reply in the history."""
