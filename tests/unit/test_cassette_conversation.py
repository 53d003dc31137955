"""A conversation that is read turn by turn gives the requests that reading each whole gives."""

import json

import httpx2
import pytest
from hypothesis import example, given, strategies as st

from research_eval.cassette import ModelCassettes, Redactor
from research_eval.cassette.body import readable_body
from research_eval.cassette.canonical_request import CanonicalRequests, canonical_request
from research_eval.cassette.pack import PackStore
from research_eval.cassette.recording import _request_body
from research_eval.cassette.store import FolderStore
from research_eval.clock import VirtualClock
from research_eval.schema import TrialKey

SECRETS = {"SOME_KEY": "sk-of-nobody-0123456789", "PEM": "line-one-of-a-key-1\nline-two-of-a-key-2"}
URL = ("https", "m.example", "/v1/chat/completions?api-key=abcdefgh12345678")

words = st.one_of(
    st.text(max_size=12),
    st.sampled_from([
        SECRETS["SOME_KEY"], SECRETS["PEM"], f"a {SECRETS['SOME_KEY']} b", "sk-of-n***6789", "\u2028",
        "\\u0041", "pyd_ai_" + "0" * 32, "[", '","', "a" * 60,
    ]),
)  # fmt: skip
names = st.sampled_from(
    ["a", "b", "user", "api_key", "id", "messages", "é", 'q"', "content", "city"]
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), words),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
STYLES = (
    {"separators": (",", ":")},
    {"separators": (", ", ": ")},
    {"ensure_ascii": False, "separators": (",", ":")},
    {"indent": 1},
)


def check(redactor, requests, content_type="application/json"):
    """Hold that each of `requests`, asked in turn, is what it is when it is read alone."""
    made = CanonicalRequests(redactor, "model", {})
    # every request counts, however small
    for content in requests:
        read = made._continued("POST", URL, content_type, content)
        alone = canonical_request("POST", URL, content_type, content, redactor, "model")
        if read is not None:
            assert (read.key, read.uri, read.host) == (alone.key, alone.uri, alone.host)
            assert read.content == alone.content
            assert _request_body(read) == readable_body(alone.content.encode())
        asked = made.canonical("POST", URL, content_type, content)
        assert (asked.key, asked.content) == (alone.key, alone.content)


@given(
    turns=st.lists(st.lists(values, max_size=3), min_size=1, max_size=5),
    fields=st.dictionaries(names, values, max_size=4),
    style=st.sampled_from(STYLES),
    drop=st.integers(0, 3),
    has_secrets=st.booleans(),
)
def test_a_growing_conversation_is_read_as_its_parts_are(turns, fields, style, drop, has_secrets):
    messages, requests = [], []
    for number, turn in enumerate(turns):
        messages = [*(messages[:-drop] if drop and number == 2 else messages), *turn]
        whole = {**fields, "messages": messages, "last": number}
        requests.append(json.dumps(whole, **style).encode("utf-8", "surrogatepass"))
    check(Redactor(SECRETS if has_secrets else {}), requests)


@given(st.lists(st.text(alphabet='{}[]",:0123456789.eE- \\ntrufalsé"am', max_size=40), max_size=4))
@example(['{"a":[1,2],"b":1}', '{"a":[1,2,]}'])
@example(['{"a":[1,2]}', '{"a":[1,23]}', '{"a":[1,2.5]}'])
@example(['{"a":["x"]}', '{"a":["x","y"],"a":[1]}'])
@example(['{"a":["x"]}', '{"a":["x"]', '{"a":["x"]} x', '{"a":["x"],"b":NaN}'])
@example(['{"a":["x"],"a":["x"]}', '{"a":[{"b":1,"b":2}]}', '{"a":[1.0],"c":1e5,"d":1E5}'])
@example(['{"a" : [ "x" ] }', '{"a" : [ "x" , "y" ] }', '{"\\u0061":["x","y"]}'])
@example(['{"a":["\\ud800"]}', '{"a":["\\ud800","b"]}'])
def test_text_that_is_nearly_json_is_read_as_it_is_alone(texts):
    check(Redactor(SECRETS), [text.encode("utf-8", "surrogatepass") for text in texts])


