"""Recording again: only what is missing or stale, and every other byte left alone."""

import asyncio
import json
import runpy
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from research_eval.cassette import Redactor
from research_eval.errors import CassetteMissError
from research_eval.schema import TrialKey

lab = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("cassette_lab.py"))))
httpx = lab.httpx
URL = "https://api.example/v1/chat"
KEYS = [TrialKey(f"case-{n}", "configuration", 1) for n in range(3)]
pytestmark = pytest.mark.anyio


def talk_of(tool, case, turns=3):
    async def talk(client):
        messages = [{"role": "user", "content": case}]
        for _ in range(turns):
            body = {"messages": messages, "tools": [{"description": tool}], "model": "m"}
            reply = (await client.post(URL, json=body)).json()
            messages = [*messages, {"role": "assistant", "content": reply["text"]}]
        return messages

    return talk


class Speaker:
    """Answers like a model at temperature 1: never the same twice."""

    def __init__(self):
        self.numbers = count()
        self.calls = 0

    def __call__(self, request):
        self.calls += 1
        return httpx.Response(
            200,
            json={
                "text": f"reply {next(self.numbers)} to {len(json.loads(request.content)['messages'])}"
            },
        )


async def record_all(cassettes, speaker, tools, **options):
    for key, tool in zip(KEYS, tools, strict=True):
        await cassettes.record(speaker, talk_of(tool, key.case_id), key=key, **options)


async def replay_all(cassettes, tools):
    return [
        await cassettes.replay(talk_of(tool, key.case_id), key=key)
        for key, tool in zip(KEYS, tools, strict=True)
    ]


async def test_stale_records_only_the_trials_that_no_longer_fit(tmp_path):
    cassettes, speaker = lab.Lab(tmp_path, channel="model"), Speaker()
    await record_all(cassettes, speaker, ["old"] * 3)
    before, calls = cassettes.files(), speaker.calls
    changed = ["old", "new", "old"]
    with pytest.raises(CassetteMissError, match=r"exchange 1 .*tools\[0\]\.description"):
        await replay_all(cassettes, changed)

    await record_all(cassettes, speaker, changed, refresh="stale")
    await replay_all(cassettes, changed)

    after = cassettes.files()
    assert speaker.calls == calls + 3
    assert {name for name in after if before.get(name) != after[name]} == {"case-1/1.json"}
    assert set(before) == set(after)


async def test_what_was_said_before_the_change_stays_byte_for_byte(tmp_path):
    cassettes, speaker = lab.Lab(tmp_path, channel="model"), Speaker()
    key = KEYS[0]
    await cassettes.record(speaker, talk_of("old", key.case_id), key=key)
    before = cassettes.files()["case-0/1.json"].decode().split('"recording": {')

    async def changed_late(client):
        recorded = await talk_of("old", key.case_id, turns=2)(client)
        await client.post(
            URL, json={"messages": [*recorded, {"role": "user", "content": "more"}], "model": "m"}
        )

    await cassettes.record(speaker, changed_late, key=key, refresh="stale")
    after = cassettes.files()["case-0/1.json"].decode().split('"recording": {')

    before[0], after[0] = (head.partition('"interactions"')[2] for head in (before[0], after[0]))
    assert after[:2] == before[:2]
    await cassettes.replay(changed_late, key=key)
    assert str(cassettes.session.verdict()) == "hit 3/3"


async def test_missing_records_only_trials_without_a_recording(tmp_path):
    cassettes, speaker = lab.Lab(tmp_path, channel="model"), Speaker()
    await record_all(cassettes, speaker, ["old"] * 3)
    before = cassettes.files()
    (cassettes.folder / "case-1/1.json").unlink()
    calls = speaker.calls
    await record_all(cassettes, speaker, ["old"] * 3, refresh="missing")

    after = cassettes.files()
    assert speaker.calls == calls + 3
    assert {name for name in after if before[name] != after[name]} == {"case-1/1.json"}
    with pytest.raises(CassetteMissError, match="fits none of"):
        await record_all(cassettes, speaker, ["old", "old", "new"], refresh="missing")
    assert cassettes.files() == after


async def test_missing_goes_on_where_a_recording_ends(tmp_path):
    cassettes, speaker = lab.Lab(tmp_path, channel="model"), Speaker()
    key = KEYS[0]
    await cassettes.record(speaker, talk_of("old", key.case_id, turns=2), key=key)
    calls = speaker.calls

    await cassettes.record(speaker, talk_of("old", key.case_id), key=key, refresh="missing")
    await cassettes.replay(talk_of("old", key.case_id), key=key)

    assert speaker.calls == calls + 1
    assert str(cassettes.session.verdict()) == "hit 3/3"


