"""What search APIs, pages and plug-ins do, by class, and what each class must come to.

The model that reads these results is honest: whatever happens, it then opens a steady page and
cites that. So each trial is completed, with the error of its tool in the record.
"""

import gzip
import json
import re

from hostile_dialects import Json
from hostile_faults import DEEP, HALF, JSON, LONG, RAW, Answer, Fault, Moment, mutation

HTML = ("content-type", "text/html; charset=utf-8")
REDIRECTS = (
    "mailto:a@port.example", "tel:+1", "javascript:alert(1)", "data:text/html,x", "ftp://port.example/",
    "file:///etc/passwd", "ws://port.example/", "http:10.0.0.1", "http://xn--a/", "http://xn--127/", "http://",
    "//", "http://a:b@port.example/", "http://[::1", "http://port.example:99999/", "\\\\port.example\\x",
    "http://port.example/\x01",
)  # fmt: skip
BLOCKED = (
    "http://10.0.0.1/",
    "http://169.254.169.254/latest",
    "http://[::1]/",
    "http://2130706433/",
)


def hits(m: Moment) -> Json:
    """Return the reply of a search API of the channel's kind."""
    page = {"title": "The port", "snippet": "It opened."}
    if m.dialect.name == "serper":
        return {
            "searchParameters": {"q": "port"},
            "organic": [page | {"link": m.url, "position": 1}],
        }
    row = {"title": "The port", "url": m.url, "description": "It opened."}
    mixed = {"main": [{"type": "web", "index": 0, "all": False}]}
    return {"type": "search", "query": {"original": "port"}, "mixed": mixed, "web": {"type": "search", "results": [row]}}  # fmt: skip


def _sent(value: Json, raw: str = "") -> Answer:
    body = json.dumps(value)
    return Answer(body=(body.replace(f'"{RAW}"', raw) if raw else body).encode())


def _with_rows(m: Moment, rows: Json) -> Json:
    return {"organic": rows} if m.dialect.name == "serper" else hits(m) | {"web": {"results": rows}}


def _plain(body: bytes, kind: str = "application/json", status: int = 200) -> Answer:
    return Answer(status, (("content-type", kind),), body)


SEARCH = (
    Fault("honest hits", "completed", lambda m: _sent(hits(m))),
    Fault("half a pair in a title and a snippet", "completed", lambda m: _sent(
        json.loads(json.dumps(hits(m)).replace("The port", f"The port {HALF}").replace("It opened", f"{HALF} It")))),
    Fault("half a pair in an address", "completed*", lambda m: _sent(json.loads(json.dumps(hits(m)).replace(m.url, m.url + HALF)))),
    Fault("no hits", "completed + empty", lambda m: _sent(_with_rows(m, []))),
    Fault("rows of the wrong type", "completed + malformed", lambda m: _sent(_with_rows(m, ["a", 7, None]))),
    Fault("rows whose fields have the wrong type", "completed + empty | completed + malformed", lambda m: _sent(_with_rows(m, [{"link": 7, "url": {}, "title": []}]))),
    Fault("no list", "completed + malformed | completed + empty", lambda m: _sent(_with_rows(m, {"a": 1}))),
    Fault("an empty object", "completed + malformed", lambda _: _plain(b"{}")),
    Fault("null", "completed + malformed", lambda _: _plain(b"null")),
    Fault("HTML", "completed + malformed", lambda _: _plain(b"<h1>Welcome to the hotel", "text/html")),
    Fault("nothing at all", "completed + malformed", lambda _: _plain(b"")),
    Fault("bytes that are no text", "completed + malformed", lambda _: _plain(b"\xff\xfe\x00{" * 50)),
    Fault("JSON that is nested deep", "completed + malformed", lambda _: _plain(DEEP.encode())),
    Fault("a field that is nested deep", "completed + malformed | completed", lambda m: _sent(hits(m) | {"x": RAW}, DEEP)),
    Fault("a field of 5,000 digits", "completed + malformed | completed", lambda m: _sent(hits(m) | {"x": RAW}, LONG)),
    Fault("a field that is NaN", "completed + malformed | completed", lambda m: _sent(hits(m) | {"x": RAW}, "NaN")),
    Fault("half a reply, well closed", "completed + malformed", lambda m: _plain(json.dumps(hits(m)).encode()[:60])),
    Fault("less than was announced", "completed + connection", lambda m: _sent(hits(m))._replace(ending="short")),
    Fault("chunks that break", "completed + connection", lambda m: Answer(body=(json.dumps(hits(m)).encode(),), ending="broken")),
    Fault("a close before any byte", "completed + connection", lambda _: Answer(ending="raw")),
    Fault("a status line that is none", "completed + connection", lambda _: Answer(ending="raw", body=b"PORT 1907\r\n\r\n")),
    Fault("status 500", "completed + server", lambda _: _plain(b"{}", status=500)),
    Fault("status 400", "completed + bad_query", lambda _: _plain(b'{"message": "bad"}', status=400)),
    Fault("status 400 with half a pair", "completed + bad_query", lambda _: _plain(b'{"message": "bad \\ud83d"}', status=400)),
    Fault("status 400, nested deep", "completed + bad_query", lambda _: _plain(b'{"message": ' + DEEP.encode() + b"}", status=400)),
    Fault("gzip that is none", "completed + malformed", lambda m: Answer(headers=(JSON, ("content-encoding", "gzip")), body=json.dumps(hits(m)).encode())),
    Fault("gzip of 200 MB", "completed + malformed", is_rare=True,
          answer=lambda _: Answer(headers=(JSON, ("content-encoding", "gzip")), body=gzip.compress(b" " * 200_000_000))),
    Fault("a line of 50 MB", "completed + malformed | completed + timeout", lambda _: _plain(b'"' + b"7" * 50_000_000 + b'"'), is_rare=True),
    Fault("one byte a second", "completed + timeout", is_rare=True,
          answer=lambda m: Answer(body=tuple(bytes([b]) for b in json.dumps(hits(m)).encode()[:60]), pause_s=1.0)),
    *(Fault(f"a redirect to {to[:24]!r}", "completed + malformed | completed + server | completed + bad_query | completed + connection",
            lambda _, to=to: Answer(302, (("location", to),))) for to in REDIRECTS),
    *(Fault("mutated hits", "completed*", lambda m: _sent(mutation(hits(m), m.rng))) for _ in range(8)),
)  # fmt: skip


