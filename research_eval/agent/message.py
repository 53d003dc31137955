"""The messages between us and an agent that is a command or at a URL: one JSON object a line, both ways."""

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from research_eval.schema import Record, ToolSpec, Usage

__all__ = [
    "AnswerMessage",
    "CorrectiveMessage",
    "EndMessage",
    "ErrorMessage",
    "FromAgent",
    "ModelCallMessage",
    "QuestionMessage",
    "RefusalMessage",
    "ToAgent",
    "ToldUsage",
    "ToolCallMessage",
    "ToolResultMessage",
    "message_schema",
]

PROTOCOL: Literal[1] = 1
"""Version of the messages; a change that an older agent cannot read raises it."""


class ToldUsage(Record):
    """What an agent says that its model calls consumed."""

    requests: int = Field(default=1, ge=0)
    """Model calls."""
    input_tokens: int | None = Field(default=None, ge=0)
    """Prompt tokens, cached ones included; `None` where nobody knows."""
    output_tokens: int | None = Field(default=None, ge=0)
    """Generated tokens, reasoning included; `None` where nobody knows."""
    cost_usd: float | None = Field(default=None, ge=0)
    """What the provider said it charged, US dollars."""

    @property
    def usage(self) -> Usage:
        """The same, as records keep it."""
        is_known = self.input_tokens is not None and self.output_tokens is not None
        return Usage(
            requests=self.requests,
            input_tokens=self.input_tokens or 0,
            output_tokens=self.output_tokens or 0,
            unmeasured_requests=0 if is_known else self.requests,
            reported_cost_usd=self.cost_usd,
        )


class QuestionMessage(Record):
    """To the agent: the first message of a trial."""

    type: Literal["question"] = "question"
    protocol: Literal[1] = PROTOCOL
    id: str
    """The trial's id, which every answer repeats."""
    question: str
    tools: tuple[ToolSpec, ...]
    """The tools that may be called."""
    timeout_s: float
    """Seconds for the whole trial."""


class ToolResultMessage(Record):
    """To the agent: what a tool call gave."""

    type: Literal["tool_result"] = "tool_result"
    id: str
    """The trial's id."""
    call: str
    """The `call` of the tool call."""
    ok: bool
    text: str
    """What a model reads: a result, or what went wrong and what to try instead."""
    error: str | None = None
    """A stable word for the failure."""


class CorrectiveMessage(Record):
    """To the agent: the answer was rejected; another one is asked for."""

    type: Literal["corrective"] = "corrective"
    id: str
    attempt: int
    """The attempt that is asked for, from 2."""
    text: str
    """What to put right, in words for a model."""


class EndMessage(Record):
    """To the agent: the trial is over; leave."""

    type: Literal["end"] = "end"
    id: str


class ToolCallMessage(Record):
    """From the agent: do this and tell me the result."""

    type: Literal["tool_call"] = "tool_call"
    call: str = Field(min_length=1, max_length=200)
    """Any text that no other call of the trial has."""
    name: str = Field(max_length=200)
    arguments: dict[str, Any]


class ModelCallMessage(Record):
    """From the agent: a model was called; for the transcript and the cost, nothing comes back."""

    type: Literal["model_call"] = "model_call"
    text: str = ""
    usage: ToldUsage = ToldUsage()
    model: str = Field(default="", max_length=200)


class AnswerMessage(Record):
    """From the agent: the answer."""

    type: Literal["answer"] = "answer"
    id: str
    """The trial's id."""
    text: str
    usage: ToldUsage = ToldUsage()
    """Of the call that wrote the answer, and of all that no `model_call` told."""
    model: str = Field(default="", max_length=200)
    final: bool = False
    """Whether no corrective is wanted."""


class RefusalMessage(Record):
    """From the agent: its model declined to answer."""

    type: Literal["refusal"] = "refusal"
    id: str
    text: str = ""
    usage: ToldUsage = ToldUsage()


class ErrorMessage(Record):
    """From the agent: something failed that is not the model's doing."""

    type: Literal["error"] = "error"
    id: str
    message: str


ToAgent = Annotated[
    QuestionMessage | ToolResultMessage | CorrectiveMessage | EndMessage,
    Field(discriminator="type"),
]
FromAgent = Annotated[
    ToolCallMessage | ModelCallMessage | AnswerMessage | RefusalMessage | ErrorMessage,
    Field(discriminator="type"),
]


def message_schema() -> dict[str, Any]:
    """Return the JSON Schema of the messages, by direction."""
    to_agent: TypeAdapter[Any] = TypeAdapter(ToAgent)
    from_agent: TypeAdapter[Any] = TypeAdapter(FromAgent)
    definitions: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    for name, way in (("to_agent", to_agent), ("from_agent", from_agent)):
        schema = way.json_schema()
        definitions |= schema.pop("$defs")
        properties[name] = schema
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Messages of an agent that is a command or at a URL, protocol {PROTOCOL}",
        "$defs": {**definitions, **properties},
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in properties],
    }
