"""What a live answer shows the agent: never a key, and never anything else than its replay will show."""

import base64
import gzip
import json

import httpx
import pytest

from research_eval.cassette import Redactor, WebCassettes
from research_eval.clock import VirtualClock
from research_eval.schema import TrialKey

KEY = "sk-live-0123456789-abcde"
SECRETS = Redactor({"API_KEY": KEY})
URL = "https://a.example/x"
pytestmark = pytest.mark.anyio


class Pieces(httpx.AsyncByteStream):
    def __init__(self, pieces, error=None):
        self.pieces, self.error = pieces, error

    async def __aiter__(self):
        for piece in self.pieces:
            yield piece
        if self.error is not None:
            raise self.error


def answering(body, kind="text/html", error=None, **headers):
    pieces = body if isinstance(body, list) else [body]
    sent = {"content-type": kind} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    return httpx.MockTransport(
        lambda _: httpx.Response(200, headers=sent, stream=Pieces(pieces, error))
    )


async def ask(folder, mode, inner=None, redactor=SECRETS):
    session = WebCassettes(folder, mode=mode, redactor=redactor).session(
        TrialKey("case", "configuration", 1), VirtualClock()
    )
    async with httpx.AsyncClient(transport=session.transport(inner)) as client:
        response = await client.get(URL)
    session.close()
    return response


PAGE = f"<p>{KEY} and {base64.b64encode(KEY.encode()).decode()}</p>".encode()


@pytest.mark.parametrize("encoding", ["", "gzip"])
async def test_what_a_recording_shows_is_what_its_replay_shows(tmp_path, encoding):
    body = gzip.compress(PAGE) if encoding else PAGE
    headers = {"content_encoding": encoding} if encoding else {"content_length": str(len(PAGE))}
    inner = answering(body, etag=KEY, **headers)

    live = await ask(tmp_path, "record", inner)
    replayed = await ask(tmp_path, "replay", redactor=Redactor())

    assert live.text == replayed.text == "<p>SCRUBBED and SCRUBBED</p>"
    assert live.headers["etag"] == replayed.headers["etag"] == "SCRUBBED"
    assert "content-length" not in live.headers


async def test_a_live_answer_that_is_not_kept_shows_no_key_either(tmp_path):
    assert (await ask(tmp_path, "live", answering(PAGE))).text == "<p>SCRUBBED and SCRUBBED</p>"


async def test_a_field_that_is_scrubbed_in_the_cassette_is_scrubbed_for_the_agent_too(tmp_path):
    inner = answering(json.dumps({"api_key": "demo", "n": 1}).encode(), "application/json")

    live = await ask(tmp_path, "record", inner, Redactor())
    replayed = await ask(tmp_path, "replay", redactor=Redactor())

    assert live.json() == replayed.json() == {"api_key": "SCRUBBED", "n": 1}


async def test_a_body_that_breaks_off_breaks_where_it_is_read(tmp_path):
    inner = answering([PAGE, b"more"], error=httpx.ReadError("reset"))

    with pytest.raises(httpx.ReadError, match="reset"):
        await ask(tmp_path, "record", inner)
    with pytest.raises(httpx.ReadError, match="reset"):
        await ask(tmp_path, "replay")


async def test_what_is_no_text_and_holds_no_key_passes_unchanged(tmp_path):
    body = bytes(range(256)) * 40
    assert (await ask(tmp_path, "record", answering(body, "image/png"))).content == body


async def test_a_key_that_is_spread_over_events_of_a_stream_is_taken_out(tmp_path):
    half = len(KEY) // 2
    pieces = [f"data: {KEY[:half]}".encode(), f"{KEY[half:]}\n\n".encode(), b"data: sk-\n\n"]
    seen = await ask(tmp_path, "record", answering(pieces, "text/event-stream"))

    assert seen.text == "data: SCRUBBED\n\ndata: sk-\n\n"
    assert (await ask(tmp_path, "replay")).text == seen.text


@pytest.mark.parametrize("kind", ["text/event-stream", "text/html", "application/json"])
async def test_where_a_body_is_cut_in_transit_changes_nothing(tmp_path, kind):
    pair = base64.b64encode(f"me:{KEY}/9".encode()).decode()
    texts = [f"Basic {pair[:9]}", f"{pair[9:]} and {KEY[:7]}", f"{KEY[7:]} end"]
    body = "".join(f"data: {json.dumps({'delta': text})}\n\n" for text in texts).encode()
    cuts = [1, 16, 40, body.index(b"\n\n") + 1, body.index(b"\n\n") + 2, len(body) // 2]

    seen = set()
    for cut in cuts:
        folder = tmp_path / str(cut)
        live = await ask(folder, "record", answering([body[:cut], body[cut:]], kind))
        seen |= {live.text, (await ask(folder, "replay")).text}

    assert len(seen) == 1


async def test_recording_and_replaying_log_nothing_of_their_own(tmp_path, caplog):
    with caplog.at_level("DEBUG"):
        await ask(tmp_path, "record", answering(PAGE))
        await ask(tmp_path, "replay")

    assert [
        entry for entry in caplog.records if not entry.name.startswith(("httpx", "asyncio"))
    ] == []
    assert "SCRUBBED and" not in caplog.text
    assert KEY not in caplog.text
