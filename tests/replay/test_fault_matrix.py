"""Every kind of fault on every channel, over recorded, replayed and live traffic alike."""

import json
import random
from typing import get_args

import httpx
import httpx2
import pytest

from research_eval.cassette import ModelCassettes, WebCassettes
from research_eval.clock import VirtualClock
from research_eval.fault import Channel, FaultKind, FaultSettings, FaultTransport
from research_eval.schema import TrialKey

pytestmark = pytest.mark.anyio

KEY = TrialKey("case", "configuration", 1)
URLS = {
    "search": "https://google.serper.dev/search",
    "fetch": "https://page.example/a",
    "model": "https://api.model.example/v1/chat/completions",
}
BODIES = {
    "search": json.dumps({"organic": [{"title": "T", "link": "https://page.example/a"}]}).encode(),
    "fetch": b"<title>T</title><p>Read https://page.example/b as well, it says more.</p>",
    "model": json.dumps({"choices": [{"message": {"content": "https://page.example/a"}}]}).encode(),
}
REACHES_THE_SERVER = {
    "stall",
    "truncated",
    "malformed",
    "wrong_json",
    "empty",
    "no_urls",
    "huge",
    "slow",
    "duplicates",
}


def fault(kind: str, channel: str) -> FaultSettings:
    extra = {"status": 503} if kind == "status" else {"delay_s": 2} if kind == "slow" else {}
    return FaultSettings.model_validate({"channel": channel, "kind": kind, **extra})


class Exchange:
    """One request through faults, over a cassette in one mode."""

    def __init__(self, folder, channel: str, mode: str) -> None:
        self.channel, self.mode, self.asked = channel, mode, 0
        self.clock = VirtualClock()
        self.library = httpx2 if channel == "model" else httpx
        cassette = ModelCassettes if channel == "model" else WebCassettes
        self.cassette = cassette(folder, mode=mode, stopwatch=VirtualClock())
        self.session = self.cassette.session(KEY, self.clock)

    def transport(self):
        inner = None if self.mode == "replay" else self.library.MockTransport(self._answer)
        return self.session.transport(inner)

    def _answer(self, request):
        self.asked += 1
        kind = "text/html" if self.channel == "fetch" else "application/json"
        body = BODIES[self.channel]
        return self.library.Response(200, content=body, headers={"content-type": kind})

    async def send(self, rule: FaultSettings | None) -> tuple[object, ...]:
        transport = self.transport()
        if rule is not None:
            transport = FaultTransport(
                transport, [rule], channel=self.channel, clock=self.clock, rng=random.Random(0)
            )
        async with self.library.AsyncClient(transport=transport, timeout=5) as client:
            try:
                response = await client.post(URLS[self.channel], json={"q": "tides"})
                seen = ("answer", response.status_code, response.content)
            except self.library.TransportError as exc:
                seen = ("raised", type(exc).__name__, str(exc))
        self.session.close()
        self.cassette.close()
        return (*seen, self.clock.now())


@pytest.mark.parametrize("channel", get_args(Channel))
@pytest.mark.parametrize("kind", get_args(FaultKind))
async def test_a_fault_is_the_same_over_live_recorded_and_replayed_traffic(kind, channel, tmp_path):
    rule = fault(kind, channel)
    await Exchange(tmp_path / "cassette", channel, "record").send(None)

    live = Exchange(tmp_path / "none", channel, "live")
    recorded = Exchange(tmp_path / "new", channel, "record")
    replayed = Exchange(tmp_path / "cassette", channel, "replay")
    seen = [await exchange.send(rule) for exchange in (live, recorded, replayed)]

    assert seen[0][:-1] == seen[1][:-1] == seen[2][:-1]
    assert [s[-1] for s in seen] == pytest.approx([seen[0][-1]] * 3, abs=0.5)
    assert seen[0][:3] != ("answer", 200, BODIES[channel]) or kind == "slow"
    assert recorded.asked == (kind in REACHES_THE_SERVER)


@pytest.mark.parametrize("channel", get_args(Channel))
@pytest.mark.parametrize("kind", sorted(REACHES_THE_SERVER))
async def test_what_is_recorded_under_a_fault_is_what_the_server_said(kind, channel, tmp_path):
    await Exchange(tmp_path, channel, "record").send(fault(kind, channel))

    clean = await Exchange(tmp_path, channel, "replay").send(None)

    assert clean[:3] == ("answer", 200, BODIES[channel])
