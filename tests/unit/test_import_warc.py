"""WARC files: paired by record ids, whole or refused, and every response of a file is accounted for."""

import base64
import gzip
import hashlib
import io
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given, settings, strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from research_eval.cassette.foreign import ForeignExchange
from research_eval.cassette.message import read_message, whole_body
from research_eval.cassette.warc_reading import read_warc
from research_eval.errors import CassetteCorruptError

URL = "https://a.example/page"
PAGE = "<p>Das Mühlrad dreht sich.</p>".encode() * 40
DIGEST = f"sha1:{base64.b32encode(hashlib.sha1(PAGE).digest()).decode()}"  # as crawlers write it
DATE = "2026-01-01T00:00:00Z"


class Crawl:
    """A WARC file under construction; warcio writes it."""

    def __init__(self, *, is_packed=False):
        self.out = io.BytesIO()
        self.ends = []
        self._writer = WARCWriter(self.out, gzip=is_packed)

    def add(self, kind, url, payload, line, headers=(), **warc):
        record = self._writer.create_warc_record(
            url,
            kind,
            payload=io.BytesIO(payload),
            http_headers=line and StatusAndHeaders(line[0], list(headers), protocol=line[1]),
            warc_headers_dict={
                name.replace("_", "-"): value for name, value in {"WARC_Date": DATE, **warc}.items()
            },
        )
        self._writer.write_record(record)
        self.ends.append(self.out.tell())
        return self

    def response(
        self,
        payload=PAGE,
        headers=(("Content-Type", "text/html"),),
        status="200 OK",
        url=URL,
        **warc,
    ):
        return self.add("response", url, payload, (status, "HTTP/1.1"), headers, **warc)

    def request(self, payload=b"", method="POST", url=URL, **warc):
        record = self._writer.create_warc_record(
            url,
            "request",
            payload=io.BytesIO(payload),
            http_headers=StatusAndHeaders(
                f"{method} /page HTTP/1.1",
                [("Content-Type", "application/json")],
                is_http_request=True,
            ),
            warc_headers_dict={
                name.replace("_", "-"): value for name, value in {"WARC_Date": DATE, **warc}.items()
            },
        )
        self._writer.write_record(record)
        self.ends.append(self.out.tell())
        return self

    def read(self, tmp_path, cut=None):
        (tmp_path / "x.warc").write_bytes(self.out.getvalue()[:cut])
        found = list(read_warc(tmp_path / "x.warc"))
        kept = [part for part in found if isinstance(part, ForeignExchange)]
        left = [part for part in found if not isinstance(part, ForeignExchange)]
        return (
            kept,
            [part.why for part in left if part.is_refused],
            [part.why for part in left if not part.is_refused],
        )


ID = {
    "a": "<urn:uuid:00000000-0000-4000-8000-00000000000a>",
    "b": "<urn:uuid:00000000-0000-4000-8000-00000000000b>",
    "m": "<urn:uuid:00000000-0000-4000-8000-00000000000c>",
}


@pytest.mark.parametrize("order", ["request first", "response first"])
@pytest.mark.parametrize(
    "link", ["of the request", "of the response", "of both to a third", "by address and date"]
)
def test_a_post_is_a_post_wherever_its_request_stands_and_whoever_names_the_other(
    tmp_path, order, link
):
    names = {
        "of the request": ({"WARC_Concurrent_To": ID["b"]}, {}),
        "of the response": ({}, {"WARC_Concurrent_To": ID["a"]}),
        "of both to a third": ({"WARC_Concurrent_To": ID["m"]}, {"WARC_Concurrent_To": ID["m"]}),
        "by address and date": ({}, {}),
    }
    of_request, of_response = names[link]
    crawl = Crawl()
    steps = [
        lambda: crawl.request(b'{"q": 1}', WARC_Record_ID=ID["a"], **of_request),
        lambda: crawl.response(WARC_Record_ID=ID["b"], **of_response),
    ]
    for step in steps if order == "request first" else steps[::-1]:
        step()
    (one,), refused, _ = crawl.read(tmp_path)

    assert (one.method, one.request_body, one.body) == ("POST", b'{"q": 1}', PAGE)
    assert refused == []


def test_two_posts_to_one_address_keep_their_own_answers(tmp_path):
    crawl = Crawl()
    for name in "ab":
        crawl.response(name.encode(), WARC_Record_ID=ID[name])
    for name in "ba":
        crawl.request(b"asked " + name.encode(), WARC_Concurrent_To=ID[name])
    kept, _, _ = crawl.read(tmp_path)

    assert [(one.request_body, one.body) for one in kept] == [
        (b"asked a", b"a"),
        (b"asked b", b"b"),
    ]


