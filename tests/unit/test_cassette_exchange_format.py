"""vcrpy and WARC: others read our recordings, and theirs become ours."""

import asyncio
import gzip
import io
import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
import vcr
import yaml

from research_eval.cassette import Redactor, WebCassettes
from research_eval.cassette.foreign import ForeignExchange, ImportCount, keep_as_trial, keep_as_web
from research_eval.cassette.store import FolderStore
from research_eval.cassette.vcrpy import SERIALIZER, register, write_vcrpy
from research_eval.cassette.vcrpy_reading import read_vcrpy
from research_eval.cassette.warc import write_warc
from research_eval.cassette.warc_reading import read_warc
from research_eval.clock import VirtualClock
from research_eval.errors import CassetteCorruptError, CassetteError, SecretInCassetteError

lab = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("cassette_lab.py"))))
httpx = lab.httpx
KIND = [("content-type", "application/json")]


def exchange(url, body=b"ok", kind="text/html", status=200, **request):
    sent = {"method": "GET", "request_headers": [], "request_body": b""} | request
    return ForeignExchange(
        uri=url,
        status=status,
        reason="OK",
        headers=[("content-type", kind), ("x-dropped", "1")],
        body=body,
        **sent,
    )


EXCHANGES = [
    exchange("https://a.example/page", ("<p>caf\u00e9</p>\r\n" * 300).encode()),
    exchange("https://a.example/image", bytes(range(256)) * 20, "image/png"),
    exchange("https://a.example/json", b'{"b": 1.0, "a": [true, null]}', "application/json"),
    exchange("https://a.example/gone", b"", status=404),
    exchange(
        "https://a.example/search",
        b'{"hits": []}',
        "application/json",
        method="POST",
        request_headers=KIND,
        request_body=b'{"q": "x"}',
    ),
    exchange(
        "https://a.example/search",
        b'{"hits": [1]}',
        "application/json",
        method="POST",
        request_headers=KIND,
        request_body=b'{"q": "x"}',
    ),
]


@pytest.fixture
def store(tmp_path):
    store = FolderStore(tmp_path / "web", has_shared_bodies=True)
    keep_as_web(EXCHANGES, store, Redactor())
    return store


def contents(store):
    return sorted(
        (i.method, i.uri, i.ordinal, i.status, i.content)
        for n in store.names()
        for i in store.read(n).interactions
    )


def recorder():
    recorder = vcr.VCR(record_mode="none", match_on=["method", "uri", "body"])
    register(recorder)
    return recorder


def test_vcrpys_own_loader_reads_every_cassette_and_plays_it(store):
    played = []

    async def ask():
        async with httpx.AsyncClient() as client:
            for known in EXCHANGES:
                path = next(
                    store.folder / f"{n}.json"
                    for n in store.names()
                    if store.read(n).interactions[0].uri == known.uri
                )
                with recorder().use_cassette(str(path), serializer=SERIALIZER):
                    response = await client.request(
                        known.method,
                        known.uri,
                        content=known.request_body or None,
                        headers=dict(known.request_headers),
                    )
                    played.append((response.status_code, response.content))

    asyncio.run(ask())

    assert played == [(known.status, known.body) for known in EXCHANGES[:5]] + [
        (200, b'{"hits": []}')
    ]


def test_vcrpys_plain_json_loader_reads_the_files_as_well(store):
    for name in store.names():
        with vcr.VCR().use_cassette(
            str(store.folder / f"{name}.json"), serializer="json", record_mode="none"
        ) as cassette:
            assert len(cassette) == len(store.read(name))


def test_vcrpy_reads_conversations_that_are_written_down_once(tmp_path):
    turns = [
        exchange(
            "https://m.example/chat",
            method="POST",
            request_headers=KIND,
            request_body=json.dumps({"messages": list(range(n)), "model": "m"}).encode(),
        )
        for n in range(1, 4)
    ]
    store = FolderStore(tmp_path / "configuration")
    keep_as_trial(turns, store, Redactor(), "case", 1)
    assert '"after"' in lab.everything_in(tmp_path)
    with recorder().use_cassette(
        str(tmp_path / "configuration/case/1.json"), serializer=SERIALIZER
    ) as cassette:
        assert [json.loads(request.body) for request in cassette.requests] == [
            {"messages": list(range(n)), "model": "m"} for n in range(1, 4)
        ]


