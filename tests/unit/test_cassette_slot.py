"""Slots: who gets which recording when many ask at once, repeat themselves, or share one web."""

import asyncio
import random
import runpy
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from research_eval.cassette import ModelCassettes, WebCassettes, run_verdict
from research_eval.clock import SystemClock, VirtualClock
from research_eval.errors import CassetteMissError
from research_eval.schema import TrialKey

lab = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("cassette_lab.py"))))
httpx = lab.httpx
URL = "https://site.example/page"
both = pytest.mark.parametrize("http", lab.MODULES.values(), ids=lab.MODULES)
pytestmark = pytest.mark.anyio


async def text(client, url=URL):
    return (await client.get(url)).text


async def client_of(session, http, inner=None, task_id=""):
    return http.AsyncClient(transport=lab.transport_of(session, http, inner, task_id))


async def slow_echo(request):
    body = request.content.decode()
    await asyncio.sleep(random.Random(body).random() / 200)
    return httpx.Response(200, text=f"answer to {body}")


@both
async def test_sixty_distinct_requests_at_once_each_get_their_own_answer(tmp_path, http):
    async def echo(request):
        body = request.content.decode()
        await asyncio.sleep(random.Random(body).random() / 200)
        return http.Response(200, text=f"answer to {body}")

    async def all_at_once(client):
        answers = await asyncio.gather(*(client.post(URL, json={"n": n}) for n in range(60)))
        return [answer.text for answer in answers]

    cassettes = lab.Lab(tmp_path, http, "model")
    live = await cassettes.record(echo, all_at_once)

    assert (
        live == await cassettes.replay(all_at_once) == [f'answer to {{"n":{n}}}' for n in range(60)]
    )


async def test_the_order_of_different_requests_does_not_matter(tmp_path):
    async def forwards(client):
        return [(await client.post(URL, json={"n": n})).text for n in range(6)]

    async def backwards(client):
        return [(await client.post(URL, json={"n": n})).text for n in reversed(range(6))][::-1]

    cassettes = lab.Lab(tmp_path, channel="model")

    assert await cassettes.record(slow_echo, forwards) == await cassettes.replay(backwards)


async def test_equal_requests_at_once_are_numbered_when_they_start_not_when_they_end(tmp_path):
    numbers = count()

    async def answer(_):
        number = next(numbers)
        await asyncio.sleep(0.01 if number % 2 == 0 else 0)
        return httpx.Response(200, text=f"sample {number}")

    async def at_once(client):
        answers = await asyncio.gather(*(client.get(URL) for _ in range(8)))
        return [answer.text for answer in answers]

    cassettes = lab.Lab(tmp_path, channel="model")

    assert (
        await cassettes.record(answer, at_once)
        == await cassettes.replay(at_once)
        == [f"sample {n}" for n in range(8)]
    )


async def test_equal_requests_of_several_tasks_are_kept_apart_by_task_id(tmp_path):
    numbers = count()
    server = lab.Server(httpx, lambda _: httpx.Response(200, text=f"sample {next(numbers)}"))

    async def run(mode, order):
        session = ModelCassettes(tmp_path, mode=mode).session(lab.KEY, VirtualClock())
        found = {}
        for task_id in order:
            inner = server.transport if mode == "record" else None
            async with await client_of(session, httpx, inner, task_id) as client:
                found[task_id] = [await text(client), await text(client)]
        session.close()
        return found

    assert await run("record", ["a", "b", "c"]) == await run("replay", ["c", "a", "b"])


async def test_repeats_come_back_in_the_order_in_which_they_were_recorded(tmp_path):
    numbers = count()

    async def talk(client):
        return [await text(client) for _ in range(5)]

    for channel in ("web", "model"):
        cassettes = lab.Lab(tmp_path, channel=channel)
        live = await cassettes.record(lambda _: httpx.Response(200, text=f"{next(numbers)}"), talk)
        assert await cassettes.replay(talk) == live


async def test_too_many_requests_and_then_an_answer_is_two_recordings_of_one_url(tmp_path):
    answers = iter(
        [httpx.Response(429, headers={"retry-after": "2"}), httpx.Response(200, text="ok")]
    )

    async def talk(client):
        first, second = await client.get(URL), await client.get(URL)
        return first.status_code, first.headers["retry-after"], second.status_code, second.text

    cassettes = lab.Lab(tmp_path)

    assert (
        await cassettes.record(lambda _: next(answers), talk)
        == await cassettes.replay(talk)
        == (429, "2", 200, "ok")
    )


async def test_what_a_repeat_beyond_the_recorded_gets_is_a_matter_of_policy(tmp_path):
    answers = iter(["pending", "done"])

    async def twice(client):
        return [await text(client) for _ in range(2)]

    async def often(client):
        return [await text(client) for _ in range(4)]

    cassettes = lab.Lab(tmp_path)
    await cassettes.record(lambda _: httpx.Response(200, text=next(answers)), twice)

    assert await cassettes.replay(often) == ["pending", "done", "done", "done"]
    assert await cassettes.replay(often, repeats="reuse") == ["done"] * 4
    assert await cassettes.replay(
        often, repeats="strict", repeats_by_host={"site.example": "then_last"}
    ) == ["pending", "done", "done", "done"]
    with pytest.raises(CassetteMissError, match="is equal but was played already"):
        await cassettes.replay(often, repeats="strict")