@pytest.mark.parametrize(
    "changed",
    [
        {"messages": [["a", "b"], "c"]},
        {"messages": ["x", ["a", "b"]], "tools": [1]},
        {"tools": ["longer than the messages are, so that it is the longest list"], "messages": [["a", "b"]]},
        {"api_key": "abc", "messages": [["a", "b"], "c"]},
        {"user": ["who"], "messages": [["a", "b"], {"user": "who"}]},
        {"messages": []},
        {"messages": "none"},
        {"messages": [["a", "b"], [[]] * 3, json.loads("[" * 62 + "]" * 62)]},
        {"messages": [["a", "b"], json.loads("[" * 70 + "]" * 70)]},
    ],
)  # fmt: skip
@pytest.mark.parametrize("style", STYLES)
def test_a_turn_that_is_no_continuation_is_read_as_it_is_alone(changed, style):
    turns = [
        {"messages": [["a", "b"]], "model": "m"},
        changed,
        {"messages": [["a", "b"], "c", "d"]},
    ]
    check(Redactor(SECRETS), [json.dumps(turn, **style).encode() for turn in turns])


def test_patterns_of_ones_own_may_reach_over_parts():
    turns = [{"messages": ["one", "two"][: n + 1], "model": "m"} for n in range(2)]
    check(
        Redactor(patterns=['one","two']),
        [json.dumps(t, separators=(",", ":")).encode() for t in turns],
    )


def test_only_what_is_new_of_a_conversation_is_read(monkeypatch):
    read = []
    redactor = Redactor(SECRETS)
    monkeypatch.setattr(
        Redactor, "text", lambda self, text: read.append(len(text)) or text, raising=True
    )
    made, messages = CanonicalRequests(redactor, "model", {}), []
    for number in range(30):
        messages.append({"role": "user", "content": f"{number} " + "word " * 1000})
        body = json.dumps({"messages": messages, "model": "m"}).encode()
        read.clear()
        made.canonical("POST", URL, "application/json", body)
        assert sum(read) < 8000


async def _record(folder, turns):
    """Record turns of a conversation as one trial; yield after each."""
    cassette = ModelCassettes(folder, mode="record", redactor=Redactor(SECRETS))
    session = cassette.session(TrialKey("case", "one", 1), VirtualClock())
    transport = session.transport(httpx2.MockTransport(lambda _: httpx2.Response(200, json={})))
    for turn in turns:
        request = httpx2.Request(
            "POST", "https://m.example/v1", json=turn, headers={"content-type": "application/json"}
        )
        response = await transport.handle_async_request(request)
        await response.aread()
        await response.aclose()
        yield cassette.store
    session.close()
    cassette.close()


@pytest.mark.anyio
@pytest.mark.parametrize("form", ["folder", "pack"])
async def test_a_cassette_that_grew_holds_what_one_that_was_written_at_once_holds(tmp_path, form):
    place, whole = (tmp_path / name for name in ("grown", "whole"))
    if form == "pack":
        place, whole = place.with_suffix(".pack"), whole.with_suffix(".pack")
        PackStore(place).create()
    said = ["What?", "\u2028 " + "long " * 500, SECRETS["SOME_KEY"], {"a": [1]}, '"\\u0000part"']
    turns = [{"messages": said[:number], "model": "m"} for number in range(1, 6)]
    turns.insert(3, {"input": "another"})
    turns.append(turns[-1] | {"model": "n"})
    async for store in _record(place, turns):
        cassette = store.read("case/1")
        again = PackStore(whole) if form == "pack" else FolderStore(whole)
        again.write("case/1", cassette.records(), cassette.metadata)
        if form == "folder":
            texts = [(folder / "case/1.json").read_bytes() for folder in (place, whole)]
            assert texts[0] == texts[1]
        assert again.read("case/1").records() == cassette.records()
        again.close()
    assert len(cassette) == len(turns)


@pytest.mark.anyio
async def test_a_turn_late_in_a_conversation_spells_only_what_is_new(tmp_path, monkeypatch):
    checked = []
    monkeypatch.setattr(
        Redactor, "check_bytes", lambda self, content, where: checked.append(len(content))
    )
    words = ["word " * 1000 for _ in range(30)]
    turns = [{"messages": words[:number], "model": "m"} for number in range(1, 31)]
    async for _ in _record(tmp_path, turns):
        assert sum(checked) < 8000
        checked.clear()