def test_vcrpy_writes_through_our_serializer_scrubbed_and_readable(tmp_path):
    secret = "live-key-0123456789"
    ours = vcr.VCR(record_mode="once")
    register(ours, Redactor({"KEY": secret}))
    server = httpx.MockTransport(
        lambda _: httpx.Response(200, content=b"\xff\x00" * 5, headers={"set-cookie": "a=b"})
    )
    with (
        ours.use_cassette(str(tmp_path / "x.json"), serializer=SERIALIZER),
        httpx.Client(transport=server) as client,
    ):
        client.post(
            "https://m.example/chat",
            json={"key": secret},
            headers={"authorization": f"Bearer {secret}"},
        )

    text = (tmp_path / "x.json").read_text()
    assert secret not in text
    assert "set-cookie" not in text
    assert FolderStore(tmp_path).read("x").interactions[0].content == b"\xff\x00" * 5


@pytest.mark.parametrize("name", ["all.yaml", "all.json"])
def test_ordinary_vcrpy_cassettes_are_taken_over_and_given_back(tmp_path, store, name):
    cassettes = [(store.read(n), store.body) for n in store.names()]
    if name.endswith("json"):
        with pytest.raises(
            CassetteError, match=r"binary body cannot go into JSON; write \.yaml instead"
        ):
            write_vcrpy(cassettes, tmp_path / name)
        cassettes = [
            (cassette, body)
            for cassette, body in cassettes
            if not cassette.interactions[0].uri.endswith("image")
        ]
    assert write_vcrpy(cassettes, tmp_path / name) == sum(
        len(cassette) for cassette, _ in cassettes
    )

    again = FolderStore(tmp_path / "again", has_shared_bodies=True)
    keep_as_web(read_vcrpy(tmp_path / name), again, Redactor())
    assert contents(again) == [
        entry
        for entry in contents(store)
        if name.endswith("yaml") or not entry[1].endswith("image")
    ]


def test_a_real_vcrpy_cassette_with_gzip_and_cookies_is_scrubbed_on_the_way_in(tmp_path):
    body = gzip.compress(b'{"text": "hello", "user_id": "u-1"}')
    file = {
        "version": 1,
        "interactions": [
            {
                "request": {
                    "method": "POST",
                    "uri": "https://m.example/v1?api_key=abc",
                    "body": '{"a": 1}',
                    "headers": {
                        "Authorization": ["Bearer xyz"],
                        "Content-Type": ["application/json"],
                    },
                },
                "response": {
                    "status": {"code": 200, "message": "OK"},
                    "headers": {
                        "Set-Cookie": ["a=b"],
                        "Content-Encoding": ["gzip"],
                        "Content-Type": ["application/json"],
                    },
                    "body": {"string": body},
                },
            }
        ],
    }
    (tmp_path / "x.yaml").write_text(yaml.safe_dump(file))
    store = FolderStore(tmp_path / "configuration")
    kept = keep_as_trial(read_vcrpy(tmp_path / "x.yaml"), store, Redactor(), "case", 1)
    assert kept == ImportCount(kept=1)
    (played,) = store.read("case/1").interactions

    assert played.uri == "https://m.example/v1?api_key=SCRUBBED"
    assert json.loads(played.content) == {"text": "hello", "user_id": "SCRUBBED"}
    assert played.headers == [("content-type", "application/json"), ("content-encoding", "gzip")]
    assert "xyz" not in lab.everything_in(tmp_path / "configuration")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "a: b",
        "interactions: 5",
        "!!python/object/apply:os.mkdir [EVIL]",
    ],
)
def test_what_is_no_vcrpy_cassette_is_a_clear_error_and_runs_nothing(tmp_path, text):
    (tmp_path / "x.yaml").write_text(text.replace("EVIL", str(tmp_path / "evil")))
    with pytest.raises(CassetteCorruptError):
        list(read_vcrpy(tmp_path / "x.yaml"))
    assert not (tmp_path / "evil").exists()


