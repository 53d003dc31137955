"""Streamed replies, event by event, where a server takes liberties with them."""

import json
from collections.abc import Mapping
from typing import Any

from research_eval.model.wire import fit
from research_eval.model.wire.repair import modernised, read_finish
from research_eval.model.wire.words import is_well_formed
from research_eval.schema.outside import read_json

__all__ = ["StreamRepairer"]

_ENDINGS = frozenset(
    {"message_stop", "response.completed", "response.incomplete", "response.failed", "error"}
)
"""Events after which a reply is complete, in formats that name their events."""


class StreamRepairer:
    """Repairs the events of one streamed reply and knows whether it came to its end."""

    def __init__(self, notes: list[str]) -> None:
        """Take the list that gets what the record of the call must say of the reply."""
        self._notes = notes
        self.is_complete = False
        """Whether the server said that the reply is over."""
        self._any_event = False
        self._broken_off: str | None = None
        self._used: dict[str, Any] = {}
        self._calls: dict[object, _Call] = {}
        self._made = 0
        self._blocks_left_out: set[object] = set()

    @property
    def was_cut(self) -> bool:
        """Whether the reply began and has not come to its end."""
        return self._any_event and not self.is_complete

    @property
    def broken_off(self) -> str | None:
        """Why the reply cannot be whole, in words; `None` while it can."""
        return self._broken_off

    def line(self, line: bytes) -> bytes:
        """Return one line of the stream as it should have been."""
        if line.startswith((b":", b"id:", b"retry:")):
            return b""  # a comment, or for who would reconnect: one library takes them for data
        if not line.startswith(b"data:"):
            return line
        data = line[len(b"data:") :].strip()
        if data == b"[DONE]":
            if self._any_event and not self.is_complete:
                self._notes.append("no_finish_reason")
            self.is_complete = True
            return line
        self._any_event = self._any_event or bool(data)
        try:
            value = read_json(data)
        except ValueError:
            return line
        return self._repaired(line, value) if isinstance(value, dict) else line

    def _repaired(self, line: bytes, value: dict[str, Any]) -> bytes:
        before = json.dumps(value, sort_keys=True)
        repaired = self._event(value)
        if repaired is None:
            return b": left out\n"
        if json.dumps(repaired, sort_keys=True) == before:
            return line
        ending = line[len(line.rstrip(b"\r\n")) :]
        return b"data: " + json.dumps(repaired).encode() + ending

    def _event(self, value: dict[str, Any]) -> dict[str, Any] | None:
        if value.get("error"):
            self.is_complete = True
        if not is_well_formed(value):
            self._broken_off = "with an event that cannot be read"
        match value:
            case {"type": str() as kind}:
                return self._named(kind, value)
            case {"candidates": [*candidates]}:
                self.is_complete |= any(
                    isinstance(c, dict) and bool(c.get("finishReason")) for c in candidates
                )
                fitted: dict[str, Any] = fit.GEMINI(value)
                return fitted
            case {"choices": _}:
                return self._chunk(value)
            case _:
                return value

    def _named(self, kind: str, value: dict[str, Any]) -> dict[str, Any] | None:
        """Repair an event of Anthropic's; those of the responses API are read as they are."""
        self.is_complete |= kind in _ENDINGS
        fitted: dict[str, Any] = value
        match kind:
            case "message_start":
                fitted = fit.MESSAGE_START(value)
            case "message_delta":
                fitted = fit.MESSAGE_DELTA(value)
            case "content_block_start":
                block = fit.block(value.get("content_block"))
                if block is fit.ABSENT:
                    self._blocks_left_out.add(value.get("index"))
                    return None
                fitted = value | {"content_block": block}
            case "content_block_delta" | "content_block_stop":
                if value.get("index") in self._blocks_left_out:
                    return None
            case "response.completed" | "response.incomplete":
                response = fit.RESPONSE(value.get("response"))
                fitted = value if response is fit.ABSENT else value | {"response": response}
        return fitted

    def _chunk(self, value: dict[str, Any]) -> dict[str, Any]:
        """Repair an event of a chat completion."""
        chunk: dict[str, Any] = fit.CHUNK(value)
        modernised(chunk, "delta", nothing="")
        for choice in chunk["choices"]:
            self._number_calls(choice["delta"])
            self._finish(choice)
        holders = [one for one in (chunk, chunk.get("x_groq")) if one and one.get("usage")]
        if holders:
            fresh = self._increment(holders[0]["usage"])
            for holder in holders:
                holder["usage"] = fresh
        return chunk

    def _finish(self, choice: dict[str, Any]) -> None:
        given = choice.get("finish_reason")
        if not given or not isinstance(given, str):
            choice["finish_reason"] = None
            return
        self.is_complete = True
        kind, note = read_finish(choice, {"tool_calls": self._calls or None})
        if note:
            self._notes.append(note)
        if kind == "error":
            self._broken_off = f"with finish reason {given}"
        choice["finish_reason"] = {"refusal": "content_filter", "error": "stop"}.get(kind, kind)

    def _number_calls(self, delta: dict[str, Any]) -> None:
        """Give each call an index of its own, where a server starts several under one."""
        for item in delta.get("tool_calls") or []:
            given = item.get("index")
            key = given if isinstance(given, int) and given >= 0 else 0
            call = self._calls.get(key)
            function = item["function"]
            if call is None or call.is_another(item.get("id"), function):
                call = self._calls[key] = _Call(self._made, item.get("id"))
                self._made += 1
            elif function.get("name") == call.name:
                function.pop("name", None)
            call.add(function)
            item["index"] = call.index

    def _increment(self, usage: Mapping[str, Any]) -> dict[str, Any]:
        """Return what was used since the last report: libraries add the reports of all events up."""
        fresh = _beyond(usage, self._used)
        self._used = _highest(usage, self._used)
        return fresh


class _Call:
    """One tool call of a stream, as far as it has come."""

    def __init__(self, index: int, call_id: object) -> None:
        self.index = index
        self.id = call_id
        self.name = ""
        self._arguments = ""

    def is_another(self, call_id: object, function: Mapping[str, Any]) -> bool:
        """Return whether a piece begins another call than this one."""
        if call_id:
            return bool(self.id) and call_id != self.id
        return bool(function.get("name")) and bool(self.name) and self._is_whole()

    def add(self, function: Mapping[str, Any]) -> None:
        self.name = self.name or str(function.get("name") or "")
        self._arguments += str(function.get("arguments") or "")

    def _is_whole(self) -> bool:
        try:
            return isinstance(read_json(self._arguments), dict)
        except ValueError:
            return False


def _beyond(usage: Mapping[str, Any], used: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _beyond(value, used.get(name) or {})
        if isinstance(value, dict)
        else max(0, value - (used.get(name) or 0))
        for name, value in usage.items()
    }


def _highest(usage: Mapping[str, Any], used: Mapping[str, Any]) -> dict[str, Any]:
    return dict(used) | {
        name: _highest(value, used.get(name) or {})
        if isinstance(value, dict)
        else max(value, used.get(name) or 0)
        for name, value in usage.items()
    }
