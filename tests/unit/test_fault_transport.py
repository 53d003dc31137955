"""Each kind of fault as a client of httpx and of httpx2 meets it."""

import json
import random

import httpx
import httpx2
import pytest

from research_eval.clock import SystemClock, VirtualClock
from research_eval.fault import FaultSettings, FaultTransport

RESULT = {"organic": [{"title": "A", "link": "https://a.example/"}]}
LIBRARIES = [(httpx, FaultTransport), (httpx2, FaultTransport)]

pytestmark = pytest.mark.anyio


class Rig:
    """A client behind faults, and what reached the server."""

    def __init__(self, library, transport, *rules: dict, seed: int = 0) -> None:
        self.library = library
        self.clock = VirtualClock()
        self.asked = 0

        def answer(request):
            self.asked += 1
            return library.Response(200, json=RESULT, headers={"x-kept": "1"})

        faults = [FaultSettings.model_validate({"channel": "search", **rule}) for rule in rules]
        wrapped = transport(
            library.MockTransport(answer),
            faults,
            channel="search",
            clock=self.clock,
            rng=random.Random(seed),
        )
        self.client = library.AsyncClient(transport=wrapped, timeout=library.Timeout(7, connect=3))

    async def get(self, url: str = "https://s.example/search"):
        return await self.client.get(url)

    async def raises(self, name: str) -> None:
        with pytest.raises(getattr(self.library, name)) as caught:
            await self.get()
        assert type(caught.value).__name__ == name


@pytest.fixture(params=LIBRARIES, ids=["httpx", "httpx2"])
def rig(request):
    return lambda *rules, seed=0: Rig(*request.param, *rules, seed=seed)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 429, 500, 502, 503, 529])
async def test_a_status_is_answered_without_asking_the_server(rig, status):
    lab = rig({"status": status})

    response = await lab.get()

    assert response.status_code == status
    assert response.json()["statusCode"] == status
    assert lab.asked == 0


async def test_a_status_brings_its_headers_and_body(rig):
    lab = rig({"status": 429, "retry_after_s": 30, "headers": {"x-a": "b"}, "body": "slow down"})

    response = await lab.get()

    assert (response.headers["retry-after"], response.headers["x-a"]) == ("30", "b")
    assert response.text == "slow down"


async def test_silence_before_the_first_byte_lasts_as_long_as_the_client_waits(rig):
    lab = rig({"kind": "timeout"})

    await lab.raises("ReadTimeout")

    assert lab.clock.now() == 7


async def test_no_connection_lasts_as_long_as_the_client_waits_for_one(rig):
    lab = rig({"kind": "connect_timeout"})

    await lab.raises("ConnectTimeout")

    assert lab.clock.now() == 3


async def test_a_stall_sends_half_and_then_nothing(rig):
    lab = rig({"kind": "stall"})

    await lab.raises("ReadTimeout")

    assert (lab.asked, lab.clock.now()) == (1, 7)


@pytest.mark.parametrize(
    ("kind", "exception"),
    [
        ("refused", "ConnectError"),
        ("dns", "ConnectError"),
        ("tls", "ConnectError"),
        ("reset", "ReadError"),
    ],
)
async def test_a_connection_that_fails_raises_what_the_network_would(rig, kind, exception):
    lab = rig({"kind": kind})

    await lab.raises(exception)

    assert lab.asked == 0


async def test_a_truncated_body_breaks_the_protocol(rig):
    await rig({"kind": "truncated"}).raises("RemoteProtocolError")


async def test_a_malformed_body_comes_as_if_all_were_well(rig):
    response = await rig({"kind": "malformed"}).get()

    assert response.status_code == 200
    with pytest.raises(ValueError, match=r"."):
        response.json()


async def test_the_other_changes_keep_status_and_headers(rig):
    for kind in ("wrong_json", "empty", "no_urls", "duplicates", "huge"):
        response = await rig({"kind": kind}).get()

        assert (response.status_code, response.headers["x-kept"]) == (200, "1")
        assert response.json() != RESULT


async def test_wrong_json_can_be_given(rig):
    response = await rig({"kind": "wrong_json", "body": '{"results": 7}'}).get()

    assert response.json() == {"results": 7}


async def test_a_slow_answer_is_the_right_one(rig):
    lab = rig({"kind": "slow", "delay_s": 2.5})

    response = await lab.get()

    assert (response.json(), lab.clock.now()) == (RESULT, 2.5)


async def test_an_answer_slower_than_the_client_waits_is_a_timeout(rig):
    lab = rig({"kind": "slow", "delay_s": 9})

    await lab.raises("ReadTimeout")

    assert lab.clock.now() == 7