def test_a_crawl_becomes_a_web_and_a_web_a_crawl(tmp_path, store):
    exported = write_warc(store, tmp_path / "x.warc.gz")
    again = FolderStore(tmp_path / "again", has_shared_bodies=True)
    keep_as_web(read_warc(tmp_path / "x.warc.gz"), again, Redactor())

    assert (exported.written, exported.failures) == (6, 0)
    assert contents(again) == contents(store)
    write_warc(store, tmp_path / "y.warc.gz")
    assert (tmp_path / "x.warc.gz").read_bytes() == (tmp_path / "y.warc.gz").read_bytes()


def test_exported_records_have_no_transfer_headers_and_true_lengths_and_digests(tmp_path, store):
    write_warc(store, tmp_path / "x.warc.gz")
    text = gzip.decompress((tmp_path / "x.warc.gz").read_bytes()).lower()

    assert b"transfer-encoding" not in text
    assert b"content-encoding" not in text
    assert b"content-length: 5120\r\n" in text


def test_a_foreign_warc_with_chunks_gzip_and_resources_is_read(tmp_path):
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    packed = gzip.compress(b"hello")
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(packed), packed)
    with (tmp_path / "x.warc").open("wb") as out:
        writer = WARCWriter(out, gzip=False)
        writer.write_record(writer.create_warcinfo_record("x.warc", {"software": "test"}))
        headers = StatusAndHeaders(
            "200 OK",
            [
                ("Content-Encoding", "gzip"),
                ("Transfer-Encoding", "chunked"),
                ("Content-Type", "text/plain"),
                ("Set-Cookie", "a=b"),
            ],
            protocol="HTTP/1.1",
        )
        writer.write_record(
            writer.create_warc_record(
                "https://A.example:443/x?b=1&a=2",
                "response",
                payload=io.BytesIO(chunked),
                http_headers=headers,
            )
        )
        writer.write_record(
            writer.create_warc_record(
                "https://a.example/file.txt",
                "resource",
                payload=io.BytesIO(b"plain"),
                warc_content_type="text/plain",
            )
        )
    store = FolderStore(tmp_path / "web", has_shared_bodies=True)
    count = keep_as_web(read_warc(tmp_path / "x.warc"), store, Redactor())
    assert (count.kept, count.refused) == (2, 0)
    assert count.skipped == {"records of the type 'warcinfo'": 1}

    async def visit():
        transport = (
            WebCassettes(tmp_path / "web", mode="replay")
            .session(lab.KEY, VirtualClock())
            .transport()
        )
        async with httpx.AsyncClient(transport=transport) as client:
            return [
                (await client.get(f"https://a.example/{path}")).text
                for path in ("x?b=1&a=2", "file.txt")
            ]

    assert asyncio.run(visit()) == ["hello", "plain"]


@pytest.mark.parametrize(
    "content", [b"", b"no warc", b"\x1f\x8b broken", b"WARC/1.0\r\nWARC-Type: response\r\n"]
)
def test_what_is_no_warc_is_a_clear_error_or_holds_nothing(tmp_path, content):
    (tmp_path / "x.warc").write_bytes(content)
    try:
        found = list(read_warc(tmp_path / "x.warc"))
    except CassetteCorruptError as exc:
        found = [word for word in ("x.warc",) if word not in str(exc)]

    assert [part for part in found if isinstance(part, ForeignExchange)] == []


def test_a_secret_that_cannot_be_scrubbed_stops_an_import(tmp_path, monkeypatch):
    secret = "live-key-0123456789"
    monkeypatch.setattr(Redactor, "content", lambda self, content, *_: content)
    with pytest.raises(SecretInCassetteError, match="KEY"):
        keep_as_web(
            [exchange("https://a.example/", secret.encode())],
            FolderStore(tmp_path),
            Redactor({"KEY": secret}),
        )


@pytest.mark.parametrize("keep", [keep_as_web, lambda *a: keep_as_trial(*a, "case", 1)])
def test_a_url_that_is_none_is_refused_and_the_others_are_kept(tmp_path, keep):
    exchanges = [exchange("https://a.example:port/"), exchange("https://a.example/")]
    count = keep(exchanges, FolderStore(tmp_path / "web"), Redactor())

    assert (count.kept, count.refused) == (1, 1)
    assert "is not a URL" in count.reasons[0]
