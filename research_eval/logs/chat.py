"""Conversations as lists of messages: OpenAI, Anthropic, LangGraph threads, ChatML text."""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from research_eval.logs.document import Piece, pieces
from research_eval.logs.step import (
    Call,
    Found,
    Log,
    Opened,
    PersonSaid,
    Result,
    Said,
    Step,
    Tally,
    arguments_of,
    finish_of,
    text_of,
    usage_of,
)
from research_eval.schema import Usage
from research_eval.schema.outside import read_json

__all__ = ["anthropic_steps", "chatml_steps", "langgraph_steps", "openai_steps", "read_chat"]

ToSteps = Callable[[Mapping[str, Any], Tally], Iterator[Step]]
"""Reads one message."""
_LISTS = ("messages", "conversation", "conversations", "trajectory")
_WANTED = ("item", "messages.item", "values.messages.item", "state.values.messages.item",
           "conversation.item", "trajectory.item")  # fmt: skip
_UNMEASURED = Usage(requests=1, unmeasured_requests=1)


def read_chat(path: Path, steps_of: ToSteps, tally: Tally) -> Iterator[Log]:
    """Yield the conversations of a file.

    A file holds one conversation (an object with `messages`, a list of messages, or a message a
    line), or many (a list of such objects, or one a line).
    """
    found = pieces(path, _WANTED, tally)
    known: dict[str, Any] = {}
    for piece in found:
        value = piece.value
        if piece.path.rpartition(".")[2] != "item" and piece.path:
            known[piece.path] = value
        elif not isinstance(value, Mapping):
            tally.skip("values that are no messages")
        elif (messages := _messages_of(value)) is not None:
            yield Log(
                id=_name(value),
                place=piece.place,
                steps=_steps(map(_as_piece, messages), steps_of, tally),
                model=_model(value),
            )
        elif "role" in value or "type" in value:
            rest = itertools.chain([piece], found)
            yield Log(
                id=_name(known) or path.stem,
                place=piece.place,
                steps=_steps(rest, steps_of, tally),
                model=_model(known),
            )
        else:
            tally.refuse("no conversation: neither messages nor a role", piece.place)


def _as_piece(message: object) -> Piece:
    return Piece("", message, "")


def _messages_of(value: Mapping[str, Any]) -> list[Any] | None:
    inner = value.get("values") or value.get("state") or {}
    for place in (value, inner if isinstance(inner, Mapping) else {}):
        for name in _LISTS:
            if isinstance(place.get(name), list):
                return [*_system(value), *place[name], *_answer(value)]
    return None


def _system(value: Mapping[str, Any]) -> list[Any]:
    return [{"role": "system", "content": value["system"]}] if "system" in value else []


def _answer(value: Mapping[str, Any]) -> list[Any]:
    """Return the reply that stands beside the messages, as where a log holds request and response."""
    response = value.get("response")
    if isinstance(response, Mapping):
        choices = response.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
            message = choices[0].get("message")
            if isinstance(message, Mapping):
                return [{**message, "finish_reason": choices[0].get("finish_reason"),
                         "usage": response.get("usage"), "model": response.get("model")}]  # fmt: skip
        if response.get("role") == "assistant":
            return [response]
    return []


def _name(value: Mapping[str, Any]) -> str | None:
    for name in ("case_id", "id", "thread_id", "session_id", "conversation_id"):
        if isinstance(value.get(name), str | int) and value[name] != "":
            return str(value[name])
    return None


def _model(value: Mapping[str, Any]) -> str | None:
    found = value.get("model") or value.get("model_name") or value.get("metadata.model_name")
    return found if isinstance(found, str) else None


def _steps(found: Iterator[Piece], steps_of: ToSteps, tally: Tally) -> Iterator[Step]:
    for piece in found:
        if piece.path and not piece.path.endswith("item"):
            continue
        if isinstance(piece.value, Mapping):
            yield from steps_of(piece.value, tally)
        else:
            tally.skip("values that are no messages")


