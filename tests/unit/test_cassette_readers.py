"""Search and fetch read a replay as they read the network: late answers and codings nobody knows."""

import gzip

import httpx
import pytest

from research_eval.cassette import WebCassettes
from research_eval.clock import SystemClock, VirtualClock
from research_eval.schema import TrialKey
from research_eval.tool.fetch import FetchSettings
from research_eval.tool.fetch.download import Downloader, DownloadError
from research_eval.tool.search import WIRES, RemoteSearchProvider, SearchError

KEY = TrialKey("case", "configuration", 1)
URL = "https://a.example/page"
HITS = b'{"organic": [{"link": "https://a.example/port", "title": "Port", "snippet": "1907"}]}'
pytestmark = pytest.mark.anyio


class Pieces(httpx.AsyncByteStream):
    def __init__(self, pieces, before=lambda: None):
        self._pieces, self._before = pieces, before

    async def __aiter__(self):
        for piece in self._pieces:
            self._before()
            yield piece


class Slow:
    """A search API whose answer and three pieces come after these seconds, by its own watch."""

    is_virtual = False

    def __init__(self, times):
        self._times = list(times)
        self._now = 0.0
        self.network = httpx.MockTransport(self._answer)

    def now(self):
        return self._now

    def _pass(self):
        self._now = self._times.pop(0)

    def _answer(self, _):
        self._pass()
        pieces = (HITS[:20], HITS[20:40], HITS[40:])
        return httpx.Response(200, stream=Pieces(pieces, self._pass))


async def searched(folder, clock, *, timeout_s=10.0, server=None):
    """Record a search of `server`, or replay it."""
    options = {"mode": "record", "stopwatch": server} if server else {"mode": "replay"}
    web = WebCassettes(folder, **options)
    session = web.session(KEY, clock)
    transport = session.transport(server and server.network)
    async with httpx.AsyncClient(transport=transport) as client:
        provider = RemoteSearchProvider(
            WIRES["serper"], http=client, clock=clock, key="a-key-of-nobody", timeout_s=timeout_s
        )
        try:
            return (await provider.search("port", 5)).hits
        except SearchError as exc:
            return exc.kind
        finally:
            session.close()
            web.close()


LATE = pytest.mark.parametrize(
    "times",
    [(12, 12, 12, 12), (1, 1, 1, 12), (3, 6, 9, 12)],
    ids=["before the answer", "before a piece", "little by little"],
)


@LATE
async def test_a_search_that_was_served_late_is_served_in_the_replay(tmp_path, times):
    """A busy machine sees an answer later than it came: its limit of time did not end the search."""
    live = await searched(tmp_path, SystemClock(), server=Slow(times))
    clock = VirtualClock()

    replayed = await searched(tmp_path, clock)

    assert replayed == live
    assert [hit.url for hit in replayed] == ["https://a.example/port"]
    assert clock.now() == 12


@LATE
async def test_a_search_with_less_patience_than_the_recording_took_is_given_up(tmp_path, times):
    await searched(tmp_path, SystemClock(), server=Slow(times))

    assert await searched(tmp_path, VirtualClock(), timeout_s=5) == "timeout"


def web_of(folder, network):
    return WebCassettes(folder, mode="record" if network else "replay")


async def fetched(folder, network=None):
    """Record how a download fails, or replay it."""
    web = web_of(folder, network)
    session = web.session(KEY, VirtualClock())
    settings = FetchSettings(robots=False)
    async with httpx.AsyncClient(transport=session.transport(network)) as client:
        with pytest.raises(DownloadError) as caught:
            await Downloader(settings, http=client, clock=VirtualClock()).get(URL)
    session.close()
    web.close()
    return caught.value.kind, str(caught.value)


async def recorded_body(folder):
    """Return the bytes of the page as the recording holds them."""
    session = web_of(folder, None).session(KEY, VirtualClock())
    async with (
        httpx.AsyncClient(transport=session.transport()) as client,
        client.stream("GET", URL) as response,
    ):
        return b"".join([piece async for piece in response.aiter_raw()])


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("port", b"<p>In 1907." * 4000),
        ("compress", b"\x1f\x9d" + b"7" * 40_000),
        ("gzip, gzip", gzip.compress(gzip.compress(b"<p>In 1907." * 4000))),
        ("gzip", b"<p>In 1907." * 4000),
        ("deflate", b"\x1f\x8b" + b"<p>In 1907." * 4000),
        ("gzip", gzip.compress(b"<p>In 1907.")[:10] + b"\xff" * 40_000),
    ],
    ids=["unknown", "not asked for", "stacked", "no gzip", "no deflate", "broken inside"],
)
async def test_a_page_that_cannot_be_unpacked_fails_in_the_replay_with_the_same_words(
    tmp_path, coding, body
):
    """The reader takes the body to its end before it complains: else the recording is cut short."""
    headers = {"content-type": "text/html", "content-encoding": coding}
    pieces = [body[start : start + 5000] for start in range(0, len(body), 5000)]
    network = httpx.MockTransport(
        lambda _: httpx.Response(200, headers=headers, stream=Pieces(pieces))
    )

    kind, words = await fetched(tmp_path, network)

    assert await fetched(tmp_path) == (kind, words)
    assert kind == "bad_coding"
    assert await recorded_body(tmp_path) == body
