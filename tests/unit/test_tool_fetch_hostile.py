"""Whatever a server does, a fetch ends within its deadline and its caps."""

import asyncio
import gzip
import resource
import zlib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from research_eval.tool.fetch import FetchSettings


def _load_lab():
    spec = spec_from_file_location("fetch_lab", Path(__file__).with_name("fetch_lab.py"))
    assert spec is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


fetch_lab = _load_lab()
always, reply = fetch_lab.always, fetch_lab.reply

SETTINGS = FetchSettings(
    ports=None,
    allow_private=("127.0.0.1",),
    host_interval_s=0,
    deadline_s=120,
    read_timeout_s=60,
    max_wire_bytes=300_000,
    max_body_bytes=400_000,
    max_pdf_bytes=500_000,
)
SHORT = {"deadline_s": 1.0, "read_timeout_s": 0.6}
"""For servers that nothing but a time limit ends; on a slow machine the others would meet it too."""
FOR_EVER_S = 3600
HTML = "Content-Type: text/html; charset=utf-8"
ZEROS = b"<p>" + b"0" * 50_000_000


async def endless(reader, writer):
    writer.write(f"HTTP/1.1 200 OK\r\n{HTML}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
    while True:
        writer.write(b"4000\r\n" + b"a " * 0x2000 + b"\r\n")
        await writer.drain()


async def drip_body(reader, writer):
    writer.write(reply(b"", HTML, "Content-Length: 100000", length=False))
    while True:
        writer.write(b"a")
        await writer.drain()
        await asyncio.sleep(0.1)


async def drip_head(reader, writer):
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-A: b\r\n")
        await writer.drain()
        await asyncio.sleep(0.1)


async def informational(reader, writer):
    while True:
        writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(0.01)


async def header_flood(reader, writer):
    writer.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(100_000):
        writer.write(b"X-%d: %s\r\n" % (number, b"y" * 300))
        await writer.drain()


async def silence(reader, writer):
    await asyncio.sleep(FOR_EVER_S)


async def silence_after_head(reader, writer):
    writer.write(reply(b"", HTML, "Content-Length: 10", length=False))
    await writer.drain()
    await asyncio.sleep(FOR_EVER_S)


async def redirect_with_endless_body(reader, writer):
    writer.write(b"HTTP/1.1 302 Found\r\nLocation: /next\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"4000\r\n" + b"a" * 0x4000 + b"\r\n")
        await writer.drain()


SERVERS = {
    "gzip_bomb": (always(reply(gzip.compress(ZEROS), HTML, "Content-Encoding: gzip")), "ok"),
    "deflate_bomb": (always(reply(zlib.compress(ZEROS), HTML, "Content-Encoding: deflate")), "ok"),
    "stacked_gzip": (
        always(reply(gzip.compress(gzip.compress(ZEROS)), HTML, "Content-Encoding: gzip, gzip")),
        "bad_coding",
    ),
    "stacked_in_two_headers": (
        always(
            reply(gzip.compress(ZEROS), HTML, "Content-Encoding: gzip", "Content-Encoding: gzip")
        ),
        "bad_coding",
    ),
    "brotli": (always(reply(b"\x0b\x02\x80abc\x03", HTML, "Content-Encoding: br")), "bad_coding"),
    "zstd": (always(reply(b"\x28\xb5\x2f\xfd", HTML, "Content-Encoding: zstd")), "bad_coding"),
    "unknown_coding": (always(reply(b"abc", HTML, "Content-Encoding: x-mystery")), "bad_coding"),
    "broken_gzip": (
        always(reply(b"\x1f\x8b\x08\x00" + b"\xff" * 100, HTML, "Content-Encoding: gzip")),
        "bad_coding",
    ),
    "plain_called_gzip": (
        always(reply(b"<p>no gzip at all</p>", HTML, "Content-Encoding: gzip")),
        "bad_coding",
    ),
    "gzip_members": (
        always(
            reply(gzip.compress(b"<p>one ") + gzip.compress(ZEROS), HTML, "Content-Encoding: gzip")
        ),
        "ok",
    ),
    "endless_body": (endless, "ok"),
    "huge_body": (always(reply(b"<p>" + b"word " * 200_000, HTML)), "ok"),
    "drip_body": (drip_body, "timeout"),
    "drip_head": (drip_head, "timeout"),
    "informational_for_ever": (informational, "timeout"),
    "header_flood": (header_flood, "connection"),
    "silence": (silence, "timeout"),
    "silence_after_head": (silence_after_head, "timeout"),
    "redirect_loop": (
        always(reply(b"", "Location: /again", status="301 Moved")),
        "too_many_redirects",
    ),
    "redirect_with_endless_body": (redirect_with_endless_body, "too_many_redirects"),
    "redirect_to_file": (
        always(reply(b"", "Location: file:///etc/passwd", status="302 Found")),
        "invalid_url",
    ),
    "redirect_with_password": (
        always(reply(b"", "Location: http://u:p@127.0.0.1/", status="302 Found")),
        "invalid_url",
    ),
    "length_too_long": (
        always(reply(b"short", HTML, "Content-Length: 5000", length=False)),
        "connection",
    ),
    "length_too_short": (
        always(reply(b"<p>longer than it says", HTML, "Content-Length: 3", length=False)),
        "ok",
    ),
    "two_lengths": (
        always(reply(b"abc", HTML, "Content-Length: 3", "Content-Length: 4", length=False)),
        "connection",
    ),
    "negative_length": (
        always(reply(b"abc", HTML, "Content-Length: -3", length=False)),
        "connection",
    ),
    "bad_chunks": (
        always(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n"),
        "connection",
    ),
    "not_http": (always(b"SSH-2.0-OpenSSH_9.6\r\n"), "connection"),
    "http_0_9": (always(b"<html>old</html>"), "connection"),
    "status_999999": (always(b"HTTP/1.1 999999 What\r\n\r\n"), "connection"),
    "closes_at_once": (always(b""), "connection"),
    "pdf_without_end": (
        always(reply(b"%PDF-1.4\n" + b"%x\n" * 400_000, "Content-Type: application/pdf")),
        "too_large",
    ),
    "binary_called_html": (always(reply(b"\x7fELF" + bytes(1000), HTML)), "binary"),
    "cookies_flood": (
        always(reply(b"<p>fine</p>", HTML, *(f"Set-Cookie: a{n}=b" for n in range(90)))),
        "ok",
    ),
}


@pytest.mark.sockets
@pytest.mark.anyio
@pytest.mark.parametrize(("serve", "expected"), SERVERS.values(), ids=SERVERS.keys())
async def test_a_hostile_server_is_survived_in_time_and_memory(serve, expected):
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    settings = SETTINGS.model_copy(update=SHORT if expected == "timeout" else {})
    async with (
        fetch_lab.server(serve) as port,
        fetch_lab.lab(settings) as place,
        asyncio.timeout(240),
    ):
        outcome = await place.fetch(f"http://127.0.0.1:{port}/")

    assert (outcome.error or "ok") == expected
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 120_000
    states = {one.state for one in place.ledger.records()}
    assert states == {"fetched" if expected == "ok" else "failed"}
    assert len(outcome.text) < 7000


@pytest.mark.sockets
@pytest.mark.anyio
async def test_what_a_cap_cut_is_marked_as_truncated():
    async with fetch_lab.server(SERVERS["gzip_bomb"][0]) as port, fetch_lab.lab(SETTINGS) as place:
        outcome = await place.fetch(f"http://127.0.0.1:{port}/")

    assert "was_truncated: true" in outcome.text
    assert place.events[0].flags == ("truncated",)


@pytest.mark.sockets
@pytest.mark.anyio
async def test_cookies_are_not_sent_back():
    seen = []

    async def serve(reader, writer):
        seen.append(True)
        writer.write(reply(b"<p>x</p>", HTML, "Set-Cookie: id=1"))
        await writer.drain()

    async with fetch_lab.server(serve) as port, fetch_lab.lab(SETTINGS) as place:
        sent = []
        place.http.event_hooks["request"].append(lambda request: _note(sent, request))
        await place.fetch(f"http://127.0.0.1:{port}/a")
        await place.fetch(f"http://127.0.0.1:{port}/b")

    assert [request.headers.get("cookie") for request in sent] == [None, None]
    assert sent[0].headers["user-agent"] == "research-eval"
    assert sent[0].headers["accept-encoding"] == "gzip, deflate"


async def _note(sent, request):
    sent.append(request)
