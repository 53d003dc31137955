"""Transports: what a client sees while recording is what it sees in replay, with httpx and httpx2 alike."""

import asyncio
import gzip
import runpy
import zlib
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from research_eval.cassette import ModelCassettes, UnrecordedError, WebCassettes
from research_eval.clock import SystemClock, VirtualClock
from research_eval.errors import CassetteError, CassetteMissError
from research_eval.schema import TrialKey

lab = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("cassette_lab.py"))))
URL = "https://site.example/page"
both = pytest.mark.parametrize("http", lab.MODULES.values(), ids=lab.MODULES)
pytestmark = pytest.mark.anyio


async def read(client, url=URL, **options):
    response = await client.get(url, **options)
    return (
        response.status_code,
        response.reason_phrase,
        response.headers.get("content-type"),
        response.content,
    )


async def chunks_of(client, url=URL):
    found = []
    async with client.stream("GET", url) as response:
        found += [chunk async for chunk in response.aiter_raw()]
    return found


@both
@pytest.mark.parametrize("channel", ["web", "model"])
@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b'{"a": [1, 2.50, true], "b": "\xc3\xa9"}', "application/json"),
        (b"<p>one</p>\r\n<p>two</p>\r\n", "text/html"),
        (bytes(range(256)) * 80, "application/octet-stream"),
        ("caf\xe9".encode("latin-1"), "text/plain; charset=latin-1"),
        ("\ufeffBOM \u2028 \x85 \x00 \x7f \u202e end".encode(), "text/plain"),
        (b"", "text/plain"),
        (b"x" * 300_000, "text/plain"),
        (b'{"a": NaN}', "application/json"),
        (b'{"a":1,"a":2}', "application/json"),
        (b"[" * 500 + b"]" * 500, "application/json"),
        (b'"\\ud800"', "application/json"),
        (rb'{"error": {"message": "no \ud83d"}}', "application/json"),
        ('{"a":"h\xe4fen \\ud83d"}'.encode(), "application/json"),
    ],
    ids=[
        "json",
        "crlf",
        "binary",
        "latin-1",
        "odd characters",
        "empty",
        "large",
        "nan",
        "field twice",
        "deep",
        "surrogate",
        "surrogate in an object",
        "surrogate beside other letters",
    ],
)
async def test_a_body_comes_back_byte_for_byte(tmp_path, http, channel, content, kind):
    cassettes = lab.Lab(tmp_path, http, channel)
    live = await cassettes.record(
        lambda _: http.Response(203, headers={"content-type": kind}, content=content), read
    )
    played = await cassettes.replay(read)

    assert played == live
    assert played[3] == content
    assert str(cassettes.session.verdict()) == "hit 1/1"


@both
async def test_no_content_and_head_have_no_body(tmp_path, http):
    def answer(request):
        gone = {"content-encoding": "gzip", "content-length": "99"}
        return http.Response(204) if request.method == "GET" else http.Response(200, headers=gone)

    async def talk(client):
        first, second = await client.get(URL), await client.head(URL)
        return (
            first.status_code,
            first.content,
            second.status_code,
            second.content,
            second.headers["content-length"],
        )

    cassettes = lab.Lab(tmp_path, http)

    assert (
        await cassettes.record(answer, talk)
        == await cassettes.replay(talk)
        == (204, b"", 200, b"", "99")
    )


@both
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "raw deflate", "br", "zstd"])
async def test_a_compressed_answer_is_kept_readable_and_read_the_same(tmp_path, http, encoding):
    text = ("readable text, " * 200).encode()
    raw = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": gzip.compress(text),
        "deflate": zlib.compress(text),
        "raw deflate": raw.compress(text) + raw.flush(),
        "br": _brotli(text),
        "zstd": _zstd(text),
    }[encoding]
    name = encoding.split()[-1]
    headers = {
        "content-encoding": name,
        "content-type": "text/plain",
        "content-length": str(len(packed)),
    }
    cassettes = lab.Lab(tmp_path, http)
    await cassettes.record(
        lambda _: http.Response(200, headers=headers, stream=lab.pieces(http, [packed])), chunks_of
    )

    async def talk(client):
        response = await client.get(URL)
        return (
            response.content,
            response.headers.get("content-encoding"),
            response.headers.get("content-length"),
        )

    content, shown, length = await cassettes.replay(talk)
    assert content == text
    assert shown == (name if name in {"gzip", "deflate"} else None)
    assert length is None
    assert b"readable text" in b"".join(cassettes.files().values())


def _brotli(text):
    import brotli

    return brotli.compress(text)