async def test_a_failure_can_take_its_time_to_show(rig):
    lab = rig({"status": 503, "delay_s": 1.5})

    await lab.get()

    assert lab.clock.now() == 1.5


async def test_requests_that_no_rule_strikes_pass_untouched(rig):
    lab = rig({"status": 503, "requests": "2"}, {"status": 500, "host": "other.example"})

    answers = [(await lab.get()).status_code for _ in range(3)]

    assert answers == [200, 503, 200]


async def test_rules_of_another_channel_do_nothing(rig):
    lab = rig({"status": 503, "channel": "fetch"})

    assert (await lab.get()).status_code == 200


async def test_every_rule_counts_the_requests_that_it_is_about(rig):
    lab = rig({"status": 500, "requests": "1"}, {"status": 503, "requests": "2"})

    assert [(await lab.get()).status_code for _ in range(3)] == [500, 503, 200]


async def test_delays_add_up_to_each_other_and_to_whatever_else_strikes(rig):
    slow = {"kind": "slow", "delay_s": 2}
    lab = rig(slow, slow, {"status": 503, "delay_s": 0.5})

    response = await lab.get()

    assert (response.status_code, lab.clock.now(), lab.asked) == (503, 4.5, 0)


async def test_delays_that_exceed_the_limit_together_are_a_timeout(rig):
    lab = rig({"kind": "slow", "delay_s": 4}, {"kind": "slow", "delay_s": 4})

    await lab.raises("ReadTimeout")

    assert lab.clock.now() == 7


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        (({"status": 503}, {"kind": "timeout"}), "ReadTimeout"),
        (({"kind": "timeout"}, {"kind": "connect_timeout"}), "ConnectTimeout"),
        (({"kind": "reset"}, {"status": 503}), "ReadError"),
        (({"kind": "duplicates"}, {"kind": "truncated"}), "RemoteProtocolError"),
        (({"kind": "stall"}, {"kind": "truncated"}), "ReadTimeout"),
    ],
)
async def test_what_keeps_an_answer_from_coming_comes_before_what_changes_it(rig, rules, name):
    await rig(*rules).raises(name)


async def test_the_first_of_two_statuses_is_answered(rig):
    assert (await rig({"status": 500}, {"status": 503}).get()).status_code == 500


async def test_changes_of_a_body_follow_each_other(rig):
    twice = await rig({"kind": "duplicates"}, {"kind": "duplicates"}).get()
    none = await rig({"kind": "duplicates"}, {"kind": "no_urls"}).get()

    assert len(twice.json()["organic"]) == 4
    assert none.json()["organic"] == [{"title": "A"}] * 2


async def test_a_probability_is_the_same_in_every_run_with_the_same_seed(rig):
    async def run(seed: int) -> list[int]:
        lab = rig({"status": 503, "probability": 0.3}, seed=seed)
        return [(await lab.get()).status_code for _ in range(60)]

    first = await run(1)

    assert first == await run(1)
    assert first != await run(2)
    assert 5 < first.count(503) < 35


async def test_virtual_time_decides_when_a_window_opens(rig):
    lab = rig({"status": 503, "between_s": [10, 20]})
    seen = []
    for _ in range(5):
        seen.append((await lab.get()).status_code)
        lab.clock.advance(6)

    assert seen == [200, 200, 503, 503, 200]


async def test_a_compressed_answer_is_changed_after_it_is_unpacked(rig):
    import gzip

    lab = rig({"kind": "duplicates"})
    packed = gzip.compress(json.dumps(RESULT).encode())

    def answer(request):
        return lab.library.Response(200, content=packed, headers={"content-encoding": "gzip"})

    lab.client._transport._inner = lab.library.MockTransport(answer)
    response = await lab.get()

    assert len(response.json()["organic"]) == 2


async def test_without_a_time_limit_silence_ends_all_the_same(rig):
    lab = rig({"kind": "timeout"})

    with pytest.raises(lab.library.ReadTimeout):
        await lab.client.get("https://s.example/", timeout=None)

    assert lab.clock.now() == 3600


async def test_on_the_real_clock_a_delay_is_waited_for():
    clock = SystemClock()
    rule = FaultSettings(channel="fetch", kind="slow", delay_s=0.05)
    transport = FaultTransport(
        httpx.MockTransport(lambda _: httpx.Response(200)),
        [rule],
        channel="fetch",
        clock=clock,
        rng=random.Random(0),
    )
    began = clock.now()
    async with httpx.AsyncClient(transport=transport) as client:
        await client.get("https://a.example/")

    assert clock.now() - began >= 0.05
