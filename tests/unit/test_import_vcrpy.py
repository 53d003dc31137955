"""Cassettes of vcrpy and its relatives: every layout that they wrote plays the same answer."""

import base64
import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
import pytest
import vcr
import yaml
from hypothesis import given, strategies as st

from research_eval.cassette import Redactor
from research_eval.cassette.foreign import ForeignExchange, NotKept, keep_as_web
from research_eval.cassette.store import FolderStore
from research_eval.cassette.vcrpy_reading import exchanges_in, read_vcrpy
from research_eval.errors import CassetteCorruptError

VALUE = {"text": "caf\u00e9 \u6f6e", "n": [1, 2.5, None, True]}
TEXT = json.dumps(VALUE, ensure_ascii=False, separators=(",", ":"))
BODY = TEXT.encode()
KIND = {"content-type": ["application/json"]}
REQUEST = {"method": "POST", "uri": "https://m.example/v1", "headers": KIND, "body": '{"q":1}'}
OK = {"code": 200, "message": "OK"}
PACKED = {**KIND, "content-encoding": ["gzip"], "content-length": ["7"]}

LAYOUTS = {
    "vcrpy": {"status": OK, "headers": KIND, "body": {"string": TEXT}},
    "vcrpy, bytes": {"status": OK, "headers": KIND, "body": {"string": BODY}},
    "vcrpy, gzip": {"status": OK, "headers": PACKED, "body": {"string": gzip.compress(BODY)}},
    "vcrpy, gzip decoded": {"status": OK, "headers": PACKED, "body": {"string": TEXT}},
    "body as text": {"status": OK, "headers": KIND, "body": TEXT},
    "httpx before vcrpy 6": {
        "status_code": 200,
        "http_version": "HTTP/1.1",
        "headers": KIND,
        "content": TEXT,
    },
    "httpx before vcrpy 6, gzip": {
        "status_code": 200,
        "headers": PACKED,
        "content": gzip.compress(BODY),
    },
    "pydantic-ai": {"status": OK, "headers": KIND, "parsed_body": VALUE},
    "pydantic-ai, gzip header": {"status": OK, "headers": PACKED, "parsed_body": VALUE},
    "headers as text": {
        "status": OK,
        "headers": {"Content-Type": "application/json"},
        "body": {"string": TEXT},
    },
    "headers as bytes": {
        "status": OK,
        "headers": {"Content-Type": [b"application/json"]},
        "body": {"string": TEXT},
    },
    "headers as pairs": {
        "status": OK,
        "headers": [["Content-Type", "application/json"]],
        "body": {"string": TEXT},
    },
    "Betamax": {
        "status": OK,
        "headers": KIND,
        "body": {"encoding": "utf-8", "base64_string": base64.b64encode(BODY).decode()},
    },
    "VCR for Ruby": {"status": OK, "headers": KIND, "body": {"encoding": "UTF-8", "string": TEXT}},
    "go-vcr": {"status": "200 OK", "code": 200, "headers": KIND, "body": TEXT},
}


def parts(tmp_path, value, name="x.yaml"):
    text = (
        json.dumps(value)
        if name.endswith("json")
        else yaml.safe_dump(value, allow_unicode=True, sort_keys=False)
    )
    (tmp_path / name).write_text(text, encoding="utf-8")
    return list(read_vcrpy(tmp_path / name))


def played(store):
    return [i for name in store.names() for i in store.read(name).interactions]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("root", ["interactions", "http_interactions"])
def test_every_layout_plays_the_same_answer(tmp_path, layout, root):
    found = parts(tmp_path, {root: [{"request": REQUEST, "response": LAYOUTS[layout]}]})
    store = FolderStore(tmp_path / "web")
    count = keep_as_web(found, store, Redactor())
    (one,) = played(store)

    assert (count.kept, count.refused) == (1, 0)
    assert (one.method, one.uri, one.status) == ("POST", "https://m.example/v1", 200)
    assert one.content == BODY
    assert ("content-type", "application/json") in one.headers
    assert (one.content_encoding == "gzip") == (
        layout in {"vcrpy, gzip", "httpx before vcrpy 6, gzip"}
    )
    assert ("content-length", "7") not in one.headers


@pytest.mark.parametrize(
    "request_part",
    [
        {"parsed_body": {"q": 1}},
        {"body": '{"q":1}'},
        {"body": b'{"q":1}'},
        {"body": {"encoding": "UTF-8", "string": '{"q":1}'}},
        {"url": REQUEST["uri"], "uri": None, "body": '{"q":1}'},
    ],
)
def test_every_layout_of_a_request_gets_the_same_key(tmp_path, request_part):
    asked = {key: value for key, value in REQUEST.items() if key != "body"} | request_part
    asked = {key: value for key, value in asked.items() if value is not None}
    stores = []
    for number, request in enumerate((REQUEST, asked)):
        store = FolderStore(tmp_path / str(number))
        found = parts(
            tmp_path, {"interactions": [{"request": request, "response": LAYOUTS["vcrpy"]}]}
        )
        assert keep_as_web(found, store, Redactor()).kept == 1
        stores.append(store)

    assert [one.key for one in played(stores[0])] == [one.key for one in played(stores[1])]


