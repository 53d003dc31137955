"""What model APIs send that is no plain answer, by class, and what each class must come to.

What a trial came to is written `status/cause + marks`: the cause where it has a failure, then the
notes of its model calls, `retried` where a request was sent again, and the errors of its tools.
"""

import gzip
import json
import random
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

from hostile_dialects import Dialect, Json, event

JSON = ("content-type", "application/json")
EVENTS = ("content-type", "text/event-stream")
HALF = "\ud83d"
DEEP = "[" * 100_000 + "]" * 100_000
LONG = "9" * 5_000
RAW = "@raw@"
"""Stands in a reply for text that is no JSON that Python would write."""


class Answer(NamedTuple):
    """What a server puts on the wire."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = (JSON,)
    body: bytes | tuple[bytes, ...] = b""
    """In pieces it is sent chunked, else with its length."""
    ending: Literal["whole", "short", "broken", "raw"] = "whole"
    """`short`: less comes than was announced. `broken`: the chunks end in a lie. `raw`: no HTTP but
    the body itself."""
    pause_s: float = 0.0
    """Before each piece."""


class Moment(NamedTuple):
    """When a fault is drawn: who is asked, for what, and what an honest model would say."""

    dialect: Dialect
    is_stream: bool
    truth: str
    url: str
    rng: random.Random

    @property
    def honest(self) -> Json:
        """The honest answer."""
        return self.dialect.says(self.truth)

    @property
    def call(self) -> Json:
        """The honest call: it opens the page."""
        return self.dialect.calls("fetch", {"url": self.url})

    def sent(self, reply: Json, raw: str = "") -> Answer:
        """Return a reply on the wire, streamed where streams are asked for."""
        if not self.is_stream:
            return Answer(body=_filled(json.dumps(reply).encode(), raw))
        events = tuple(_filled(one, raw) for one in self.dialect.events(reply))
        return Answer(headers=(EVENTS,), body=events)

    def whole(self) -> bytes:
        """Return the honest answer in one piece."""
        body = self.sent(self.honest).body
        return body if isinstance(body, bytes) else b"".join(body)

    def plain(self, body: bytes, kind: str = "") -> Answer:
        """Return any body, called what a good one is called."""
        usual = EVENTS if self.is_stream else JSON
        return Answer(headers=(("content-type", kind),) if kind else (usual,), body=body)


class Fault(NamedTuple):
    """One class of replies."""

    name: str
    comes_to: str
    """Where several are right, with ` | ` between; `*` is anything but a verdict on no answer."""
    answer: Callable[[Moment], Answer]
    at: Literal["call", "answer"] = "answer"
    """Whether it takes the place of the first reply, which opens a page, or of the last."""
    always: bool = True
    """Whether it is sent every time, or the first time alone."""
    channels: str = ""
    """A pattern for the channels that it can be met on; empty is all."""
    is_rare: bool = False
    """Whether it costs much, so that each channel meets it once."""


def _filled(body: bytes, raw: str) -> bytes:
    return body.replace(f'"{RAW}"'.encode(), raw.encode()) if raw else body


def _error(status: int, body: Json, *headers: tuple[str, str]) -> Callable[[Moment], Answer]:
    return lambda _: Answer(status, (JSON, *headers), json.dumps(body).encode())


def _says(text: str) -> Callable[[Moment], Answer]:
    return lambda m: m.sent(
        m.dialect.says(text.replace("{truth}", m.truth).replace("{url}", m.url))
    )


def _with_field(raw: str) -> Callable[[Moment], Answer]:
    """Return a fault that gives the honest answer a field that nobody knows."""
    return lambda m: m.sent(m.honest | {"unheard_of": RAW}, raw)


def _calls(name: str, arguments: Json, raw: str = "") -> Callable[[Moment], Answer]:
    return lambda m: m.sent(m.dialect.calls(name, arguments), raw)


def _words(message: str, code: str | int = "") -> Json:
    return {"error": {"message": message, "code": code, "type": "error"}}


def _cut(share: float) -> Callable[[Moment], Answer]:
    def answer(m: Moment) -> Answer:
        body = m.sent(m.honest).body
        if isinstance(body, bytes):
            return Answer(body=body[: int(len(body) * share)])
        return Answer(headers=(EVENTS,), body=body[: int(len(body) * share)])

    return answer


def _ended(ending: Literal["short", "broken"]) -> Callable[[Moment], Answer]:
    def answer(m: Moment) -> Answer:
        sent = m.sent(m.honest)
        body = sent.body
        half = body[: len(body) // 2]
        if ending == "broken" and isinstance(half, bytes):
            half = (half,)
        return sent._replace(body=half, ending=ending)

    return answer


def _raw(text: bytes) -> Callable[[Moment], Answer]:
    return lambda _: Answer(body=text, ending="raw")


def _coded(coding: str, encode: Callable[[bytes], bytes]) -> Callable[[Moment], Answer]:
    def answer(m: Moment) -> Answer:
        sent = m.plain(encode(m.whole()))
        return sent._replace(headers=(*sent.headers, ("content-encoding", coding)))

    return answer


def _headed(*headers: tuple[str, str]) -> Callable[[Moment], Answer]:
    def answer(m: Moment) -> Answer:
        sent = m.sent(m.honest)
        return sent._replace(headers=(*sent.headers, *headers))

    return answer


def _to(location: str) -> Callable[[Moment], Answer]:
    return lambda _: Answer(302, (("location", location),))


TRANSIENT = (
    ("status 500", _error(500, _words("it broke")), "server"),
    ("status 502 in HTML", lambda m: m.plain(b"<h1>Bad gateway", "text/html")._replace(status=502), "server"),
    ("status 503", _error(503, _words("busy")), "overloaded"),
    ("status 529", _error(529, _words("Overloaded")), "overloaded"),
    ("status 408", _error(408, _words("too slow")), "timeout"),
    ("429 with Retry-After 0", _error(429, _words("slow down"), ("retry-after", "0")), "rate_limited"),
    ("429 with a wait that is no number", _error(429, _words("slow down"), ("retry-after", "soon")), "rate_limited"),
    ("an error of overload with 200", _error(200, _words("overloaded", "overloaded_error")), "overloaded"),
    ("less than was announced", _ended("short"), "connection"),
    ("chunks that break", _ended("broken"), "connection"),
    ("a close before any byte", _raw(b""), "connection"),
    ("a status line that is none", _raw(b"PORT 1907\r\n\r\n"), "connection"),
    ("half a reply, well closed", _cut(0.5), "connection"),
)  # fmt: skip
"""Each is met for ever, and once before a good answer."""


def _transient() -> Iterator[Fault]:
    for name, answer, kind in TRANSIENT:
        yield Fault(f"{name}, for ever", f"error/{kind}", answer)
        yield Fault(f"{name}, once", "completed + retried", answer, always=False)


ANY = (
    Fault("an honest answer", "completed", lambda m: m.sent(m.honest)),
    Fault("an invented page", "rejected", _says("In 1907 [x](https://invented.example/x).")),
    Fault("no page at all", "rejected", _says("In 1907.")),
    Fault("an invented page, taken back", "completed",
          _says("In 1907 [x](https://invented.example/x)."), always=False),
    Fault("half a surrogate pair", "completed + replaced_surrogates", _says("{truth} " + HALF)),
    Fault("control and bidi characters", "completed", _says("{truth} \x00\x07\x1b[31m\u202e\u2066\ufeff")),
    Fault("an empty reply", "empty/empty", lambda m: m.sent(m.dialect.empty)),
    Fault("an empty reply, once", "completed", lambda m: m.sent(m.dialect.empty), always=False),
    Fault("blanks alone", "empty/empty", _says(" \n\t ")),
    Fault("cut by the limit of tokens", "cut/length", lambda m: m.sent(m.dialect.cut("In 19"))),
    Fault("cut before the first word", "cut/length", lambda m: m.sent(m.dialect.cut(""))),
    Fault("withheld", "refused", lambda m: m.sent(m.dialect.declined("I cannot"))),
    # the client library may take the tags out of a whole chat completion itself
    Fault("reasoning in the text", "completed | completed + reasoning_in_text", channels="^chat$",
          answer=_says("<think>https://invented.example/y</think>{truth}")),
    Fault("reasoning in the text", "completed + reasoning_in_text", channels="^(?!chat$)",
          answer=_says("<think>https://invented.example/y</think>{truth}")),
    Fault("reasoning whose end alone is marked", "completed + reasoning_in_text",
          _says("It may be https://invented.example/y </think>{truth}")),
    Fault("reasoning alone", "empty/only_reasoning + only_reasoning*",
          _says("<think>https://invented.example/y</think>")),
    Fault("channels of harmony", "completed + reasoning_in_text",
          _says("<|channel|>analysis<|message|>https://invented.example/y<|end|>"
                "<|start|>assistant<|channel|>final<|message|>{truth}")),
    Fault("a call in the text", "completed + repaired_call", at="call",
          answer=_says('<tool_call>{"name": "fetch", "arguments": {"url": "{url}"}}</tool_call>')),
    Fault("a call in a fence", "completed + repaired_call", at="call",
          answer=_says('```json\n{"name": "fetch", "arguments": {"url": "{url}"}}\n```')),
    Fault("a call in the text that nobody can read", "protocol/malformed_call",
          _says("<tool_call>open https://invented.example/y</tool_call>")),
    Fault("a call in the text that is nested deep", "protocol/malformed_call",
          _says('<tool_call>{"name": "fetch", "arguments": ' + "[" * 3_000 + "</tool_call>")),
    Fault("a tool that nobody has", "completed + unknown_tool", _calls("port", {"x": 1}), at="call", always=False),
    Fault("arguments of the wrong type", "completed + invalid_arguments", _calls("fetch", {"url": [7]}), at="call", always=False),
    Fault("no arguments", "completed + invalid_arguments", _calls("fetch", {}), at="call", always=False),
    Fault("arguments with half a pair", "completed + *", _calls("fetch", {"url": f"https://{HALF}/"}), at="call", always=False),
    Fault("arguments that are nested deep", "*", _calls("fetch", {"url": RAW}, DEEP), at="call", always=False),
    Fault("arguments with a number of 5,000 digits", "*", _calls("fetch", {"url": RAW}, LONG), at="call", always=False),
    Fault("arguments with NaN", "*", _calls("fetch", {"url": RAW}, "NaN"), at="call", always=False),
    Fault("a call for ever", "limit/turns", lambda m: m.sent(m.call)),
    Fault("a field that is nested deep", "completed | error/malformed", _with_field(DEEP)),
    Fault("a field of 5,000 digits", "completed | error/malformed", _with_field(LONG)),
    Fault("a field that is NaN", "completed | error/malformed | error/connection", _with_field("NaN")),
    Fault("a field with half a pair", "completed + replaced_surrogates | completed", _with_field(r'"\ud83d"')),
    Fault("JSON that is nested deep, alone", "error/malformed", lambda m: m.plain(DEEP.encode())),
    Fault("JSON that is nested deep and cut", "error/malformed | error/connection", lambda m: m.plain(b"[" * 100_000)),
    Fault("HTML in place of JSON", "error/malformed", lambda m: m.plain(b"<h1>Welcome to the hotel", "text/html")),
    Fault("HTML that is called JSON", "error/malformed", lambda m: m.plain(b"<h1>Welcome to the hotel")),
    Fault("null", "error/malformed", lambda m: m.plain(b"null")),
    Fault("a list", "error/malformed", lambda m: m.plain(b"[1, 2]")),
    Fault("a text", "error/malformed", lambda m: m.plain(b'"In 1907."')),
    Fault("an empty object", "error/malformed", lambda m: m.plain(b"{}")),
    Fault("nothing at all", "error/malformed | error/connection", lambda m: m.plain(b"")),
    Fault("bytes that are no text", "error/malformed", lambda m: m.plain(b"\xff\xfe\x00{" * 50)),
    Fault("another format's reply", "error/malformed", lambda m: m.plain(b'{"message": {"role": "assistant", "content": "In 1907."}, "done": true}')),
    Fault("status 400", "error/other", _error(400, _words("no"))),
    Fault("status 400 with half a pair", "error/other", _error(400, _words(f"no {HALF}"))),
    Fault("status 400, nested deep", "error/other | error/malformed", lambda _: Answer(400, (JSON,), b'{"error": ' + DEEP.encode() + b"}")),
    Fault("status 400, too long", "limit/context", _error(400, _words("maximum context length is 9 tokens", "context_length_exceeded"))),
    Fault("status 400, filtered", "refused/content_filter", _error(400, _words("filtered", "content_filter"))),
    Fault("status 418", "error/other", _error(418, _words("a teapot"))),
    Fault("status 204", "error/malformed | error/connection", lambda _: Answer(204, ())),
    Fault("gzip", "completed", _coded("gzip", gzip.compress)),
    Fault("gzip that is none", "error/connection | error/malformed", _coded("gzip", lambda body: body)),
    Fault("gzip that is cut", "error/connection | error/malformed | completed", _coded("gzip", lambda body: gzip.compress(body)[:-20])),
    Fault("deflate", "completed", _coded("deflate", zlib.compress)),
    Fault("a coding that nobody knows", "error/malformed | completed", _coded("port", lambda body: body)),
    Fault("headers that are no ASCII", "completed", _headed(("x-port", "h\xe4fen \ud83d"))),
    Fault("a header of 30 kB", "completed", _headed(("x-port", "7" * 30_000))),
    Fault("a header of 300 kB", "error/connection", _headed(("x-port", "7" * 300_000))),
    Fault("a charset that nobody knows", "completed", lambda m: m.sent(m.honest)._replace(
        headers=(("content-type", ("text/event-stream" if m.is_stream else "application/json") + "; charset=port"),))),
    *(Fault(f"a redirect to {to[:24]}", "error/other | error/connection | error/malformed", _to(to)) for to in (
        "mailto:a@port.example", "javascript:alert(1)", "data:,x", "file:///etc/passwd", "http://xn--a/", "//", "http:10.0.0.1")),
    Fault("a redirect to itself", "error/other | error/connection | error/malformed", _to("")),
    Fault("a line of 50 MB", "completed | error/*", is_rare=True, answer=_says("{truth} " + "7" * 50_000_000)),
    Fault("50 MB of blanks", "error/*", is_rare=True, answer=lambda m: m.plain(b" " * 50_000_000)),
    Fault("200 MB in 200 kB of gzip", "error/*", is_rare=True, answer=_coded("gzip", lambda _: gzip.compress(b" " * 200_000_000))),
    Fault("one byte a second", "error/timeout", is_rare=True, answer=lambda m: Answer(
        headers=(EVENTS if m.is_stream else JSON,), body=tuple(bytes([b]) for b in m.whole()[:60]), pause_s=1.0)),
    *_transient(),
)  # fmt: skip
"""Faults of every channel."""


def _lines(edit: Callable[[list[bytes], Moment], list[bytes]]) -> Callable[[Moment], Answer]:
    def answer(m: Moment) -> Answer:
        events = m.dialect.events(m.honest)
        return Answer(headers=(EVENTS,), body=tuple(edit(events, m)))

    return answer


def _error_event(m: Moment) -> bytes:
    if m.dialect.name == "gemini":
        return event({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}})
    error = {"type": "overloaded_error", "message": "busy", "code": 503}
    return event({"type": "error", "error": error}, "error")


def _split_everywhere(events: list[bytes], _: Moment) -> list[bytes]:
    body = b"".join(events)
    return [body[start : start + 7] for start in range(0, len(body), 7)]


def _pair_over_two(m: Moment) -> Answer:
    sent = m.sent(m.dialect.says(m.truth + " @@@@@@"))
    assert isinstance(sent.body, tuple)
    body = b"".join(sent.body).replace(b"@@@@@@", rb"\ud83d\ude00")
    return sent._replace(body=(body,))


STREAMED = (
    Fault("bytes in sevens", "completed", _lines(_split_everywhere)),
    Fault("carriage returns", "completed", _lines(lambda events, _: [one.replace(b"\n", b"\r\n") for one in events])),
    Fault("no blank after data:", "completed", _lines(lambda events, _: [one.replace(b"data: ", b"data:") for one in events])),
    Fault("comments and ids", "completed", _lines(lambda events, _: [b": ping\n\n", *(b"id: 7\nretry: 5\n" + one for one in events)])),
    Fault("an event that nobody knows", "completed", _lines(
        lambda events, _: [*events[:1], event({"type": "port_opened", "x": 1}, "port_opened"), *events[1:]]), channels="messages|responses"),
    Fault("an event that is no JSON", "*", _lines(lambda events, _: [*events[:2], b"data: port\n\n", *events[2:]])),
    Fault("an event with NaN", "*", _lines(lambda events, _: [*events[:2], b'data: {"choices": [], "x": NaN}\n\n', *events[2:]])),
    Fault("an event that is nested deep", "*", _lines(
        lambda events, _: [*events[:2], b"data: " + DEEP.encode() + b"\n\n", *events[2:]])),
    Fault("an error in the middle", "error/overloaded | error/server", _lines(
        lambda events, m: [*events[:2], _error_event(m)])),
    Fault("a pair over two escapes", "completed", _pair_over_two),
    Fault("the same stream twice", "*", _lines(lambda events, _: events * 2)),
    Fault("the events backwards", "*", _lines(lambda events, _: events[::-1]), channels="chat|messages"),
    Fault("JSON in place of a stream", "*", lambda m: Answer(body=json.dumps(m.honest).encode())),
)  # fmt: skip
"""Faults of streams."""

CHAT = (
    Fault("no finish reason", "completed + no_finish_reason", lambda m: m.sent(_finish(m.honest, None))),
    Fault("an unknown finish reason", "completed + unknown_finish_reason", lambda m: m.sent(_finish(m.honest, "moored"))),
    Fault("finish reason error", "error/server | error/connection | error/overloaded", lambda m: m.sent(_finish(m.honest, "error"))),
    Fault("no choices", "error/server", lambda m: m.plain(json.dumps(m.honest | {"choices": []}).encode()), channels="chat$"),
    Fault("choices null", "error/server", lambda m: m.plain(json.dumps(m.honest | {"choices": None}).encode()), channels="chat$"),
    Fault("metadata of any type", "completed", lambda m: m.sent(
        m.honest | {"id": None, "model": None, "created": 1760000000.5, "usage": {"prompt_tokens": None}}), channels="chat$"),
    Fault("a refusal in its field", "refused/refusal", channels="chat$",
          answer=lambda m: m.plain(json.dumps(m.honest).replace('"content"', '"content": null, "refusal"').encode())),
)  # fmt: skip
"""Faults of chat completions."""


def _finish(reply: Json, word: str | None) -> Json:
    return reply | {"choices": [reply["choices"][0] | {"finish_reason": word}]}


WORDS = {"content", "text", "delta", "partial_json", "arguments", "parts"}
"""Names of fields with words in them, and of what holds those."""
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 1e308, 10**25, "", [], {}, [[]], [None], {"a": None}, [{"text": 3}],
)  # fmt: skip
"""What takes the place of a field."""


def mutated(m: Moment, reply: Json) -> Answer:
    """Return a reply with one field lost, doubled or of another type, in the whole or in one event."""
    if not m.is_stream:
        return Answer(body=json.dumps(mutation(reply, m.rng)).encode())
    events = m.dialect.events(reply)
    place = m.rng.randrange(len(events))
    chosen = events[place]
    data = re.search(rb"^data: (\{.*\})$", chosen, re.MULTILINE)
    if data is not None:
        other = json.dumps(mutation(json.loads(data[1]), m.rng, keeps_words=True)).encode()
        events[place] = chosen.replace(data[1], other)
    return Answer(headers=(EVENTS,), body=tuple(events))


def mutation(value: Json, rng: random.Random, *, keeps_words: bool = False) -> Json:
    """Return a copy in which one value, drawn among all of them, is another one.

    With `keeps_words` no words are lost in a form that is right: nobody could notice that.
    """
    while True:
        copy, path, new = _mutated_once(value, rng)
        if not keeps_words or not _may_hold_words(value, path) or _is_odd(new):
            return copy


def _may_hold_words(value: Json, path: tuple[Any, ...]) -> bool:
    for step in path:
        value = value[step]
    return path[-1] in WORDS or any(f'"{name}"' in json.dumps(value) for name in WORDS)


def _is_odd(new: Json) -> bool:
    """Return whether a value is of a type that words do not have, so that it can be noticed."""
    return isinstance(new, bool | int | float) or new in ([[]], [None])


def _mutated_once(value: Json, rng: random.Random) -> tuple[Json, tuple[Any, ...], Json]:
    """Return the copy, the place of the value, and what stands there now; `None` for nothing."""
    path = rng.choice(list(_paths(value)))
    copy = json.loads(json.dumps(value))
    holder = copy
    for step in path[:-1]:
        holder = holder[step]
    last, old = path[-1], holder[path[-1]]
    drawn = rng.random()
    if drawn < 0.2:
        del holder[last]
        return copy, path, None
    if drawn < 0.4 and isinstance(holder, list):
        holder.append(old)
        return copy, path, None
    if drawn < 0.3 and isinstance(old, str):
        holder[last] = old + HALF
    elif drawn < 0.5:
        holder[last] = [old]
    else:
        holder[last] = rng.choice(ODD)
    return copy, path, holder[last]


def _paths(value: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from _paths(inner, (*path, key))


MUTATED = (
    Fault("a mutated answer", "*", lambda m: mutated(m, m.honest)),
    Fault("a mutated answer, once", "*", lambda m: mutated(m, m.honest), always=False),
    Fault("a mutated call", "*", lambda m: mutated(m, m.call), at="call"),
    Fault("a mutated call, once", "*", lambda m: mutated(m, m.call), at="call", always=False),
)
"""Drawn more often than the others: each is another reply every time."""


def model_faults(channel: str) -> list[Fault]:
    """Return the catalogue of one channel, for instance `chat` or `chat-streamed`."""
    more = (
        *(STREAMED if channel.endswith("streamed") else ()),
        *(CHAT if channel.startswith("chat") else ()),
    )
    return [one for one in (*ANY, *more, *MUTATED) if re.search(one.channels, channel)]
