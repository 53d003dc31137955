"""Misses: what a trial is told when no recording fits, and that nothing else can hide it."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from research_eval.cassette import replay_verdict, run_verdict
from research_eval.cassette.explain import Candidate, differences, explain
from research_eval.cassette.key import CanonicalRequest
from research_eval.errors import CassetteMissError
from research_eval.schema import ReplayTally, TrialKey

lab = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("cassette_lab.py"))))
httpx = lab.httpx
URL = "https://api.example/v1/chat/completions"
pytestmark = pytest.mark.anyio


def conversation(*, tool="Search the web.", question="What is the capital of France?", turns=3):
    """Return the requests of a trial: each sends the whole history again."""
    messages = [{"role": "system", "content": "Answer."}, {"role": "user", "content": question}]
    bodies = []
    for turn in range(turns):
        tools = [{"type": "function", "function": {"name": "web_search", "description": tool}}]
        bodies.append(
            {"model": "m", "messages": list(messages), "tools": tools, "temperature": 0.0}
        )
        messages += [
            {"role": "assistant", "content": f"turn {turn}"},
            {"role": "tool", "content": f"result {turn}"},
        ]
    return bodies


def say(bodies):
    async def talk(client):
        return [(await client.post(URL, json=body)).json()["n"] for body in bodies]

    return talk


def numbered(request):
    return httpx.Response(200, json={"n": len(json.loads(request.content)["messages"])})


async def missed(cassettes, bodies, **options):
    with pytest.raises(CassetteMissError) as caught:
        await cassettes.replay(say(bodies), **options)
    assert str(caught.value) == cassettes.session.problem
    return str(caught.value)


@pytest.fixture
async def cassettes(tmp_path):
    cassettes = lab.Lab(tmp_path, channel="model")
    await cassettes.record(numbered, say(conversation()))
    return cassettes


async def test_a_changed_tool_is_named_with_what_was_recorded_and_what_is_said_now(cassettes):
    problem = await missed(cassettes, conversation(tool="Search the whole web."))

    assert (
        "model/case/1.json: exchange 1 (POST https://api.example/v1/chat/completions) fits none of the 3 recorded"
        in problem
    )
    assert (
        'recording 1 of 3 differs at tools[0].function.description: recorded "Search the web.", now "Search the whole web."'
        in problem
    )
    assert problem.endswith(
        "record it again with: research-eval record --stale --configuration configuration --case case"
    )
    assert cassettes.session.divergence == (
        1,
        3,
        "tools[0].function.description",
        '"Search the web."',
        '"Search the whole web."',
        "research-eval record --stale --configuration configuration --case case",
    )
    assert str(cassettes.session.verdict()) == "stale 0/1"


async def test_the_turn_at_which_a_trial_leaves_its_recording_is_named(cassettes):
    bodies = conversation()
    bodies[2]["messages"][5]["content"] = "another result"
    problem = await missed(cassettes, bodies)

    assert "exchange 3" in problem
    assert (
        'recording 3 of 3 differs at messages[5].content: recorded "result 1", now "another result"'
        in problem
    )
    assert str(cassettes.session.verdict()) == "stale 2/3"


async def test_a_trial_that_was_never_recorded_says_so(cassettes):
    problem = await missed(
        cassettes, conversation(), key=TrialKey("odd case; rm", "configuration", 1)
    )

    assert "there is no recording of this trial" in problem
    assert "record --configuration configuration --case 'odd case; rm'" in problem
    assert str(cassettes.session.verdict()) == "miss 0/1"


async def test_a_recording_that_is_used_up_says_so(cassettes):
    problem = await missed(cassettes, [conversation()[0]] * 2)

    assert "recording 1 of 3 is equal but was played already" in problem


async def test_a_miss_is_latched_and_every_later_request_meets_the_same(cassettes):
    async def stubborn(client):
        errors = []
        for body in [conversation(tool="x")[0], *conversation()]:
            try:
                await client.post(URL, json=body)
            except CassetteMissError as exc:
                errors.append(str(exc))
        return errors

    errors = await cassettes.replay(stubborn)

    assert len(errors) == 4
    assert len(set(errors)) == 1
    assert cassettes.session.tally().misses == 1


async def test_except_exception_does_not_swallow_a_miss(cassettes):
    async def careless(client):
        try:
            await client.post(URL, json={})
        except Exception:  # noqa: BLE001
            return "swallowed"

    with pytest.raises(CassetteMissError):
        await cassettes.replay(careless)


async def test_what_a_trial_did_not_ask_for_makes_it_partial(cassettes):
    await cassettes.replay(say(conversation()[:2]))

    assert cassettes.session.tally() == ReplayTally(hits=2, unplayed=1)
    assert str(cassettes.session.verdict()) == "partial 2/2"


async def test_a_web_miss_shows_requests_to_the_same_host_that_come_nearest(tmp_path):
    async def visit(client):
        for query in ("capital of france", "capital of spain"):
            await client.post("https://search.example/search", json={"q": query, "num": 5})
        await client.get("https://pages.example/x")

    cassettes = lab.Lab(tmp_path)
    await cassettes.record(lambda _: httpx.Response(200), visit)

    async def other(client):
        await client.post(
            "https://search.example/search", json={"q": "capital of france", "num": 6}
        )

    with pytest.raises(CassetteMissError) as caught:
        await cassettes.replay(other)
    assert "differs at num: recorded 5, now 6" in str(caught.value)
    assert "pages.example" not in str(caught.value)
    assert "record --configuration" in str(caught.value)


async def test_a_message_names_no_place_of_this_machine(cassettes):
    problem = await missed(cassettes, conversation(tool="x"))

    assert str(cassettes.folder.parent) not in problem


def asked(body, uri=URL, method="POST"):
    return CanonicalRequest(method, uri, "api.example", json.dumps(body))


def test_at_most_three_candidates_and_a_bounded_message_however_much_was_recorded():
    def recorded():
        for number in range(100_000):
            yield Candidate(
                f"recording {number}",
                "POST",
                URL,
                json.dumps({"a": "x" * 100_000, "n": number}).encode(),
            )

    words, first = explain(asked({"a": "y" * 1_000_000, "n": -1}), recorded())

    assert words.count("recording ") == 3
    assert len(words) < 1000
    assert first.path == "a"


def test_the_excerpt_shows_where_long_texts_part():
    long = "same " * 1000
    (found,) = differences({"a": f"{long}old tail"}, {"a": f"{long}new tail"})

    assert found.recorded.startswith("…")
    assert "old tail" in found.recorded
    assert "new tail" in found.now


@pytest.mark.parametrize(
    ("recorded", "now", "paths"),
    [
        ({"a": 1}, {"a": 1.0}, ["a"]),
        ({"a": 1}, {"a": True}, ["a"]),
        ({"a": [1, 2]}, {"a": [1]}, ["a[1]"]),
        ({"a": {"b": 1}}, {"a": {"c": 1}}, ["a.b", "a.c"]),
        ({"a": {}}, {"a": []}, ["a"]),
        ({"a": None}, {}, ["a"]),
        ({}, {}, []),
        ([{"x": 1}], [{"x": 2}], ["[0].x"]),
    ],
)
def test_differences_are_named_by_their_path(recorded, now, paths):
    assert [difference.path for difference in differences(recorded, now)] == paths


def test_a_missing_method_or_path_comes_before_the_body():
    candidates = [Candidate("it", "GET", "https://api.example/other?x=1", b'{"a":1}')]
    words, first = explain(asked({"a": 2}), candidates)

    assert first.path == "method"
    assert 'recorded "GET", now "POST"' in words


def test_bodies_that_are_no_json_or_too_deep_do_not_hurt():
    deep = b'{"a":' * 900 + b"1" + b"}" * 900
    for body in (b"\xff\xfe", b"{", deep, b"", b"[1]"):
        explain(
            CanonicalRequest("POST", URL, "api.example", body),
            [Candidate("it", "POST", URL, b'{"a":1}'), Candidate("deep", "POST", URL, deep)],
        )


@pytest.mark.parametrize(
    ("tally", "words"),
    [
        (ReplayTally(), "hit 0/0"),
        (ReplayTally(hits=3), "hit 3/3"),
        (ReplayTally(hits=3, unplayed=1), "partial 3/3"),
        (ReplayTally(hits=3, unrecorded=1), "partial 3/4"),
        (ReplayTally(hits=3, recorded=1), "recorded 3/4"),
        (ReplayTally(hits=3, live=1), "live 3/4"),
        (ReplayTally(hits=3, misses=1), "miss 3/4"),
        (ReplayTally(hits=3, misses=1, stale=1), "stale 3/4"),
    ],
)
def test_a_tally_amounts_to_a_verdict(tally, words):
    assert str(replay_verdict(tally)) == words


def test_a_run_is_as_good_as_its_worst_trial():
    tallies = [ReplayTally(hits=3), ReplayTally(hits=2, unplayed=1), ReplayTally(hits=1, misses=1)]

    assert str(run_verdict(tallies[:1])) == "hit 3/3"
    assert str(run_verdict(tallies[:2])) == "partial 5/5"
    assert str(run_verdict(tallies)) == "miss 6/7"
    assert str(run_verdict([])) == "hit 0/0"
