"""HAR files of browsers and proxies: bodies whole, in their own characters, or refused."""

import base64
import gzip
import json

import brotli
import pytest
from hypothesis import given, strategies as st

from research_eval.cassette import Redactor
from research_eval.cassette.file import MAX_BYTES
from research_eval.cassette.foreign import ForeignExchange, keep_as_web
from research_eval.cassette.har import read_har
from research_eval.cassette.store import FolderStore
from research_eval.errors import CassetteCorruptError

URL = "https://a.example/page"
PAGE = "<p>caf\u00e9 \u6f6e</p>"


def entry(content, status=200, headers=(), method="GET", url=URL, **request):
    return {
        "startedDateTime": "2026-01-01T00:00:00.000Z",
        "request": {
            "method": method,
            "url": url,
            "headers": [{"name": ":authority", "value": "a"}],
            "bodySize": 0,
            **request,
        },
        "response": {
            "status": status,
            "statusText": "OK",
            "headers": [{"name": name, "value": value} for name, value in headers],
            "content": content,
            "bodySize": -1,
        },
    }


def read(tmp_path, *entries):
    (tmp_path / "x.har").write_text(
        json.dumps({"log": {"version": "1.2", "entries": entries}}), encoding="utf-8-sig"
    )
    found = list(read_har(tmp_path / "x.har"))
    return [part for part in found if isinstance(part, ForeignExchange)], [
        part for part in found if not isinstance(part, ForeignExchange)
    ]


def coded(data):
    return {"text": base64.b64encode(data).decode(), "encoding": "base64"}


