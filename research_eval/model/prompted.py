"""Tool calls in plain text, for models that were never taught a tool protocol."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Literal

from research_eval.model.client import ClosableModel, ModelClient
from research_eval.schema import Message, ModelReply, ToolCall, ToolSpec
from research_eval.schema.outside import read_json, safe_text, safe_value

__all__ = ["PromptedModel", "find_call", "in_words"]

_EXAMPLES = (
    (
        "Who designed the Aldgate bridge?",
        "Aldgate bridge designer",
        "https://bridges.example/aldgate",
        "The Aldgate bridge was designed by Mary Stone in 1904.",
        "Mary Stone designed it (https://bridges.example/aldgate).",
    ),
    (
        "How tall is the Orlo tower?",
        "Orlo tower height",
        "https://orlo.example/tower",
        "The tower is 41 metres tall.",
        "It is 41 metres tall (https://orlo.example/tower).",
    ),
)
"""Question, query, page, its text, answer: small models copy better than they obey."""

_AFTER_SEARCH = "Open one of these pages with fetch."
_AFTER_FETCH = "Answer in one sentence that ends with the url in parentheses, or call another tool."
_AFTER_ERROR = "Try another tool call."


class PromptedModel:
    """Wraps a model: describes the tools in words, and reads calls out of its text."""

    def __init__(self, model: ModelClient, *, result_chars: int | None = None) -> None:
        """Take the model that answers in text alone.

        Args:
            model: Who continues the conversation.
            result_chars: Characters of each tool result that it is shown; `None` is all.
        """
        self.name = model.name
        self._model = model
        self._result_chars = result_chars

    async def aclose(self) -> None:
        """Close the connections of the model inside."""
        if isinstance(self._model, ClosableModel):
            await self._model.aclose()

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Return the next message, with a tool call where the text holds one.

        Raises:
            ModelError: If the provider failed after the request retries that are allowed.
        """
        said = in_words(messages, tools, self._result_chars)
        reply = await self._model.reply(tuple(said), ())
        call = find_call(reply.text, tools)
        if call is None or reply.finish_reason not in {"stop", "length"}:
            return reply
        turn = 1 + sum(1 for message in messages if message.role == "assistant")
        name, arguments = call
        text = json.dumps(arguments, ensure_ascii=False)
        asked = ToolCall(id=f"call_{turn}_1", name=name, arguments=text)
        return reply.model_copy(
            update={"text": "", "tool_calls": (asked,), "finish_reason": "tool_calls"}
        )


def find_call(text: str, tools: Sequence[ToolSpec]) -> tuple[str, dict[str, object]] | None:
    """Return the first call of a tool that `text` holds, however carelessly it is written.

    >>> fetch = ToolSpec(name="fetch", description="", parameters={"properties": {"url": {}}})
    >>> find_call('Sure! {"tool": "fetch", "url": "https://a.example/"', [fetch])
    ('fetch', {'url': 'https://a.example/'})
    >>> find_call("fetch(https://a.example/)", [fetch])
    ('fetch', {'url': 'https://a.example/'})
    >>> find_call("I would fetch it.", [fetch]) is None
    True
    """
    by_name = {tool.name: tool for tool in tools}
    for found in _OBJECT.finditer(text):
        if (call := _object_call(found.group(), by_name)) is not None:
            return call
    for name, tool in by_name.items():
        if written := re.search(rf"\b{re.escape(name)}\s*[(:]\s*([^\n]+)", text):
            value = written[1].strip().rstrip(")").strip("\"'` ")
            first = next(iter(tool.parameters.get("properties", {})), None)
            if first and value:
                return name, {first: value}
    return None


_OBJECT = re.compile(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}?")
_PAIR = re.compile(r'"(\w+)"\s*:\s*(?:"((?:[^"\\\n]|\\.)*)"?|(-?\d{1,18}))')


def _object_call(text: str, by_name: dict[str, ToolSpec]) -> tuple[str, dict[str, object]] | None:
    """Read one JSON object, or what is left of one, as a call."""
    fields = _fields(text)
    name = fields.pop("tool", None) or fields.pop("name", None)
    if not isinstance(name, str) or name not in by_name:
        return None
    nested = fields.get("arguments", fields.get("parameters"))
    return name, dict(nested) if isinstance(nested, dict) else fields


def _fields(text: str) -> dict[str, object]:
    try:
        value = read_json(text)
    except ValueError:
        return {
            name: int(number) if number else _unescaped(word)
            for name, word, number in _PAIR.findall(text)
        }
    return safe_value(value) if isinstance(value, dict) else {}


def _unescaped(text: str) -> str:
    try:
        return safe_text(str(json.loads(f'"{text}"')))
    except ValueError:
        return text


def in_words(
    messages: Sequence[Message], tools: Sequence[ToolSpec], result_chars: int | None = None
) -> Iterable[Message]:
    """Return the conversation as system, user and assistant text, the two taking turns."""
    said: list[Message] = []
    question = next((message for message in messages if message.role == "user"), None)
    for message in messages:
        if message.role == "system":
            said.append(Message(role="system", text=f"{message.text}\n{_protocol(tools)}"))
            said += _examples({tool.name for tool in tools})
            continue
        role, text = _words(message, result_chars)
        if message is question:
            text = f"Question: {text}"
        if said[-1:] and said[-1].role == role == "user":
            text = f"{said.pop().text}\n\n{text}"
        said.append(Message(role=role, text=text))
    return said


def _examples(names: set[str]) -> Iterable[Message]:
    """Return short conversations that use the tools that there are."""
    for question, query, url, page, answer in _EXAMPLES:
        yield Message(role="user", text=f"Question: {question}")
        if "web_search" in names:
            yield _asking("web_search", query=query)
            yield Message(role="user", text=_result("web_search", f"1. {query}\n   URL: {url}"))
        if "fetch" in names:
            yield _asking("fetch", url=url)
            yield Message(role="user", text=_result("fetch", f"url: {url}\n\n{page}"))
        yield Message(role="assistant", text=answer)


def _asking(tool: str, **arguments: str) -> Message:
    return Message(role="assistant", text=json.dumps({"tool": tool} | arguments))


def _words(message: Message, result_chars: int | None) -> tuple[Literal["user", "assistant"], str]:
    if message.role == "tool":
        shown = message.text[:result_chars]
        return "user", _result(message.tool_name or "", shown, is_error=message.is_error)
    calls = [_written(call) for call in message.tool_calls]
    text = "\n".join([*([message.text] if message.text else []), *calls])
    return ("assistant" if message.role == "assistant" else "user"), text


def _result(tool: str, text: str, *, is_error: bool = False) -> str:
    hint = _AFTER_SEARCH if tool == "web_search" else _AFTER_FETCH
    return f"Result of {tool}:\n{text}\n\n{_AFTER_ERROR if is_error else hint}"


def _written(call: ToolCall) -> str:
    try:
        arguments = read_json(call.arguments)
    except ValueError:
        arguments = {}
    return json.dumps({"tool": call.name, **arguments}, ensure_ascii=False)


def _protocol(tools: Sequence[ToolSpec]) -> str:
    lines = ["To use a tool, reply with one line of JSON and nothing else:"]
    for tool in tools:
        wanted = tool.parameters.get("required", [])
        lines.append(json.dumps({"tool": tool.name} | dict.fromkeys(wanted, "...")))
    return "\n".join(lines)
