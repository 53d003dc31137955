"""What an honest model says in the format of each API, whole and as a stream of events."""

import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

Json = Any


class Dialect(NamedTuple):
    """How one API writes the replies that every API can give."""

    name: str
    says: Callable[[str], Json]
    """A reply of this text, after which the model stopped by itself."""
    calls: Callable[[str, Json], Json]
    """A reply that calls this tool with these arguments."""
    empty: Json
    cut: Callable[[str], Json]
    """A reply that the limit of tokens ended."""
    declined: Callable[[str], Json]
    """A reply that a filter, or the model, withheld."""
    events: Callable[[Json], list[bytes]]
    """The same reply as a stream, each event with its lines."""


def event(data: Json, name: str = "") -> bytes:
    """Return one server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def pieces(text: str) -> list[str]:
    """Cut a text into three."""
    third = len(text) // 3
    return [text[:third], text[third : 2 * third], text[2 * third :]]


def chat(message: Json, finish: str = "stop") -> Json:
    return {
        "id": "chatcmpl-7",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": "port-1",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}
        ],
        "usage": {"prompt_tokens": 21, "completion_tokens": 8, "total_tokens": 29},
    }


def chat_call(name: str, arguments: Json, number: int = 0) -> Json:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": f"call_{number}", "type": "function", "function": function}


def chat_events(reply: Json) -> list[bytes]:
    head = {key: reply[key] for key in ("id", "created", "model")}
    choice = reply["choices"][0]
    message = choice["message"]
    deltas: list[Json] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in pieces(message.get("content") or "") if piece]
    for index, call in enumerate(message.get("tool_calls") or ()):
        first, *rest = pieces(call["function"]["arguments"])
        function = call["function"] | {"arguments": first}
        deltas.append({"tool_calls": [call | {"index": index, "function": function}]})
        more = ({"index": index, "function": {"arguments": piece}} for piece in rest)
        deltas += [{"tool_calls": [piece]} for piece in more]

    def chunk(choices: Json, **more: Json) -> bytes:
        return event({**head, "object": "chat.completion.chunk", "choices": choices, **more})

    found = [chunk([{"index": 0, "delta": delta, "finish_reason": None}]) for delta in deltas]
    found.append(chunk([{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]))
    return [*found, chunk([], usage=reply["usage"]), b"data: [DONE]\n\n"]


def messages(content: list[Json], stop: str) -> Json:
    return {
        "id": "msg_7",
        "type": "message",
        "role": "assistant",
        "model": "port-1",
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 21, "output_tokens": 8},
    }


def messages_events(reply: Json) -> list[bytes]:
    start = reply | {"content": [], "stop_reason": None}
    found = [event({"type": "message_start", "message": start}, "message_start")]
    for index, block in enumerate(reply["content"]):
        if block["type"] == "text":
            empty, kind = block | {"text": ""}, "text_delta"
            deltas = [{"type": kind, "text": piece} for piece in pieces(block["text"])]
        else:
            empty, kind = block | {"input": {}}, "input_json_delta"
            parts = pieces(json.dumps(block["input"]))
            deltas = [{"type": kind, "partial_json": piece} for piece in parts]
        body = {"type": "content_block_start", "index": index, "content_block": empty}
        found.append(event(body, "content_block_start"))
        for delta in deltas:
            body = {"type": "content_block_delta", "index": index, "delta": delta}
            found.append(event(body, "content_block_delta"))
        found.append(event({"type": "content_block_stop", "index": index}, "content_block_stop"))
    delta = {"stop_reason": reply["stop_reason"], "stop_sequence": None}
    usage = {"output_tokens": reply["usage"]["output_tokens"]}
    last = {"type": "message_delta", "delta": delta, "usage": usage}
    return [*found, event(last, "message_delta"), event({"type": "message_stop"}, "message_stop")]


def response(output: list[Json], status: str = "completed", reason: str | None = None) -> Json:
    return {
        "id": "resp_7",
        "object": "response",
        "created_at": 1_760_000_000,
        "model": "port-1",
        "status": status,
        "incomplete_details": {"reason": reason} if reason else None,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 21,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 8,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 29,
        },
    }


def response_message(part: Json) -> Json:
    return {
        "id": "msg_7",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }


def output_text(text: str) -> Json:
    return response_message({"type": "output_text", "text": text, "annotations": []})


def response_call(name: str, arguments: Json) -> Json:
    return {
        "id": "fc_7",
        "type": "function_call",
        "call_id": "call_7",
        "name": name,
        "arguments": json.dumps(arguments),
        "status": "completed",
    }


def response_events(reply: Json) -> list[bytes]:
    found: list[tuple[str, Json]] = []
    started = reply | {"output": [], "status": "in_progress", "usage": None}
    found.append(("response.created", {"response": started}))
    for index, item in enumerate(reply["output"]):
        place = {"output_index": index, "item_id": item["id"]}
        added = {"output_index": index, "item": _begun(item)}
        found.append(("response.output_item.added", added))
        if item["type"] == "message":
            found += _said(item["content"][0], place | {"content_index": 0})
        else:
            parts = pieces(item["arguments"])
            name = "response.function_call_arguments.delta"
            found += [(name, place | {"delta": part}) for part in parts]
            done = place | {"arguments": item["arguments"], "name": item["name"]}
            found.append(("response.function_call_arguments.done", done))
        found.append(("response.output_item.done", {"output_index": index, "item": item}))
    last = "response.incomplete" if reply["status"] == "incomplete" else "response.completed"
    found.append((last, {"response": reply}))
    return [
        event({"type": name, "sequence_number": number, **data}, name)
        for number, (name, data) in enumerate(found)
    ]


def _begun(item: Json) -> Json:
    nothing = {"content": []} if item["type"] == "message" else {"arguments": ""}
    return item | nothing | {"status": "in_progress"}


def _said(part: Json, place: Json) -> list[tuple[str, Json]]:
    if part["type"] == "refusal":
        begun = part | {"refusal": ""}
        said = [("response.refusal.delta", place | {"delta": part["refusal"]})]
    else:
        begun = part | {"text": ""}
        deltas = pieces(part["text"])
        name = "response.output_text.delta"
        said = [(name, place | {"delta": piece, "logprobs": []}) for piece in deltas]
        whole = place | {"text": part["text"], "logprobs": []}
        said.append(("response.output_text.done", whole))
    added = ("response.content_part.added", place | {"part": begun})
    return [added, *said, ("response.content_part.done", place | {"part": part})]


def candidates(parts: list[Json], finish: str = "STOP") -> Json:
    return {
        "candidates": [
            {"content": {"role": "model", "parts": parts}, "finishReason": finish, "index": 0}
        ],
        "usageMetadata": {"promptTokenCount": 21, "candidatesTokenCount": 8, "totalTokenCount": 29},
        "modelVersion": "port-1",
        "responseId": "r7",
    }


def candidates_events(reply: Json) -> list[bytes]:
    whole = reply["candidates"][0]
    parts = whole["content"]["parts"]
    usage = reply["usageMetadata"]
    found = []
    for part in parts:
        split = pieces(part["text"]) if "text" in part else [None]
        for piece in split:
            one = part if piece is None else {"text": piece}
            content = {"role": "model", "parts": [one]}
            held = reply | {"candidates": [{"content": content, "index": 0}]}
            found.append(event(held | {"usageMetadata": usage | {"candidatesTokenCount": 1}}))
    last = whole | {"content": {"role": "model", "parts": []}}
    return [*found, event(reply | {"candidates": [last]})]


DIALECTS = (
    Dialect(
        "chat",
        says=lambda text: chat({"content": text}),
        calls=lambda name, arguments: chat(
            {"content": None, "tool_calls": [chat_call(name, arguments)]}, "tool_calls"
        ),
        empty=chat({"content": ""}),
        cut=lambda text: chat({"content": text}, "length"),
        declined=lambda text: chat({"content": text}, "content_filter"),
        events=chat_events,
    ),
    Dialect(
        "responses",
        says=lambda text: response([output_text(text)]),
        calls=lambda name, arguments: response([response_call(name, arguments)]),
        empty=response([output_text("")]),
        cut=lambda text: response([output_text(text)], "incomplete", "max_output_tokens"),
        declined=lambda text: response([output_text(text)], "incomplete", "content_filter"),
        events=response_events,
    ),
    Dialect(
        "messages",
        says=lambda text: messages([{"type": "text", "text": text}], "end_turn"),
        calls=lambda name, arguments: messages(
            [{"type": "tool_use", "id": "toolu_7", "name": name, "input": arguments}], "tool_use"
        ),
        empty=messages([], "end_turn"),
        cut=lambda text: messages([{"type": "text", "text": text}], "max_tokens"),
        declined=lambda text: messages([{"type": "text", "text": text}], "refusal"),
        events=messages_events,
    ),
    Dialect(
        "gemini",
        says=lambda text: candidates([{"text": text}]),
        calls=lambda name, arguments: candidates(
            [{"functionCall": {"name": name, "args": arguments}}]
        ),
        empty=candidates([]),
        cut=lambda text: candidates([{"text": text}], "MAX_TOKENS"),
        declined=lambda text: candidates([{"text": text}], "SAFETY"),
        events=candidates_events,
    ),
)


def joined(events: Iterable[bytes]) -> bytes:
    """Return a stream as one body."""
    return b"".join(events)