HTML = ("Content-Type", "text/html; charset=windows-1251")
BODIES = {
    "text": ({"text": PAGE, "size": 19}, [HTML], PAGE.encode()),
    "text that was packed": (
        {"text": PAGE},
        [HTML, ("Content-Encoding", "br"), ("Content-Length", "9")],
        PAGE.encode(),
    ),
    "base64": (coded(bytes(range(256))), [("Content-Type", "image/png")], bytes(range(256))),
    "base64 in lines": ({"text": "aGVs\nbG8=", "encoding": "base64"}, [], b"hello"),
    "base64 that was packed": (
        {**coded(b"plain"), "size": 5},
        [("Content-Encoding", "gzip")],
        b"plain",
    ),
    "base64 that is packed": (
        {**coded(gzip.compress(b"plain")), "size": 5},
        [("Content-Encoding", "gzip")],
        b"plain",
    ),
    "base64 in brotli": (
        coded(brotli.compress(PAGE.encode() * 9)),
        [("Content-Encoding", "br")],
        PAGE.encode() * 9,
    ),
    "empty": ({"size": 0}, [], b""),
    "empty text": ({"text": "", "size": 0}, [], b""),
    "JSON": (
        {"text": json.dumps({"a": PAGE}, ensure_ascii=False)},
        [("Content-Type", "application/json")],
        json.dumps({"a": PAGE}, ensure_ascii=False).encode(),
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_every_kind_of_body_is_played_as_the_client_saw_it(tmp_path, name):
    content, headers, body = BODIES[name]
    kept, left = read(tmp_path, entry(content, headers=headers))
    store = FolderStore(tmp_path / "web")
    count = keep_as_web(kept, store, Redactor())
    (played,) = (one for name in store.names() for one in store.read(name).interactions)

    assert (left, count.kept) == ([], 1)
    assert (played.method, played.uri, played.content) == ("GET", URL, body)
    assert not any(value == "9" for _, value in played.headers)


def test_a_text_is_utf_8_whatever_its_page_was_sent_in(tmp_path):
    (one, other, data), _ = read(
        tmp_path,
        entry({"text": PAGE}, headers=[HTML]),
        entry({"text": "plain"}, headers=[HTML]),
        entry({"text": PAGE}, headers=[("content-type", "application/json")]),
    )

    assert one.headers == [("Content-Type", "text/html; charset=utf-8")]
    assert other.headers == [HTML]
    assert data.headers == [("content-type", "application/json")]


REFUSED = {
    "body not saved": (entry({"size": 12}), "its body was not saved"),
    "size not known": (entry({"size": -1}), "its body was not saved"),
    "not modified": (entry({"size": 0}, status=304), "304"),
    "too large": (entry({"text": "x" * (MAX_BYTES + 1)}), "larger than"),
    "bad base64": (entry({"text": "!", "encoding": "base64"}), "base64"),
    "other encoding": (entry({"text": "!", "encoding": "hex"}), "not base64"),
    "half a character": (entry({"text": "x \ud83d"}), "half a character"),
    "body of a number": (entry({"text": 5}), "no text"),
    "gzip cut": (
        entry(coded(gzip.compress(b"x" * 99)[:-9]), headers=[("content-encoding", "gzip")]),
        "not gzip",
    ),
    "request not saved": (entry({"text": "x"}, method="POST", bodySize=9), "request was not saved"),
    "multipart not saved": (
        entry(
            {"text": "x"}, method="POST", postData={"mimeType": "multipart/form-data", "params": []}
        ),
        "request was not saved",
    ),
    "no request": ({"response": {}}, "no request"),
    "no response": ({"request": {}}, "no response"),
    "no entry": (5, "no entry"),
    "status": (entry({"text": "x"}, status=10**9), "status"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_played_is_refused_and_the_rest_is_kept(tmp_path, name):
    bad, why = REFUSED[name]
    good = entry({"text": "x"})
    kept, left = read(tmp_path, good, bad, good)

    assert len(kept) == 2
    assert [(part.where, part.is_refused) for part in left] == [("entry 2", True)]
    assert why in left[0].why


@pytest.mark.parametrize(
    "other",
    [
        entry({}, url="data:text/html,x"),
        entry({}, url="blob:https://a.example/1"),
        entry({}, url="wss://a.example/"),
        entry({}, status=0),
        entry({}, status=101),
    ],
)
def test_what_is_no_exchange_over_http_is_skipped(tmp_path, other):
    kept, left = read(tmp_path, other)

    assert kept == []
    assert [part.is_refused for part in left] == [False]


@pytest.mark.parametrize(
    "case", [{"status": 204}, {"method": "HEAD"}, {"status": 302, "headers": [("Location", "/x")]}]
)
def test_where_no_body_is_meant_none_is_missed(tmp_path, case):
    (one,), left = read(tmp_path, entry({"size": -1}, **case))

    assert (one.body, left) == (b"", [])


@pytest.mark.parametrize(
    ("posted", "body"),
    [
        ({"text": '{"q": 1}'}, b'{"q": 1}'),
        ({"text": "", "params": [{"name": "a b", "value": "1&2"}]}, b"a+b=1%262"),
        ({"params": [{"name": "q", "value": "caf\u00e9"}]}, b"q=caf%C3%A9"),
        ({"text": "aGVsbG8=", "encoding": "base64"}, b"hello"),
    ],
)
def test_the_body_of_a_request_is_part_of_it(tmp_path, posted, body):
    (one,), _ = read(tmp_path, entry({"text": "x"}, method="POST", postData=posted))

    assert (one.method, one.request_body) == ("POST", body)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "5",
        "{}",
        '{"log": 5}',
        '{"log": {"entries": 5}}',
        "[" * 200_000,
        '{"log": ' + "9" * 6000 + "}",
        "\xff",
    ],
)
def test_what_is_no_har_file_is_a_clear_error(tmp_path, text):
    (tmp_path / "x.har").write_bytes(text.encode("latin-1"))

    with pytest.raises(CassetteCorruptError, match="no HAR file"):
        list(read_har(tmp_path / "x.har"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "text",
                    "encoding",
                    "size",
                    "url",
                    "method",
                    "status",
                    "headers",
                    "name",
                    "value",
                    "params",
                    "postData",
                    "content",
                    "request",
                    "response",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(st.lists(JSON, max_size=4), JSON, JSON)
def test_no_entry_raises(entries, content, posted):
    from research_eval.cassette.har import _exchanges

    found = list(_exchanges([*entries, entry(content), entry({"text": "x"}, postData=posted)]))

    assert len(found) == len(entries) + 2