REFUSED = {
    "no response": ({}, "no response"),
    "response is a number": ({"response": 7}, "no response"),
    "no body at all": ({"response": {"status": OK, "headers": {}}}, "none of the fields"),
    "body of an unknown layout": (
        {"response": {"status": OK, "body": {"text": "x"}}},
        "no field `string`",
    ),
    "no status": ({"response": {"body": {"string": ""}}}, "status"),
    "status out of range": (
        {"response": {"status": {"code": 10**9}, "body": {"string": ""}}},
        "status",
    ),
    "status of many digits": (
        {"response": {"status": "9" * 5000, "body": {"string": ""}}},
        "status",
    ),
    "header of a table": (
        {"response": {"status": OK, "headers": {"a": [{"b": 1}]}, "body": ""}},
        "header",
    ),
    "headers of a number": ({"response": {"status": OK, "headers": 5, "body": ""}}, "headers"),
    "body of a list": (
        {"response": {"status": OK, "body": {"string": [1]}}},
        "no text and no bytes",
    ),
    "bad base64": ({"response": {"status": OK, "body": {"base64_string": "!"}}}, "base64"),
    "damaged gzip": (
        {"response": {"status": OK, "headers": PACKED, "body": {"string": b"\x1f\x8bx"}}},
        "not gzip",
    ),
    "unknown coding": (
        {"response": {"status": OK, "headers": {"content-encoding": "x"}, "body": b"\0"}},
        "not x",
    ),
    "no uri": ({"request": {"method": "GET"}, "response": {"status": OK, "body": ""}}, "uri"),
    "NaN": ({"response": {"status": OK, "parsed_body": {"a": float("nan")}}}, "no JSON"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_played_is_refused_with_its_reason_and_the_rest_is_kept(name):
    change, why = REFUSED[name]
    good = {"request": REQUEST, "response": LAYOUTS["vcrpy"]}
    found = list(exchanges_in([good, {"request": REQUEST} | change, good]))

    assert [isinstance(part, ForeignExchange) for part in found] == [True, False, True]
    assert found[1].where == "interaction 2"
    assert found[1].is_refused
    assert why in found[1].why


@pytest.mark.parametrize("status", [204, 304])
def test_a_status_without_a_body_needs_none(status):
    (found,) = exchanges_in([{"request": REQUEST, "response": {"status": {"code": status}}}])

    assert (found.status, found.body) == (status, b"")


def test_half_a_character_is_refused_in_a_body_and_replaced_in_a_header(tmp_path):
    bad = {"status": OK, "headers": KIND, "body": {"string": "x \ud83d"}}
    odd = {
        "status": {"code": 200, "message": "\ud83d"},
        "headers": {"server": ["\ud83d"]},
        "body": {"string": "y"},
    }
    value = {"interactions": [{"request": REQUEST, "response": each} for each in (bad, odd)]}
    store = FolderStore(tmp_path / "web")
    count = keep_as_web(parts(tmp_path, value, "x.json"), store, Redactor())

    assert (count.kept, count.refused) == (1, 1)
    assert "half a character" in count.reasons[0]
    assert played(store)[0].headers == [("server", "\N{REPLACEMENT CHARACTER}")]


def test_a_bomb_of_aliases_is_refused_at_once(tmp_path):
    levels = "".join(f"- &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    text = f"base:\n- &a0 [x]\n{levels}"
    text += "interactions:\n- request: {method: GET, uri: 'http://a.example/'}\n"
    text += "  response: {status: {code: 200}, parsed_body: *a11}\n"
    text += "- request: {method: GET, uri: 'http://a.example/', headers: {a: *a11}}\n"
    text += "  response: {status: {code: 200}, body: ''}\n"
    (tmp_path / "x.yaml").write_text(text)
    first, second = read_vcrpy(tmp_path / "x.yaml")

    assert (first.why, second.why) == (
        "the response's body is too large or deep",
        "a header is no text",
    )


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        "interactions: " + "[" * 200_000,
        '{"interactions": ' + "[" * 200_000,
        "{" + "9" * 6000,
    ],
)
def test_deep_files_are_one_clear_error(tmp_path, text):
    (tmp_path / "x.yaml").write_text(text)

    with pytest.raises(CassetteCorruptError, match="no vcrpy cassette"):
        list(read_vcrpy(tmp_path / "x.yaml"))


def test_strings_of_python_2_and_dates_stay_text(tmp_path):
    (tmp_path / "x.yaml").write_text(
        "interactions:\n- request: {method: !!python/unicode GET, uri: !!python/str 'http://a.example/'}\n"
        "  response: {status: {code: 200, message: OK}, body: {string: 2024-01-01}}\n"
    )
    (one,) = read_vcrpy(tmp_path / "x.yaml")

    assert (one.method, one.body) == ("GET", b"2024-01-01")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    ["status", "status_code", "headers", "body", "content", "parsed_body", "string", "code"]
)


@given(
    st.lists(
        JSON
        | st.fixed_dictionaries(
            {"request": st.just(REQUEST), "response": st.dictionaries(FIELDS, JSON)}
        )
    )
)
def test_no_interaction_raises(interactions):
    found = list(exchanges_in(interactions))

    assert len(found) == len(interactions)
    assert all(
        isinstance(part, ForeignExchange) or (isinstance(part, NotKept) and part.is_refused)
        for part in found
    )


@pytest.mark.sockets
@pytest.mark.parametrize("serializer", ["yaml", "json"])
def test_what_the_library_of_today_records_is_taken_over(tmp_path, serializer):
    bodies = {"/gzip": gzip.compress(BODY), "/plain": BODY, "/empty": b""}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = bodies[self.path]
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            if self.path == "/gzip":
                self.send_header("content-encoding", "gzip")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    paths = [path for path in bodies if serializer == "yaml" or path != "/gzip"]
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        with vcr.VCR(serializer=serializer).use_cassette(str(tmp_path / "x")):
            seen = {path: httpx.get(base + path).content for path in paths}
        server.shutdown()
    store = FolderStore(tmp_path / "web")
    count = keep_as_web(read_vcrpy(tmp_path / "x"), store, Redactor())

    assert (count.kept, count.refused) == (len(paths), 0)
    assert {one.uri.removeprefix(base): one.content for one in played(store)} == seen