def openai_steps(message: Mapping[str, Any], tally: Tally) -> Iterator[Step]:
    """Yield the steps of a message of OpenAI's chat completions."""
    role = message.get("role")
    text = text_of(message.get("content"))
    match role:
        case "user":
            yield PersonSaid(text)
        case "assistant":
            calls = tuple(_openai_calls(message, tally))
            refusal = message.get("refusal")
            yield Said(
                text or text_of(refusal),
                calls,
                "refusal"
                if refusal
                else finish_of(message.get("finish_reason"), has_calls=bool(calls)),
                usage_of(message.get("usage")),
                text_of(message.get("model")),
            )
        case "tool" | "function":
            name = message.get("tool_call_id") or message.get("name")
            yield Result(text_of(name), text, bool(message.get("is_error")))
        case "system" | "developer":
            return
        case _:
            tally.skip("messages of an unknown role")


def _openai_calls(message: Mapping[str, Any], tally: Tally) -> Iterator[Call]:
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, str) and isinstance(call, Mapping):  # one level less: Inspect
            yield Call(
                text_of(call.get("id")), function, arguments_of(call.get("arguments"), tally)
            )
        elif isinstance(function, Mapping) and isinstance(call, Mapping):
            yield Call(
                text_of(call.get("id")),
                text_of(function.get("name")),
                arguments_of(function.get("arguments"), tally),
            )
        else:
            tally.skip("tool calls without a function")
    old = message.get("function_call")
    if isinstance(old, Mapping):
        name = text_of(old.get("name"))
        yield Call(name, name, arguments_of(old.get("arguments"), tally))


def anthropic_steps(message: Mapping[str, Any], tally: Tally) -> Iterator[Step]:
    """Yield the steps of a message of Anthropic's, with the searches that its servers do."""
    role, content = message.get("role"), message.get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    blocks = [block for block in blocks if isinstance(block, Mapping)]
    if role == "user":
        yield from _user_blocks(blocks)
    elif role == "assistant":
        yield from _server_blocks(blocks, tally)
        calls = tuple(
            Call(text_of(b.get("id")), text_of(b.get("name")), arguments_of(b.get("input"), tally))
            for b in blocks
            if b.get("type") == "tool_use"
        )
        text = "\n".join(text_of(b.get("text")) for b in blocks if b.get("type") == "text")
        yield Said(
            text,
            calls,
            finish_of(message.get("stop_reason"), has_calls=bool(calls)),
            usage_of(message.get("usage")),
            text_of(message.get("model")),
        )
    elif role != "system":
        tally.skip("messages of an unknown role")


def _user_blocks(blocks: list[Mapping[str, Any]]) -> Iterator[Step]:
    for block in blocks:
        if block.get("type") == "tool_result":
            yield Result(
                text_of(block.get("tool_use_id")),
                text_of(block.get("content")),
                block.get("is_error") is True,
            )
    words = "\n".join(text_of(b.get("text")) for b in blocks if b.get("type") == "text").strip()
    if words:
        yield PersonSaid(words)


def _server_blocks(blocks: list[Mapping[str, Any]], tally: Tally) -> Iterator[Step]:
    """Yield what the provider's own servers searched and opened."""
    asked = {
        text_of(b.get("id")): b.get("input") for b in blocks if b.get("type") == "server_tool_use"
    }
    for block in blocks:
        given = asked.get(text_of(block.get("tool_use_id")))
        arguments = arguments_of(given, tally)
        content = block.get("content")
        if block.get("type") == "web_search_tool_result":
            yield Found(text_of(arguments.get("query")), tuple(_server_hits(content)), "server")
        elif block.get("type") == "web_fetch_tool_result":
            yield _server_page(content, text_of(arguments.get("url")))


def _server_hits(content: object) -> Iterator[tuple[str, str, str]]:
    for item in content if isinstance(content, list) else []:
        if isinstance(item, Mapping) and isinstance(item.get("url"), str):
            yield (item["url"], text_of(item.get("title")), "")


