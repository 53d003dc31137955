"""Pages that a reader with a cap closed early: good for such readers, a clear miss for others, and repaired."""

import gzip
import random

import httpx
import pytest

from research_eval.cassette import Redactor, WebCassettes
from research_eval.clock import VirtualClock
from research_eval.errors import CassetteMissError
from research_eval.schema import TrialKey
from research_eval.tool.fetch import FetchSettings
from research_eval.tool.fetch.download import Downloader, DownloadError

WORDS = " ".join(random.Random(1).choices(["harbour", "lighthouse", "pier", "ferry"], k=4000))
PAGE = f"<html><body><p>{WORDS}</p></body></html>".encode()
URL = "https://a.example/long"
pytestmark = pytest.mark.anyio


class Pieces(httpx.AsyncByteStream):
    async def __aiter__(self):
        for start in range(0, len(PAGE), 1000):
            yield PAGE[start : start + 1000]


class Network:
    def __init__(self):
        self.asked = 0

    def __call__(self, _):
        self.asked += 1
        return httpx.Response(200, headers={"content-type": "text/html"}, stream=Pieces())


async def read(folder, mode, cap, network=None, miss="stop", refresh="missing", secrets=None):
    redactor = Redactor(secrets)
    web = WebCassettes(folder, mode=mode, miss=miss, refresh=refresh, redactor=redactor)
    session = web.session(TrialKey("case", "long-reader", 1), VirtualClock())
    inner = httpx.MockTransport(network) if network else None
    settings = FetchSettings(max_body_bytes=cap, robots=False)
    async with httpx.AsyncClient(transport=session.transport(inner)) as client:
        document = await Downloader(settings, http=client, clock=VirtualClock()).get(URL)
    session.close()
    return document


async def test_a_reader_with_a_larger_cap_is_told_so_and_the_next_recording_repairs_it(tmp_path):
    network = Network()
    await read(tmp_path, "record", 3000, network)
    assert (await read(tmp_path, "replay", 3000)).body == PAGE[:3000]
    assert (await read(tmp_path, "replay", 2000)).body == PAGE[:2000]

    with pytest.raises(CassetteMissError) as caught:
        await read(tmp_path, "replay", 10_000)
    said = str(caught.value)
    assert f"GET {URL}: only its first 4000 bytes were recorded" in said
    assert "the cap of its reader was reached; this configuration reads on" in said
    assert "research-eval record --stale --configuration long-reader --case case" in said

    assert (await read(tmp_path, "record", 10_000, network)).body == PAGE[:10_000]
    assert network.asked == 2
    assert (await read(tmp_path, "replay", 10_000)).body == PAGE[:10_000]
    assert (await read(tmp_path, "replay", 3000)).body == PAGE[:3000]
    await read(tmp_path, "record", 3000, network)
    assert network.asked == 2, "what suffices is not asked for again"


async def test_a_page_that_is_read_ahead_for_keys_is_recorded_no_further_than_it_is_read(tmp_path):
    await read(tmp_path, "record", 3000, Network(), secrets={"API_KEY": "nowhere-in-the-page"})

    with pytest.raises(CassetteMissError, match="only its first 4000 bytes were recorded"):
        await read(tmp_path, "replay", 10_000)


async def test_a_page_that_had_come_whole_is_whole_though_its_reader_had_enough(tmp_path):
    def network(_):
        return httpx.Response(200, headers={"content-type": "text/html"}, content=PAGE)

    await read(tmp_path, "record", 3000, network)

    assert (await read(tmp_path, "replay", 10**6)).body == PAGE


@pytest.mark.parametrize("secrets", [None, {"API_KEY": "nowhere-in-the-page"}])
async def test_a_page_that_is_a_bomb_is_cut_in_replay_as_in_the_recording(tmp_path, secrets):
    packed = gzip.compress(bytes(200_000_000), compresslevel=1)

    async def pieces():
        for start in range(0, len(packed), 16_384):
            yield packed[start : start + 16_384]

    def network(_):
        headers = {"content-type": "text/html", "content-encoding": "gzip"}
        return httpx.Response(200, headers=headers, content=pieces())

    recorded = await read(tmp_path, "record", 3000, network, secrets=secrets)

    assert recorded.body == (await read(tmp_path, "replay", 3000)).body == bytes(3000)


async def test_under_a_live_model_it_is_unrecorded(tmp_path):
    await read(tmp_path, "record", 3000, Network())

    with pytest.raises(DownloadError) as caught:
        await read(tmp_path, "replay", 10_000, miss="tool_error")

    assert caught.value.kind == "unrecorded"