async def test_stale_records_what_is_missing_and_what_no_longer_fits(tmp_path):
    cassettes, speaker = lab.Lab(tmp_path, channel="model"), Speaker()
    await cassettes.record(speaker, talk_of("old", "case-0"), key=KEYS[0])

    await record_all(cassettes, speaker, ["new", "old", "old"], refresh="stale")

    await replay_all(cassettes, ["new", "old", "old"])


async def test_a_recording_that_still_fits_is_replayed_and_not_written_again(tmp_path):
    cassettes, speaker = lab.Lab(tmp_path, channel="model"), Speaker()
    await record_all(cassettes, speaker, ["old"] * 3)
    times = {path: path.stat().st_mtime_ns for path in cassettes.folder.rglob("*.json")}
    calls = speaker.calls
    for refresh in ("missing", "stale"):
        await record_all(cassettes, speaker, ["old"] * 3, refresh=refresh)

    assert speaker.calls == calls
    assert times == {path: path.stat().st_mtime_ns for path in cassettes.folder.rglob("*.json")}


async def test_all_records_everything_again(tmp_path):
    cassettes, speaker = lab.Lab(tmp_path, channel="model"), Speaker()
    await record_all(cassettes, speaker, ["old"] * 3)
    before, calls = cassettes.files(), speaker.calls
    await record_all(cassettes, speaker, ["old"] * 3, refresh="all")

    assert speaker.calls == 2 * calls
    assert all(before[name] != content for name, content in cassettes.files().items())


async def test_a_page_that_is_missing_is_recorded_and_the_others_stay(tmp_path):
    numbers = count()
    cassettes = lab.Lab(tmp_path)

    def visit(*names):
        async def talk(client):
            return [(await client.get(f"https://site.example/{name}")).text for name in names]

        return talk

    def answer(_):
        return httpx.Response(200, text=f"version {next(numbers)}")

    await cassettes.record(answer, visit("a", "b"))
    before = cassettes.files()
    assert await cassettes.record(answer, visit("a", "b", "c"), refresh="missing") == [
        "version 0",
        "version 1",
        "version 2",
    ]
    after = cassettes.files()

    assert {name: after[name] for name in before} == before
    assert len(after) == 3
    assert await cassettes.record(answer, visit("a"), refresh="all") == ["version 3"]


async def test_an_interrupted_recording_keeps_every_exchange_that_ended(tmp_path):
    cassettes, speaker = lab.Lab(tmp_path, channel="model"), Speaker()

    def answer(request):
        if speaker.calls == 2:
            raise KeyboardInterrupt
        return speaker(request)

    with pytest.raises(KeyboardInterrupt):
        await cassettes.record(answer, talk_of("old", "case-0"))

    assert cassettes.files()["case/1.json"].count(b'"key"') == 2
    await cassettes.record(speaker, talk_of("old", "case-0"))
    await cassettes.replay(talk_of("old", "case-0"))
    assert speaker.calls == 3


async def test_recordings_say_when_they_were_made_and_age_never_makes_them_fail(tmp_path):
    cassettes, speaker = lab.Lab(tmp_path, channel="model"), Speaker()
    await cassettes.record(speaker, talk_of("old", "case-0"), stamp=lambda: "2001-01-01")

    assert b'"recorded_at": "2001-01-01"' in cassettes.files()["case/1.json"]
    await cassettes.replay(talk_of("old", "case-0"))


async def test_replay_needs_neither_the_key_nor_the_same_placeholder(tmp_path):
    secret = "sk-proj-abcdefghijklmnopwxyz"

    def talk_with(key):
        async def talk(client):
            headers = {"authorization": f"Bearer {key}"}
            return (
                await client.post(
                    f"{URL}?api_key={key}", json={"messages": [], "api_key": key}, headers=headers
                )
            ).json()

        return talk

    cassettes = lab.Lab(tmp_path, channel="model")
    live = await cassettes.record(Speaker(), talk_with(secret), redactor=Redactor({"KEY": secret}))

    assert await cassettes.replay(talk_with("SCRUBBED")) == live
    assert (
        await cassettes.replay(talk_with("placeholder"), redactor=Redactor({"KEY": "placeholder"}))
        == live
    )


async def test_an_exchange_that_was_cut_off_with_its_run_is_recorded_again(tmp_path):
    async def talk(client):
        return (await client.get("https://site.example/x")).text

    for channel in ("web", "model"):
        cassettes = lab.Lab(tmp_path, channel=channel)

        def stopped(_):
            raise asyncio.CancelledError

        with pytest.raises(asyncio.CancelledError):
            await cassettes.record(stopped, talk)
        assert await cassettes.record(lambda _: httpx.Response(200, text="whole"), talk) == "whole"
        assert await cassettes.replay(talk) == "whole"
