"""From our messages and tools to those of the wire library."""

import json
from collections.abc import Iterable, Sequence

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from research_eval.schema import Message, ToolCall, ToolSpec
from research_eval.schema.outside import read_json

__all__ = ["replayable_arguments", "to_parameters", "to_wire"]


def to_parameters(tools: Sequence[ToolSpec]) -> ModelRequestParameters:
    """Return the tools as the wire library takes them."""
    return ModelRequestParameters(
        function_tools=[
            ToolDefinition(
                name=tool.name,
                description=tool.description,
                parameters_json_schema=tool.parameters,
                strict=False,
            )
            for tool in tools
        ]
    )


def to_wire(messages: Sequence[Message]) -> list[ModelMessage]:
    """Return the conversation in the wire library's form."""
    history: list[ModelMessage] = []
    pending: list[ModelRequestPart] = []
    for message in messages:
        if message.role == "assistant":
            history += _flush(pending)
            history.append(_response(message))
        else:
            pending.append(_request_part(message))
    return history + _flush(pending)


def replayable_arguments(text: str) -> str:
    """Return tool arguments that any provider takes back: what is no JSON object is wrapped in one."""
    try:
        value = read_json(text or "{}")
    except ValueError:
        value = None
    return (text or "{}") if isinstance(value, dict) else json.dumps({"invalid_json": text})


def _flush(pending: list[ModelRequestPart]) -> list[ModelMessage]:
    if not pending:
        return []
    request = ModelRequest(parts=list(pending))
    pending.clear()
    return [request]


def _request_part(message: Message) -> ModelRequestPart:
    match message.role:
        case "system":
            return SystemPromptPart(content=message.text)
        case "tool":
            return ToolReturnPart(
                tool_name=message.tool_name or "",
                content=message.text,
                tool_call_id=message.tool_call_id or "",
                outcome="failed" if message.is_error else "success",
            )
        case _:
            return UserPromptPart(content=message.text)


def _response(message: Message) -> ModelResponse:
    if message.provider_state is not None:
        kept = ModelMessagesTypeAdapter.validate_python([message.provider_state])[0]
        if isinstance(kept, ModelResponse):
            return kept
    text: Iterable[ModelResponsePart] = [TextPart(content=message.text)] if message.text else []
    return ModelResponse(parts=[*text, *map(_call_part, message.tool_calls)])


def _call_part(call: ToolCall) -> ToolCallPart:
    return ToolCallPart(
        tool_name=call.name, args=replayable_arguments(call.arguments), tool_call_id=call.id
    )