async def test_a_recording_session_never_replays_what_it_has_just_recorded(tmp_path):
    numbers = count()

    async def talk(client):
        return [await text(client) for _ in range(3)]

    for channel in ("web", "model"):
        cassettes = lab.Lab(tmp_path, channel=channel)
        found = await cassettes.record(lambda _: httpx.Response(200, text=f"{next(numbers)}"), talk)
        assert len(set(found)) == 3


async def many_trials(cassette, inner, order, visit):
    """Run trials side by side over one cassette and return what each saw."""

    async def one(number):
        session = cassette.session(TrialKey(f"case-{number}", "configuration", 1), VirtualClock())
        async with await client_of(session, httpx, inner) as client:
            found = await visit(client, number)
        session.close()
        return number, found, session.tally()

    done = await asyncio.gather(*(one(number) for number in order))
    return {number: (found, tally) for number, found, tally in done}


async def pages(client, number):
    found = []
    for step in range(5):
        found.append(await text(client, f"https://site.example/{(number + step) % 12}"))
        await asyncio.sleep(0)
    return found


async def test_all_trials_see_the_same_web_whoever_asked_first(tmp_path):
    numbers = count()

    async def answer(request):
        number = next(numbers)
        await asyncio.sleep(0.001)
        return httpx.Response(200, text=f"{request.url.path} version {number}")

    server = lab.Server(httpx, answer)
    recorded = await many_trials(
        WebCassettes(tmp_path, mode="record"), server.transport, range(64), pages
    )

    assert len(server.asked) == 12
    versions = {line for found, _ in recorded.values() for line in found}
    assert len(versions) == 12
    assert sum(tally.recorded for _, tally in recorded.values()) == 12


async def test_64_trials_side_by_side_and_reversed_see_the_same_and_write_nothing(tmp_path):
    async def answer(request):
        return httpx.Response(
            200, text=f"{request.url.path} {random.Random(request.url.path).random()}"
        )

    server = lab.Server(httpx, answer)
    await many_trials(WebCassettes(tmp_path, mode="record"), server.transport, range(64), pages)
    before = lab.files_in(tmp_path)
    forwards = await many_trials(WebCassettes(tmp_path, mode="replay"), None, range(64), pages)
    backwards = await many_trials(
        WebCassettes(tmp_path, mode="replay"), None, reversed(range(64)), pages
    )

    assert forwards == backwards
    assert str(run_verdict(tally for _, tally in forwards.values())) == "hit 320/320"
    assert lab.files_in(tmp_path) == before


async def test_model_trials_side_by_side_record_only_their_own(tmp_path):
    async def answer(request):
        await asyncio.sleep(random.Random(request.content).random() / 500)
        return httpx.Response(200, text=f"to {request.content.decode()}")

    async def visit(client, number):
        return [(await client.post(URL, json={"trial": number, "n": n})).text for n in range(5)]

    server = lab.Server(httpx, answer)
    recorded = await many_trials(
        ModelCassettes(tmp_path, mode="record"), server.transport, range(16), visit
    )
    played = await many_trials(
        ModelCassettes(tmp_path, mode="replay"), None, reversed(range(16)), visit
    )

    assert {n: found for n, (found, _) in played.items()} == {
        n: found for n, (found, _) in recorded.items()
    }
    assert all(tally.hits == 5 and tally.unplayed == 0 for _, tally in played.values())


async def test_who_waits_for_a_recording_that_is_given_up_records_it_instead(tmp_path):
    web = WebCassettes(tmp_path, mode="record")
    has_begun = asyncio.Event()
    calls = count()

    async def answer(_):
        if next(calls) == 0:
            has_begun.set()
            raise RuntimeError("not a failure of the transport")
        return httpx.Response(200, text="second")

    server = lab.Server(httpx, answer)
    sessions = [
        web.session(TrialKey(f"case-{n}", "configuration", 1), SystemClock()) for n in range(2)
    ]
    clients = [await client_of(session, httpx, server.transport) for session in sessions]
    found = await asyncio.gather(*(text(client) for client in clients), return_exceptions=True)

    assert isinstance(found[0], RuntimeError)
    assert found[1] == "second"


async def test_a_client_that_never_closes_a_stream_does_not_block_the_others_for_ever(tmp_path):
    web = WebCassettes(tmp_path, mode="record")
    server = lab.Server(
        httpx, lambda _: httpx.Response(200, stream=lab.pieces(httpx, [b"a", b"b"]))
    )
    first = web.session(TrialKey("first", "configuration", 1), SystemClock())
    client = await client_of(first, httpx, server.transport)
    request = client.build_request("GET", URL)
    await client.send(request, stream=True)
    second = web.session(TrialKey("second", "configuration", 1), SystemClock())
    other = await client_of(second, httpx, server.transport)
    waiting = asyncio.create_task(other.get(URL))
    await asyncio.sleep(0)
    first.close()
    response = await asyncio.wait_for(asyncio.gather(waiting, return_exceptions=True), 60)

    assert isinstance(response[0], CassetteMissError)


async def test_a_client_of_the_plain_library_is_never_patched(tmp_path):
    before = dict(vars(httpx.AsyncHTTPTransport))
    cassettes = lab.Lab(tmp_path)
    await cassettes.record(lambda _: httpx.Response(200), text)
    await cassettes.replay(text)

    assert dict(vars(httpx.AsyncHTTPTransport)) == before