def _zstd(text):
    import zstandard

    return zstandard.ZstdCompressor().compress(text)


@both
async def test_a_broken_or_explosive_compression_stays_what_it_was(tmp_path, http):
    bomb = gzip.compress(bytes(30_000_000))
    members = gzip.compress(b"<p>one</p>") + gzip.compress(b"<p>two</p>")
    for packed in (gzip.compress(b"text" * 500)[:-20], b"no gzip at all", bomb, members):
        cassettes = lab.Lab(tmp_path / str(len(packed)), http)
        stream = lambda _, packed=packed: http.Response(  # noqa: E731
            200, headers={"content-encoding": "gzip"}, stream=lab.pieces(http, [packed])
        )
        assert (
            await cassettes.record(stream, chunks_of)
            == await cassettes.replay(chunks_of)
            == [packed]
        )


@both
async def test_each_hop_of_a_redirect_is_a_recording_of_its_own(tmp_path, http):
    def answer(request):
        step = int(request.url.path.rpartition("/")[2])
        if step < 3:
            code = (302, 307, 308)[step]
            return http.Response(code, headers={"location": f"/hop/{step + 1}"}, text="moved")
        return http.Response(200, text=f"{request.method} {request.content.decode()}")

    async def talk(client):
        response = await client.post(
            "https://site.example/hop/1", json={"q": 1}, follow_redirects=True
        )
        return response.text, [str(hop.url) for hop in response.history]

    cassettes = lab.Lab(tmp_path, http)

    assert await cassettes.record(answer, talk) == await cassettes.replay(talk)
    assert len(cassettes.files()) == 3


@both
async def test_a_stream_keeps_its_pieces_and_their_times(tmp_path, http):
    events = [f"data: {n}\n\n".encode() for n in range(11)]
    kind = {"content-type": "text/event-stream"}
    cassettes = lab.Lab(tmp_path, http, "model")
    ticks = count()

    class Ticking(VirtualClock):
        def now(self):
            return next(ticks) * 0.5

    def answer(_):
        return http.Response(200, headers=kind, stream=lab.pieces(http, events))

    live = await cassettes.record(answer, chunks_of, stopwatch=Ticking())
    recorded_end = cassettes.clock.now()
    played = await cassettes.replay(chunks_of)

    assert live == played == events
    assert cassettes.clock.now() == recorded_end
    assert recorded_end > 5


@both
async def test_pieces_are_passed_on_while_recording_as_they_arrive(tmp_path, http):
    seen = []

    class Slow(http.AsyncByteStream):
        async def __aiter__(self):
            for n in range(3):
                seen.append(f"sent {n}")
                yield b"x"

    async def talk(client):
        async with client.stream("GET", URL) as response:
            async for _ in response.aiter_raw():
                seen.append("got")  # noqa: PERF401  # the order of both lists is the point

    await lab.Lab(tmp_path, http).record(lambda _: http.Response(200, stream=Slow()), talk)

    assert seen == ["sent 0", "got", "sent 1", "got", "sent 2", "got"]


@both
async def test_closing_an_endless_stream_early_records_what_was_read(tmp_path, http):
    closed = []

    def answer(_):
        endless = (f"data: {n}\n\n".encode() for n in count())
        return http.Response(200, stream=lab.pieces(http, endless, watch=closed))

    async def three(client):
        found = []
        async with client.stream("GET", URL) as response:
            async for chunk in response.aiter_raw():
                found.append(chunk)
                if len(found) == 3:
                    break
        return found

    cassettes = lab.Lab(tmp_path, http)

    assert await cassettes.record(answer, three) == await cassettes.replay(three)
    assert closed
    with pytest.raises(CassetteMissError, match="closed the recorded answer early"):
        await cassettes.replay(chunks_of)


@both
async def test_an_sdk_that_stops_at_the_last_event_has_a_complete_recording(tmp_path, http):
    async def until_done(client):
        async with client.stream("GET", URL) as response:
            async for chunk in response.aiter_raw():
                if b"[DONE]" in chunk:
                    break

    cassettes = lab.Lab(tmp_path, http, "model")
    events = [b"data: {}\n\n", b"data: [DONE]\n\n"]
    await cassettes.record(
        lambda _: http.Response(200, stream=lab.pieces(http, [*events, b""])), until_done
    )

    assert await cassettes.replay(chunks_of) == events