def _server_page(content: object, url: str) -> Opened:
    if not isinstance(content, Mapping) or content.get("type") == "web_fetch_tool_result_error":
        error = text_of(content.get("error_code")) if isinstance(content, Mapping) else ""
        return Opened(url, ok=False, error=error or "failed")
    page = content.get("content")
    source = page.get("source") if isinstance(page, Mapping) else None
    title = text_of(page.get("title")) if isinstance(page, Mapping) else ""
    text = None
    if isinstance(source, Mapping) and source.get("type") == "text":
        text = text_of(source.get("data"))
    return Opened(text_of(content.get("url")) or url, title=title or None, text=text)


def langgraph_steps(message: Mapping[str, Any], tally: Tally) -> Iterator[Step]:
    """Yield the steps of a message of a LangGraph thread, whose `type` is human, ai or tool."""
    data = message.get("data")
    if isinstance(data, Mapping):  # as messages_to_dict writes it
        message = {**data, "type": message.get("type")}
    kind = message.get("type") or message.get("role")
    text = text_of(message.get("content"))
    match kind:
        case "human" | "user" | "HumanMessage":
            yield PersonSaid(text)
        case "ai" | "assistant" | "AIMessage" | "AIMessageChunk":
            found = message.get("tool_calls")
            calls = tuple(
                Call(
                    text_of(c.get("id")), text_of(c.get("name")), arguments_of(c.get("args"), tally)
                )
                for c in (found if isinstance(found, list) else [])
                if isinstance(c, Mapping)
            )
            about = message.get("response_metadata")
            about = about if isinstance(about, Mapping) else {}
            reason = about.get("finish_reason") or about.get("stop_reason")
            yield Said(
                text,
                calls,
                finish_of(reason, has_calls=bool(calls)),
                usage_of(message.get("usage_metadata")),
                text_of(about.get("model_name")),
            )
        case "tool" | "ToolMessage":
            yield Result(
                text_of(message.get("tool_call_id")), text, message.get("status") == "error"
            )
        case "system" | "developer" | "SystemMessage" | "remove":
            return
        case _:
            tally.skip("messages of an unknown role")


_CALL = re.compile(r"<tool_call>\s*(.*?)\s*</tool_call>", re.DOTALL)
_RESPONSE = re.compile(r"<tool_response>\s*(.*?)\s*</tool_response>", re.DOTALL)
_ANSWER = re.compile(r"<answer>\s*(.*?)\s*(?:</answer>|\Z)", re.DOTALL)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_CHATML_ID = "call"


def chatml_steps(message: Mapping[str, Any], tally: Tally) -> Iterator[Step]:
    """Yield the steps of a ChatML message, whose calls and results are marks in the text."""
    role, text = message.get("role"), text_of(message.get("content"))
    if role in {"user", "tool"}:
        results = _RESPONSE.findall(text) if text.lstrip().startswith("<tool_response>") else []
        if not results and role == "tool":
            results = [text]
        yield from (Result(_CHATML_ID, result) for result in results)
        if not results:
            yield PersonSaid(text)
    elif role == "assistant":
        said = _THOUGHT.sub("", text)
        calls = tuple(_chatml_calls(said, tally))
        answer = _ANSWER.search(said)
        yield Said(answer[1] if answer and not calls else _CALL.sub("", said).strip(), calls,
                   "tool_calls" if calls else "stop", _UNMEASURED)  # fmt: skip
    elif role != "system":
        tally.skip("messages of an unknown role")


def _chatml_calls(text: str, tally: Tally) -> Iterator[Call]:
    for found in _CALL.findall(text):
        try:
            call = read_json(found)
        except ValueError:
            tally.skip("tool calls in text that are no JSON")
            continue
        if isinstance(call, Mapping) and isinstance(call.get("name"), str):
            yield Call(_CHATML_ID, call["name"], arguments_of(call.get("arguments"), tally))
        else:
            tally.skip("tool calls in text without a name")
