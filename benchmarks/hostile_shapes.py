"""Replies that real servers sent, as shapes for benchmarks/hostile_wire.py: with our words, one field other.

A folder holds files as projects record them: cassettes of vcrpy, Ruby's VCR, go-vcr and pydantic-ai
(YAML), JSON bodies, and streams with one event a line. What API a reply is of, its fields say; an
error says it by the name of its folder. The text of an answer is replaced by what an honest model
would say, so that whatever is judged must pass; a call stands in the place of the first reply.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from hostile_dialects import Json, event
from hostile_faults import EVENTS, JSON, Answer, Fault, Moment, mutation

STEADY = 0.1
"""The share of replies that are sent as they were recorded."""
FOLDERS = {"anthropic": "messages", "gemini": "gemini", "openai_responses": "responses"}
"""Whose errors a folder holds; `serper` and `brave` are their own, all others are chat completions."""
SEARCHES = ("serper", "brave")
CALLS = re.compile(r'"(?:tool_calls|functionCall)": |"type": "(?:tool_use|function_call)"')


class _Loader(yaml.CSafeLoader):
    """Safe YAML, with the tag that Ruby gives to text of unknown encoding."""


_Loader.add_constructor("!binary", lambda _, node: base64.b64decode(node.value))


class Shape(NamedTuple):
    """One reply as a server sent it."""

    name: str
    channel: str
    status: int
    parts: tuple[Json, ...]
    """The events of a stream, else the one body."""

    @property
    def is_stream(self) -> bool:
        """Whether it came as a stream."""
        return self.channel.endswith("-streamed")

    @property
    def is_answer(self) -> bool:
        """Whether it holds the text of an answer, and no call."""
        return self.status < 400 and not self._calls and any(True for _ in _slots(self.parts))

    @property
    def _calls(self) -> bool:
        return CALLS.search(json.dumps(self.parts)) is not None

    def planted(self, truth: str) -> list[Json]:
        """Return its parts with the honest words in place of the recorded ones."""
        parts = json.loads(json.dumps(self.parts))
        words = truth if self.is_answer else ""
        said = ""
        for holder, field, is_piece in _slots(parts):
            if not is_piece:
                holder[field] = words
            elif holder[field]:
                holder[field], said = (words if not said else ""), words
        return list(parts)


def read_shapes(folder: Path) -> dict[str, list[Shape]]:
    """Return the shapes of a folder by the channel that they are of; what is of none is left out."""
    found: dict[str, list[Shape]] = {}
    for path in sorted(folder.rglob("*")):
        for status, body in _replies(path) if path.is_file() else ():
            shape = _shape(path, status, body)
            if shape is not None:
                found.setdefault(shape.channel, []).append(shape)
    return found


def shape_faults(shapes: list[Shape]) -> list[Fault]:
    """Return a class of faults for each shape: the reply with one field lost, doubled or other."""
    return [_fault(shape) for shape in shapes]


def _fault(shape: Shape) -> Fault:
    name = f"recorded: {shape.name}"
    if shape.channel in SEARCHES:
        return Fault(name, "completed*", _sent(shape))
    if shape.is_answer:
        return Fault(name, "*", _sent(shape))
    return Fault(name, "*", _sent(shape), at="call", always=False)


def _sent(shape: Shape) -> Callable[[Moment], Answer]:
    def answer(m: Moment) -> Answer:
        parts = shape.planted(m.truth)
        if m.rng.random() >= STEADY:
            place = m.rng.choice([n for n, part in enumerate(parts) if part])
            parts[place] = mutation(parts[place], m.rng, keeps_words=shape.is_stream)
        if not shape.is_stream:
            return Answer(shape.status, (JSON,), json.dumps(parts[0]).encode())
        name = {"messages-streamed", "responses-streamed"}
        events = [
            event(part, str(part.get("type") or "") if shape.channel in name else "")
            for part in parts
        ]
        ends = [b"data: [DONE]\n\n"] if shape.channel == "chat-streamed" else []
        return Answer(shape.status, (EVENTS,), (*events, *ends))

    return answer


def _slots(parts: Any) -> Iterator[tuple[Json, str, bool]]:
    """Yield where text of an answer stands: holder, field, and whether it is one piece of several."""
    for value in parts:
        yield from _slots_within(value)


def _slots_within(value: Any) -> Iterator[tuple[Json, str, bool]]:
    if isinstance(value, list):
        yield from _slots(value)
    if not isinstance(value, dict):
        return
    kind = value.get("type")
    if kind == "response.output_text.delta":
        yield value, "delta", True
    elif kind in {"response.output_text.done", "output_text"}:
        yield value, "text", False
    elif isinstance(value.get("text"), str) and kind in {None, "text", "text_delta"}:
        if not value.get("thought"):
            yield value, "text", True
    elif isinstance(value.get("content"), str) and kind is None:
        yield value, "content", True
    yield from _slots([item for key, item in value.items() if key not in {"input", "args"}])


def _replies(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield the replies of a file: status, and the body as text or as JSON."""
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    if path.suffix in {".yaml", ".yml"}:
        yield from _cassette(yaml.load(text, Loader=_Loader))
    elif path.suffix == ".json":
        value = json.loads(text)
        cases = value.get("cases") if isinstance(value, dict) else None
        yield from (
            ((one.get("status", 400), one.get("body")) for one in cases)
            if isinstance(cases, list)
            else ((200, value),)
        )
    elif path.suffix == ".txt":
        yield 200, text


def _cassette(value: Any) -> Iterator[tuple[int, Any]]:
    if not isinstance(value, dict):
        return
    for one in value.get("interactions") or value.get("http_interactions") or ():
        reply = one["response"]
        status = reply.get("status") or 200
        status = status.get("code", 200) if isinstance(status, dict) else reply.get("code", 200)
        body = reply.get("parsed_body", reply.get("body"))
        if isinstance(body, dict) and ("string" in body or "base64_string" in body):
            body = body.get("string", body.get("base64_string"))
        yield status, body


def _shape(path: Path, status: int, body: Any) -> Shape | None:
    if isinstance(body, bytes):
        body = body.decode("utf-8", "replace")
    if isinstance(body, str):
        body = _read(body)
    if isinstance(body, dict):
        kind = _kind(body, path.parent.name)
        parts: tuple[Json, ...] = (body,)
    elif isinstance(body, list) and body and all(isinstance(one, dict) for one in body):
        kind, parts = _kind(body[0], ""), tuple(body)
        kind = f"{kind}-streamed" if kind else None
    else:
        return None
    name = re.sub(r"[^\w.-]+", "-", path.name.partition("__")[2] or path.stem)[:40]
    return Shape(name, kind, status, parts) if kind else None


def _read(text: str) -> Any:
    """Return the body of one JSON value, or the events of a stream; `None` for neither."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    found = []
    for line in text.splitlines():
        data = line.removeprefix("data:").strip()
        if not data.startswith("{"):
            continue
        try:
            found.append(json.loads(data))
        except ValueError:
            return _unpacked(text)
    return found or _unpacked(text)


def _unpacked(text: str) -> Any:
    try:
        return json.loads(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        return None


def _kind(body: Json, folder: str) -> str | None:
    """Return the channel whose servers write such a body."""
    kind = str(body.get("type") or "")
    signs = (
        ("chat", "choices" in body),
        ("gemini", "candidates" in body),
        ("responses", body.get("object") == "response" or kind.startswith("response.")),
        ("messages", kind.startswith("message")),
        (folder, folder in SEARCHES),
        (FOLDERS.get(folder, "chat"), "error" in body and bool(folder)),
    )
    return next((channel for channel, is_it in signs if is_it), None)