@both
@pytest.mark.parametrize(
    "name",
    [
        "ConnectTimeout",
        "ConnectError",
        "ReadTimeout",
        "ReadError",
        "RemoteProtocolError",
        "WriteError",
        "PoolTimeout",
        "ProxyError",
    ],
)
async def test_a_failure_before_the_answer_comes_back_as_what_it_was(tmp_path, http, name):
    kind = getattr(http, name)

    def answer(request):
        raise kind("it broke", request=request)

    async def talk(client):
        with pytest.raises(kind, match="it broke") as caught:
            await client.get(URL)
        return type(caught.value), str(caught.value), caught.value.request.url.host

    cassettes = lab.Lab(tmp_path, http)

    assert (
        await cassettes.record(answer, talk)
        == await cassettes.replay(talk)
        == (kind, "it broke", "site.example")
    )


@both
async def test_a_connection_that_breaks_in_the_middle_breaks_there_again(tmp_path, http):
    def answer(request):
        error = http.RemoteProtocolError("peer closed", request=request)
        return http.Response(200, stream=lab.pieces(http, [b"half", b"way"], error=error))

    async def talk(client):
        found = []

        async def read_on():
            async with client.stream("GET", URL) as response:
                async for chunk in response.aiter_raw():
                    found.append(chunk)  # noqa: PERF401  # what came before the failure counts

        with pytest.raises(http.RemoteProtocolError, match="peer closed"):
            await read_on()
        return found

    cassettes = lab.Lab(tmp_path, http)

    assert await cassettes.record(answer, talk) == await cassettes.replay(talk) == [b"half", b"way"]


@both
async def test_a_stall_in_the_middle_costs_its_time_in_replay(tmp_path, http):
    cassettes = lab.Lab(tmp_path, http)
    ticks = iter([0, 1, 1, 31, 31, 31, 31])
    clock = SimpleNamespace(now=lambda: next(ticks), is_virtual=False)

    def answer(request):
        return http.Response(
            200, stream=lab.pieces(http, [b"x"], error=http.ReadTimeout("stalled", request=request))
        )

    async def talk(client):
        with pytest.raises(http.ReadTimeout, match="stalled"):
            await client.get(URL)

    await cassettes.record(answer, talk, stopwatch=clock)
    await cassettes.replay(talk)

    assert cassettes.clock.now() == 31


@both
async def test_a_request_that_its_caller_gave_up_is_replayed_as_a_timeout(tmp_path, http):
    has_begun = asyncio.Event()

    async def answer(_):
        has_begun.set()
        await asyncio.sleep(30)

    async def give_up(client):
        task = asyncio.create_task(client.get(URL))
        await has_begun.wait()
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def talk(client):
        with pytest.raises(http.ReadTimeout, match="gave up"):
            await client.get(URL)

    cassettes = lab.Lab(tmp_path, http)
    await cassettes.record(answer, give_up, clock=SystemClock())
    await cassettes.replay(talk)

    assert cassettes.clock.now() >= 0.01


@both
async def test_an_error_that_no_transport_made_is_not_recorded(tmp_path, http):
    def answer(_):
        raise RuntimeError("a bug")

    async def talk(client):
        with pytest.raises(RuntimeError):
            await client.get(URL)

    cassettes = lab.Lab(tmp_path, http)
    await cassettes.record(answer, talk)

    assert cassettes.files() == {}


@both
async def test_recorded_latency_moves_the_virtual_clock_and_a_shorter_patience_times_out(
    tmp_path, http
):
    cassettes = lab.Lab(tmp_path, http)
    ticks = iter([0, 3, 3, 3, 3])
    clock = SimpleNamespace(now=lambda: next(ticks), is_virtual=False)
    await cassettes.record(lambda _: http.Response(200, text="slow"), read, stopwatch=clock)
    assert cassettes.clock.now() == 3
    await cassettes.replay(read)
    assert cassettes.clock.now() == 3

    async def impatient(client):
        with pytest.raises(http.ReadTimeout, match="exceeds"):
            await client.get(URL, timeout=1.5)

    await cassettes.replay(impatient)
    assert cassettes.clock.now() == 1.5


async def test_real_time_replay_waits_as_long_as_the_recording(tmp_path):
    cassettes = lab.Lab(tmp_path)
    ticks = iter([0, 0.05, 0.05, 0.05])
    clock = SimpleNamespace(now=lambda: next(ticks), is_virtual=False)
    await cassettes.record(lambda _: lab.httpx.Response(200), read, stopwatch=clock)
    real = SystemClock()
    began = real.now()

    await cassettes.replay(read, clock=real)

    assert real.now() - began >= 0.05