def page(text: str) -> bytes:
    """Return a page."""
    return f"<html><title>The port</title><body><main><p>{text}</p></main></body></html>".encode()


def _html(_: Moment, more: str = "") -> Answer:
    return Answer(headers=(HTML,), body=page(f"A port. {more}"))


PAGES = (
    Fault("an honest page", "completed", _html),
    Fault("half a pair as a reference", "completed", lambda m: _html(m, "&#xd83d; &#55357;")),
    Fault("half a pair in bytes", "completed", lambda m: _html(m)._replace(body=page("A port.") + b"\xed\xa0\xbd")),
    Fault("a title with half a pair", "completed", lambda m: _html(m)._replace(body=b"<title>A &#xd83d;</title><p>A port.")),
    Fault("elements that are nested deep", "completed*", lambda m: _html(m, "<div>" * 100_000)),
    Fault("JSON that is nested deep", "completed*", lambda _: _plain(DEEP.encode())),
    Fault("JSON with 5,000 digits", "completed*", lambda _: _plain(LONG.encode())),
    Fault("nothing", "completed*", lambda _: _plain(b"", "text/html")),
    Fault("no content type", "completed", lambda m: _html(m)._replace(headers=())),
    Fault("a content type that is none", "completed*", lambda m: _html(m)._replace(headers=(("content-type", "\u00e4;;=,"),))),
    Fault("a charset that nobody knows", "completed", lambda m: _html(m)._replace(headers=(("content-type", "text/html; charset=port"),))),
    Fault("bytes that are no text", "completed*", lambda _: _plain(b"\xff\xfe\x00<" * 500, "text/html")),
    Fault("a PDF that is none", "completed + damaged", lambda _: _plain(b"%PDF-1.7\n" + b"7" * 500, "application/pdf"), is_rare=True),
    Fault("feed with entities that grow", "completed*", is_rare=True, answer=lambda _: _plain(
        b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + b"".join(
            b'<!ENTITY %c "%s">' % (c + 1, b"&%c;" % c * 10) for c in range(97, 106)) + b"]><rss><channel><title>&j;</title></channel></rss>",
        "application/rss+xml")),
    Fault("less than was announced", "completed + connection", lambda m: _html(m)._replace(ending="short")),
    Fault("chunks that break", "completed + connection", lambda m: _html(m)._replace(body=(page("A port."),), ending="broken")),
    Fault("a close before any byte", "completed + connection", lambda _: Answer(ending="raw")),
    Fault("a status line that is none", "completed + connection", lambda _: Answer(ending="raw", body=b"PORT 1907\r\n\r\n")),
    Fault("a header of 300 kB", "completed + connection", lambda m: _html(m)._replace(headers=(HTML, ("x-port", "7" * 300_000)))),
    Fault("headers that are no ASCII", "completed", lambda m: _html(m)._replace(headers=(HTML, ("x-port", f"h\u00e4fen {HALF}"), ("link", "<\ud83d>; rel=canonical")))),
    Fault("gzip that is none", "completed + bad_coding", lambda m: _html(m)._replace(headers=(HTML, ("content-encoding", "gzip")))),
    Fault("a coding that nobody knows", "completed + bad_coding", lambda m: _html(m)._replace(headers=(HTML, ("content-encoding", "port")))),
    Fault("gzip of 200 MB", "completed*", is_rare=True,
          answer=lambda _: Answer(headers=(HTML, ("content-encoding", "gzip")), body=gzip.compress(b" " * 200_000_000))),
    Fault("a line of 50 MB", "completed*", lambda _: _plain(b"7" * 50_000_000, "text/html"), is_rare=True),
    *(Fault(f"status {status}", f"completed + http_{status}", lambda _, status=status: _plain(b"<p>No", "text/html", status))
      for status in (400, 404, 410, 418, 500, 599)),
    Fault("status 204", "completed*", lambda _: Answer(204, ())),
    *(Fault(f"a redirect to {to[:24]!r}", "completed + invalid_url | completed + connection | completed + blocked | completed + too_many_redirects",
            lambda _, to=to: Answer(302, (("location", to),))) for to in REDIRECTS),
    *(Fault(f"a redirect to {to!r}", "completed + blocked", lambda _, to=to: Answer(302, (("location", to),))) for to in BLOCKED),
    Fault("a redirect to itself", "completed + too_many_redirects", lambda _: Answer(302, (("location", ""),))),
    Fault("a refresh to a mail address", "completed*", lambda _: _plain(b'<meta http-equiv=refresh content="0;url=mailto:a@b.example">', "text/html")),
    Fault("a canonical address that is none", "completed", lambda m: _html(m)._replace(body=b'<link rel=canonical href="http://[::1">' + page("A port."))),
)  # fmt: skip