def test_an_answer_whose_post_cannot_be_told_is_refused_and_not_made_a_get(tmp_path):
    crawl = Crawl().request(b"1").response(WARC_Date="2027-01-01T00:00:00Z")
    kept, refused, skipped = crawl.read(tmp_path)

    assert kept == []
    assert refused == ["its POST request cannot be found"]
    assert "requests without a response" in skipped


def test_a_response_without_any_request_is_a_get(tmp_path):
    (one,), refused, _ = Crawl().response().read(tmp_path)

    assert (one.method, one.uri, one.status, one.body, refused) == ("GET", URL, 200, PAGE, [])


def chunked(body):
    half = len(body) // 2
    parts = [body[:half], body[half:]]
    return (
        b"".join(b"%x;note=1\r\n%s\r\n" % (len(part), part) for part in parts if part)
        + b"0\r\n\r\n"
    )


CODINGS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "gzip, br": lambda body: brotli.compress(gzip.compress(body)),
    "identity": bytes,
    "": bytes,
}


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("is_chunked", [True, False])
@pytest.mark.parametrize("is_decoded", [True, False])
def test_every_coding_gives_the_page(tmp_path, coding, is_chunked, is_decoded):
    from research_eval.cassette import Redactor
    from research_eval.cassette.foreign import keep_as_web
    from research_eval.cassette.store import FolderStore

    body = PAGE if is_decoded else CODINGS[coding](PAGE)
    headers = [("Content-Type", "text/html"), ("Content-Encoding", coding)]
    headers.append(
        ("Transfer-Encoding", "chunked") if is_chunked else ("Content-Length", str(len(body)))
    )
    crawl = Crawl().response(chunked(body) if is_chunked else body, headers)
    kept, refused, _ = crawl.read(tmp_path)
    store = FolderStore(tmp_path / "web")
    keep_as_web(kept, store, Redactor())
    (played,) = (one for name in store.names() for one in store.read(name).interactions)

    assert refused == []
    assert played.content == PAGE


NOT_WHOLE = {
    "truncated": (PAGE, [], {"WARC_Truncated": "length"}, "the crawler cut it"),
    "segment": (PAGE, [], {"WARC_Segment_Number": "1"}, "one segment"),
    "shorter than announced": (
        PAGE[:-1],
        [("Content-Length", str(len(PAGE)))],
        {},
        f"has {len(PAGE) - 1} of {len(PAGE)} bytes",
    ),
    "chunks cut": (
        chunked(PAGE)[:-9],
        [("Transfer-Encoding", "chunked")],
        {},
        "chunked body is cut",
    ),
    "last chunk missing": (
        chunked(PAGE)[:-5],
        [("Transfer-Encoding", "chunked")],
        {},
        "chunked body is cut",
    ),
    "gzip cut": (gzip.compress(PAGE)[:-9], [("Content-Encoding", "gzip")], {}, "not gzip"),
    "zstd cut": (CODINGS["zstd"](PAGE)[:-9], [("Content-Encoding", "zstd")], {}, "not zstd"),
    "br cut": (
        brotli.compress(bytes(range(256)) * 9)[:-9],
        [("Content-Encoding", "br")],
        {},
        "not br",
    ),
    "a bomb": (gzip.compress(bytes(70_000_000)), [("Content-Encoding", "gzip")], {}, "not gzip"),
}


@pytest.mark.parametrize("name", NOT_WHOLE)
def test_what_is_not_whole_is_refused_with_its_reason_and_the_rest_is_kept(tmp_path, name):
    body, headers, warc, why = NOT_WHOLE[name]
    crawl = Crawl().response(b"before").response(body, headers, **warc).response(b"after")
    kept, refused, _ = crawl.read(tmp_path)

    assert [one.body for one in kept] == [b"before", b"after"]
    assert len(refused) == 1
    assert why in refused[0]


@pytest.mark.parametrize("is_packed", [True, False])
def test_a_file_that_is_cut_anywhere_never_gives_half_a_page(tmp_path, is_packed):
    crawl = Crawl(is_packed=is_packed)
    for name in ("one", "two", "three"):
        crawl.response(f"{name} ".encode() * 20, url=f"https://a.example/{name}")
        crawl.request(url=f"https://a.example/{name}", method="GET")
    size, pages = crawl.out.tell(), [f"{name} ".encode() * 20 for name in ("one", "two", "three")]
    near = {end + n for end in crawl.ends for n in range(-9, 9)}
    for cut in sorted({*range(1, size, 3), *near} - {*range(size, size + 9)}):
        try:
            kept, refused, _ = crawl.read(tmp_path, cut)
        except CassetteCorruptError:
            assert cut < crawl.ends[0]
            continue
        whole = sum(end <= cut for end in crawl.ends[::2])
        bodies = [one.body for one in kept]
        assert bodies == pages[: len(bodies)]
        assert len(bodies) >= whole
        unneeded = 16 if is_packed else 4  # the end of the packing, or blank lines
        is_between = any(end - unneeded <= cut <= end for end in crawl.ends)
        assert refused or is_between, cut