@both
async def test_replay_has_no_way_out_and_the_other_modes_need_one(tmp_path, http):
    for kind in (WebCassettes, ModelCassettes):
        inner = lab.Server(http, lambda _: http.Response(200)).transport
        with pytest.raises(CassetteError, match="a replay was given a transport"):
            lab.transport_of(
                kind(tmp_path, mode="replay").session(lab.KEY, VirtualClock()), http, inner
            )
        for mode in ("record", "live"):
            with pytest.raises(CassetteError, match="needs a transport"):
                lab.transport_of(kind(tmp_path, mode=mode).session(lab.KEY, VirtualClock()), http)


@both
async def test_live_passes_through_and_keeps_nothing(tmp_path, http):
    server = lab.Server(http, lambda _: http.Response(200, text="live"))
    session = WebCassettes(tmp_path, mode="live").session(lab.KEY, VirtualClock())
    async with http.AsyncClient(
        transport=lab.transport_of(session, http, server.transport)
    ) as client:
        assert (await client.get(URL)).text == "live"

    assert session.tally().live == 1
    assert lab.files_in(tmp_path) == {}


async def test_an_unrecorded_page_is_an_error_of_the_transport_that_the_tool_can_report(tmp_path):
    cassettes = lab.Lab(tmp_path)
    await cassettes.record(lambda _: lab.httpx.Response(200), read)

    async def talk(client):
        with pytest.raises(
            UnrecordedError, match=r"GET https://site.example/other was never recorded"
        ):
            await client.get("https://site.example/other")
        return (await client.get(URL)).status_code

    assert await cassettes.replay(talk, miss="tool_error") == 200
    assert cassettes.session.problem is None
    assert cassettes.session.tally().unrecorded == 1
    assert str(cassettes.session.verdict()) == "partial 1/2"


@both
async def test_a_request_body_that_is_a_stream_is_read_once_and_sent_whole(tmp_path, http):
    async def body():
        yield b"one "
        yield b"two"

    async def talk(client):
        return (await client.post(URL, content=body())).text

    cassettes = lab.Lab(tmp_path, http)
    live = await cassettes.record(
        lambda request: http.Response(200, text=request.content.decode()), talk
    )

    assert live == await cassettes.replay(talk) == "one two"


@both
async def test_the_client_can_still_read_raw_bytes_lines_and_text(tmp_path, http):
    cassettes = lab.Lab(tmp_path, http)
    await cassettes.record(lambda _: http.Response(200, text="one\ntwo\n"), read)

    async def talk(client):
        async with client.stream("GET", URL) as response:
            lines = [line async for line in response.aiter_lines()]
        async with client.stream("GET", URL) as response:
            raw = b"".join([chunk async for chunk in response.aiter_raw()])
        async with client.stream("GET", URL) as response:
            await response.aread()
            with pytest.raises(http.StreamConsumed):
                [chunk async for chunk in response.aiter_raw()]
        return lines, raw, response.text, response.is_closed, response.num_bytes_downloaded

    assert await cassettes.replay(talk) == (["one", "two"], b"one\ntwo\n", "one\ntwo\n", True, 8)


async def test_two_trials_of_one_case_keep_their_own_answers(tmp_path):
    numbers = count(1)
    cassettes = lab.Lab(tmp_path, channel="model")
    keys = [TrialKey("case", "configuration", trial) for trial in (1, 2, 3)]
    for key in keys:
        await cassettes.record(
            lambda _: lab.httpx.Response(200, text=f"sample {next(numbers)}"), read, key=key
        )

    assert [(await cassettes.replay(read, key=key))[3] for key in keys] == [
        b"sample 1",
        b"sample 2",
        b"sample 3",
    ]


@both
async def test_headers_that_are_no_ascii_come_back(tmp_path, http):
    headers = [(b"content-type", b"text/plain"), (b"etag", "h\u00e4fen".encode())]

    async def talk(client):
        return (await client.get(URL)).headers["etag"]

    cassettes = lab.Lab(tmp_path, http)
    live = await cassettes.record(lambda _: http.Response(200, headers=headers, content=b"x"), talk)

    assert live == await cassettes.replay(talk) == "h\u00e4fen"


@both
async def test_a_user_name_in_a_redirect_leaves_its_place_and_not_its_value(tmp_path, http):
    """Else a replay would follow what the recording refused."""

    async def talk(client):
        return (await client.get(URL, follow_redirects=False)).headers["location"]

    cassettes = lab.Lab(tmp_path, http)
    headers = {"location": "https://somebody:word@page.example/"}
    await cassettes.record(lambda _: http.Response(302, headers=headers), talk)

    assert await cassettes.replay(talk) == "https://SCRUBBED@page.example/"