PLUGINS = '''
"""Plug-ins that raise what their number says."""

import asyncio
import re

from research_eval.errors import CassetteWriteError, ConfigError, ModelError, RunOverError
from research_eval.tool.fetch import ExtractedHtml


class Unspeakable(Exception):
    def __str__(self):
        raise ValueError("no words")


class Own(BaseException):
    pass


RAISED = (
    lambda: Exception("port"), lambda: ValueError("half \\ud83d"), lambda: KeyError(), lambda: RecursionError("deep"),
    lambda: MemoryError(), lambda: OSError(28, "No space left on device"), lambda: TimeoutError("late"),
    lambda: StopIteration(7), lambda: StopAsyncIteration(), lambda: AssertionError(), lambda: UnicodeDecodeError("utf-8", b"x", 0, 1, "no"),
    lambda: ExceptionGroup("many", [ValueError("one"), OSError("two")]), lambda: SystemExit(3), lambda: GeneratorExit(),
    lambda: asyncio.CancelledError(), lambda: Own("own"), lambda: BaseExceptionGroup("many", [Own("one")]),
    lambda: ConfigError("mine"), lambda: ModelError("mine", kind="auth"), lambda: Unspeakable(),
    lambda: CassetteWriteError("mine"), lambda: RunOverError("mine"),
)
RETURNED = (None, 7, b"x", [], object(), "\\ud83d", {"answer": 7}, float("nan"))


def fail(text):
    number = int(re.search(r"case-(\\d+)", text)[1])
    if number % 4 == 3:
        return RETURNED[number // 4 % len(RETURNED)]
    raise RAISED[number % len(RAISED)]()


class Search:
    name = "mine"

    def __init__(self, **_):
        pass

    async def search(self, query, max_results):
        return fail(query)


def extract(html, *, url):
    return fail(url) if "/pages/" in url else ExtractedHtml(content=html)


class Gate:
    id = "mine@1"

    def check(self, answer, ledger):
        return fail(answer)

    def corrective(self, verdict):
        return "No."


def ask(question, tools):
    return fail(question)


async def ask_async(question, tools):
    return fail(question)


class Agent:
    def __call__(self, question, corrective=None):
        return fail(question)
'''
"""The module that the configurations with plug-ins name."""

PLUGGED = {
    "search": "completed + crashed | completed + *",
    "extractor": "completed + extractor_failed | completed + *",
    "gate": "error/plugin | error/internal",
    "agent": "error/agent | error/* | rejected",
    "async-agent": "error/agent | error/* | rejected",
    "class-agent": "error/agent | error/* | rejected",
}
"""What each kind of plug-in must come to."""


def web_faults(channel: str) -> list[Fault]:
    """Return the catalogue of `serper`, `brave`, `pages` or of a plug-in."""
    if channel in PLUGGED:
        honest = Fault("what its number says", PLUGGED[channel], _html)
        return [honest]
    found = PAGES if channel == "pages" else SEARCH
    return [one for one in found if re.search(one.channels, channel)]