@pytest.mark.parametrize(
    "head",
    [b"WARC/1.0\r\nWARC-Type: ", b"WARC/1.0\r\n", b"WARC/1.0\r\nA: b\r\n" * 9 + b"x:"],
)
def test_a_line_without_end_is_read_in_linear_time_and_is_damage(tmp_path, head):
    (tmp_path / "x.warc").write_bytes(head + b"x" * 8_000_000)
    try:
        found = list(read_warc(tmp_path / "x.warc"))
    except CassetteCorruptError:
        return

    assert [part for part in found if isinstance(part, ForeignExchange)] == []
    assert any(part.is_refused for part in found)


REVISIT = "http://netpreserve.org/warc/1.1/revisit/"


@pytest.mark.parametrize("is_late", [True, False])
@pytest.mark.parametrize(
    "names",
    [
        {"WARC_Refers_To": ID["a"]},
        {"WARC_Refers_To_Target_URI": URL, "WARC_Refers_To_Date": DATE},
        {"WARC_Payload_Digest": DIGEST},
    ],
)
@pytest.mark.parametrize("profile", ["identical-payload-digest", "server-not-modified"])
def test_a_revisit_has_the_body_of_its_original(tmp_path, is_late, names, profile):
    crawl = Crawl()
    status = "304 Not Modified" if profile == "server-not-modified" else "200 Fine"
    steps = [
        lambda: crawl.response(WARC_Record_ID=ID["a"]),
        lambda: crawl.add(
            "revisit",
            URL + "?2",
            b"",
            (status, "HTTP/1.1"),
            [("Server", "s")],
            WARC_Profile=REVISIT + profile,
            **names,
        ),
    ]
    for step in steps if is_late else steps[::-1]:
        step()
    kept, refused, _ = crawl.read(tmp_path)
    found = {one.uri: one for one in kept}

    assert refused == []
    assert found[URL + "?2"].body == PAGE
    assert found[URL + "?2"].status == 200
    is_own = ("Server", "s") in found[URL + "?2"].headers
    assert is_own == (profile == "identical-payload-digest")


def test_a_revisit_of_what_is_not_there_is_refused(tmp_path):
    crawl = Crawl().add(
        "revisit", URL, b"", ("200 OK", "HTTP/1.1"), WARC_Refers_To=ID["a"], WARC_Profile=REVISIT
    )
    kept, refused, _ = crawl.read(tmp_path)

    assert (kept, refused) == ([], ["the page that it is a revisit of is not in this file"])


def test_records_that_are_no_responses_over_http_are_counted_by_what_they_are(tmp_path):
    crawl = (
        Crawl().add("metadata", URL, b"x", None).add("response", "dns:a.example", b"1.2.3.4", None)
    )
    kept, refused, skipped = crawl.read(tmp_path)

    assert (kept, refused) == ([], [])
    assert sorted(skipped) == [
        "records of other schemes than http and https",
        "records of the type 'metadata'",
    ]


@pytest.mark.parametrize("status", ["", "OK", "99 no", "1000 no", "2xx"])
def test_a_response_without_a_status_is_refused(tmp_path, status):
    assert Crawl().response(status=status).read(tmp_path)[1] == [
        "it does not begin with a status line of HTTP"
    ]


def test_a_wrong_length_is_told_and_nothing_is_printed(tmp_path, capsys):
    crawl = Crawl().response(b"x" * 50).response(b"after")
    whole = crawl.out.getvalue()
    short = whole.replace(b"Content-Length: 94", b"Content-Length: 70", 1)
    assert short != whole
    (tmp_path / "y.warc").write_bytes(short)
    found = list(read_warc(tmp_path / "y.warc"))

    assert any(not isinstance(part, ForeignExchange) and part.is_refused for part in found)
    assert capsys.readouterr().err == ""


@given(st.binary(max_size=300), st.binary(max_size=40))
@settings(max_examples=200)
def test_no_bytes_raise_and_none_are_invented(head, tail):
    message = read_message(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + head + tail)

    assert message.body == head + tail
    assert (
        whole_body(
            read_message(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + chunked(head)),
            "GET",
            200,
        )
        == head
    )
