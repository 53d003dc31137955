"""Stores: written whole or not at all, read lazily, and safe to be fed by strangers."""

import json
import os
import runpy
import signal
import sqlite3
import subprocess
import sys
import zlib
from pathlib import Path
from types import SimpleNamespace

import pytest
import zstandard

from research_eval.cassette import Redactor, WebCassettes
from research_eval.cassette.file import parse_cassette
from research_eval.cassette.foreign import ForeignExchange, keep_as_web
from research_eval.cassette.name import host_folder, safe_name, slug
from research_eval.cassette.opening import open_store
from research_eval.cassette.pack import PackStore
from research_eval.cassette.playback import Interaction
from research_eval.cassette.shape import exchange_of
from research_eval.cassette.store import FolderStore
from research_eval.cassette.transfer import copy_cassettes
from research_eval.clock import VirtualClock
from research_eval.errors import CassetteCorruptError, CassetteError

lab = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("cassette_lab.py"))))
httpx = lab.httpx
async_test = pytest.mark.anyio
PAGE = ("<p>line</p>\r\n" * 400).encode()
FORMS = ["folder", "pack"]


def exchange(url, body=b"ok", kind="text/plain", status=200, **request):
    sent = {"method": "GET", "request_headers": [], "request_body": b""} | request
    return ForeignExchange(
        uri=url, status=status, reason="OK", headers=[("content-type", kind)], body=body, **sent
    )


def web_at(folder, form, exchanges):
    store = (
        PackStore(folder / "web.pack")
        if form == "pack"
        else FolderStore(folder / "web", has_shared_bodies=True)
    )
    keep_as_web(exchanges, store, Redactor())
    store.close()
    return open_store(folder / "web", has_shared_bodies=True)


def cassette_text(**changes):
    """Return the text of a sound cassette file, with some fields replaced by dotted path."""
    slot = {"key": "0" * 32}
    interaction = {
        "request": {"method": "GET", "uri": "https://a.example/"},
        "response": {"status": {"code": 200}, "body": {"string": "x"}},
        "recording": slot,
    }
    file = {"version": 1, "metadata": {"profile": 1}, "interactions": [interaction]}
    for path, value in changes.items():
        *parents, last = path.split("__")
        where = file
        for name in parents:
            where = where[int(name) if name.isdigit() else name]
        where[last] = value
    return json.dumps(file).encode()


def no_file(name):
    raise AssertionError(name)


def play(text):
    cassette = parse_cassette(text, "x.json", no_file)
    pieces = [interaction.pieces() for interaction in cassette.interactions]
    return pieces, cassette.records()


def test_a_sound_file_is_read():
    assert play(cassette_text())[0] == [[(b"x", 0.0)]]


def test_a_file_with_the_names_of_version_0_1_0_is_read():
    new = cassette_text(interactions__0__recording__task_id="left")
    old = new.replace(b'"recording"', b'"tape"').replace(b'"task_id"', b'"lane"')

    assert old != new
    assert play(old) == play(new)


@pytest.mark.parametrize(
    "changes",
    [
        {"version": 2},
        {"metadata": {}},
        {"metadata__profile": 99},
        {"metadata__profile": "1"},
        {"interactions": {}},
        {"interactions": None},
        {"interactions__0__response__status__code": "200"},
        {"interactions__0__response__status__code": True},
        {"interactions__0__response__status__code": 10**30},
        {"interactions__0__response__headers": [1]},
        {"interactions__0__response__headers": {"a": [1]}},
        {"interactions__0__response__body": {"string": "a", "lines": ["b"], "weird": 1}},
        {"interactions__0__response__body": {"base64": "%%%"}},
        {"interactions__0__response__body": {"file": "../../../etc/passwd"}},
        {"interactions__0__response__body": {"file": "/etc/passwd"}},
        {"interactions__0__response__body": {"file": "a" * 64 + ".txt/../../x"}},
        {"interactions__0__response__body": {"file": 7}},
        {"interactions__0__response__body": {"json": 1, "style": "evil"}},
        {"interactions__0__recording__key": "short"},
        {"interactions__0__recording__ordinal": -1},
        {"interactions__0__recording__ordinal": 10**12},
        {"interactions__0__recording__latency_s": -1},
        {"interactions__0__recording__latency_s": "1"},
        {"interactions__0__recording__end": "never"},
        {"interactions__0__recording__chunks": "1@0 9@0"},
        {"interactions__0__recording__chunks": "-1@0 2@0"},
        {"interactions__0__recording__chunks": "1@inf"},
        {"interactions__0__recording__chunks": 5},
        {"interactions__0__recording__error": {"type": "SystemExit", "message": ""}},
        {"interactions__0__recording__error": {"type": "Client", "message": ""}},
        {"interactions__0__request__body": {"json": {}, "after": 0}},
        {"interactions__0__request__body": {"json": {}, "after": 5}},
        {"interactions__0__request__method": 7},
    ],
    ids=str,
)
def test_what_is_no_cassette_is_a_clear_error_and_nothing_else(changes):
    with pytest.raises(CassetteCorruptError):
        play(cassette_text(**changes))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 200_000,
        b'{"a":' * 50_000,
        b'{"interactions": [], "metadata": {"profile": NaN}}',
        cassette_text()[:-20],
        b"!!python/object/apply:os.system [id]",
    ],
    ids=[
        "empty",
        "cut",
        "list",
        "null",
        "no utf-8",
        "deep list",
        "deep object",
        "nan",
        "truncated",
        "yaml",
    ],
)
def test_damaged_files_are_never_taken_for_empty_ones(tmp_path, text):
    (tmp_path / "x.json").write_bytes(text)
    with pytest.raises(CassetteCorruptError, match=r"x\.json"):
        FolderStore(tmp_path).read("x")


def test_too_large_a_file_is_refused_before_it_is_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr("research_eval.cassette.store.MAX_BYTES", 100_000)
    with (tmp_path / "x.json").open("wb") as file:
        file.truncate(50_000_000)
    with pytest.raises(CassetteCorruptError, match="larger than 100000 bytes"):
        FolderStore(tmp_path).read("x")


def test_a_folder_where_a_file_should_be_is_a_clear_error(tmp_path):
    (tmp_path / "x.json").mkdir()
    with pytest.raises(CassetteCorruptError, match="cannot be read"):
        FolderStore(tmp_path).read("x")


def test_a_body_whose_line_endings_were_converted_is_noticed(tmp_path):
    store = web_at(tmp_path, "folder", [exchange("https://a.example/", PAGE, "text/html")])
    (body,) = (tmp_path / "web/bodies").iterdir()
    body.write_bytes(PAGE.replace(b"\r\n", b"\n"))
    (name,) = store.names()
    with pytest.raises(CassetteCorruptError, match="were line endings converted"):
        store.read(name).interactions[0].pieces()
    body.unlink()
    with pytest.raises(CassetteCorruptError, match="missing, though a cassette refers to it"):
        store.read(name).interactions[0].pieces()


@pytest.mark.parametrize(
    "name",
    [
        "../up",
        "..",
        ".",
        "",
        "a/b",
        "a\\b",
        "C:",
        "con",
        "NUL.txt",
        "web",
        "bodies",
        ".hidden",
        "x" * 500,
        "caf\u00e9",
        "a\x00b",
        "end.",
        "\ud800",
        "%2e%2e",
        "-rf",
        "a b",
    ],
)
def test_a_name_becomes_one_plain_file_name(tmp_path, name):
    spelled = safe_name(name)
    path = tmp_path / spelled
    path.write_bytes(b"")

    assert path.parent.resolve() == tmp_path.resolve()
    assert [entry.name for entry in tmp_path.iterdir()] == [spelled]
    assert len(spelled) <= 80
    assert spelled not in {"web", "bodies"}


def test_different_names_stay_different():
    names = [
        "a b",
        "a%20b",
        "a_b",
        "A b",
        "web",
        "%77eb",
        "",
        "%",
        "x" * 100,
        "x" * 101,
        "x.",
        "x%2E",
    ]

    assert len({safe_name(name) for name in names}) == len(names)


def test_hosts_and_slugs_are_plain_too():
    assert host_folder("") == "%"
    assert host_folder("A.example:8080") == "a.example_8080"
    assert host_folder("[::1]") == "%5B__1%5D"
    assert "/" not in slug("../../etc/passwd?x=\u00e9")
    assert slug("") == "root"


@pytest.mark.parametrize("form", FORMS)
def test_a_store_gives_back_what_it_was_given(tmp_path, form):
    exchanges = [
        exchange(f"https://a.example/{n}", PAGE if n % 2 else b"\x00\xff" * n) for n in range(8)
    ]
    store = web_at(tmp_path, form, [*exchanges, *exchanges[:2]])

    found = sorted(
        (i.uri, i.ordinal, i.content)
        for name in store.names()
        for i in store.read(name).interactions
    )
    assert found == sorted(
        [*((e.uri, 0, e.body) for e in exchanges), *((e.uri, 1, e.body) for e in exchanges[:2])]
    )
    assert store.read("a.example/none.0") is None
    assert len(store.body_names()) == 1


@pytest.mark.parametrize("form", FORMS)
def test_the_digest_follows_the_content(tmp_path, form):
    exchanges = [exchange("https://a.example/1"), exchange("https://a.example/2", PAGE)]
    digests = [
        web_at(tmp_path / str(n), form, some).digest()
        for n, some in enumerate([exchanges, exchanges[:1], []])
    ]

    assert len(set(digests)) == 3
    assert digests[0] == web_at(tmp_path / "again", form, exchanges).digest()


def test_packing_and_unpacking_changes_nothing(tmp_path):
    turns = [
        exchange(
            "https://m.example/chat",
            method="POST",
            request_headers=[("content-type", "application/json")],
            request_body=json.dumps(
                {"m": [{"c": "word " * 100, "n": i} for i in range(n)]}
            ).encode(),
        )
        for n in range(5)
    ]
    store = web_at(
        tmp_path,
        "folder",
        [
            *turns,
            exchange("https://a.example/", PAGE, "text/html"),
            exchange("https://b.example/", b"\xff"),
        ],
    )
    pack, back = (
        PackStore(tmp_path / "p.pack"),
        FolderStore(tmp_path / "back", has_shared_bodies=True),
    )

    assert copy_cassettes(store, pack) == copy_cassettes(pack, back) == 7
    assert lab.files_in(tmp_path / "back") == lab.files_in(tmp_path / "web")


@pytest.mark.parametrize(
    "name",
    ["../evil", "/etc/evil", "a/../../evil", "a//b", ".hidden", "a/.git", "a\\b", "", "a\x00"],
)
def test_names_in_a_packed_file_cannot_lead_out_of_the_folder_that_it_is_unpacked_into(
    tmp_path, name
):
    web_at(tmp_path, "pack", [exchange("https://a.example/")]).close()
    connection = sqlite3.connect(tmp_path / "web.pack")
    connection.execute("UPDATE tapes SET name = ?, data = substr(data, 6)", (name,))
    connection.commit()
    connection.close()
    before = lab.files_in(tmp_path)
    with pytest.raises(CassetteCorruptError, match="is no name of a cassette"):
        copy_cassettes(PackStore(tmp_path / "web.pack"), FolderStore(tmp_path / "in" / "side"))

    assert lab.files_in(tmp_path) == before


def test_a_long_conversation_is_written_down_once(tmp_path):
    history = [{"role": "user", "content": f"message {n} " * 40} for n in range(40)]
    cassettes = lab.Lab(tmp_path, channel="model")
    body = len(json.dumps(history))

    async def talk(client):
        for turn in range(1, 40):
            await client.post(
                "https://m.example/chat", json={"model": "m", "messages": history[:turn]}
            )

    import asyncio

    asyncio.run(cassettes.record(lambda _: httpx.Response(200, json={"ok": True}), talk))
    asyncio.run(cassettes.replay(talk))

    assert str(cassettes.session.verdict()) == "hit 39/39"
    assert len(cassettes.files()["case/1.json"]) < 3 * body


def test_trials_that_say_much_the_same_share_it_in_a_packed_file(tmp_path):
    pack = PackStore(tmp_path / "m.pack")
    prompt = " ".join(str(n) for n in range(20_000))
    kind = [("content-type", "application/json")]
    for n in range(20):
        body = json.dumps(
            {"messages": [{"role": "system", "content": prompt}, {"content": str(n)}]}
        ).encode()
        keep_as_web(
            [
                exchange(
                    f"https://m.example/{n}", method="POST", request_headers=kind, request_body=body
                )
            ],
            pack,
            Redactor(),
        )
    pack.close()

    assert (tmp_path / "m.pack").stat().st_size < 2 * len(zlib.compress(prompt.encode())) + 100_000


@async_test
async def test_opening_a_large_web_reads_nothing_and_a_request_reads_only_its_own(
    tmp_path, monkeypatch
):
    web_at(tmp_path, "folder", [exchange(f"https://a.example/{n}", PAGE) for n in range(50)])
    opened = []
    real = os.open
    monkeypatch.setattr(
        os,
        "open",
        lambda path, *rest, **more: (opened.append(str(path)), real(path, *rest, **more))[1],
    )
    monkeypatch.setattr(os, "scandir", lambda *_: pytest.fail("the folder was scanned"))
    web = WebCassettes(tmp_path / "web", mode="replay")
    assert opened == []
    async with httpx.AsyncClient(
        transport=web.session(lab.KEY, VirtualClock()).transport()
    ) as client:
        for _ in range(5):
            assert (await client.get("https://a.example/7")).content == PAGE

    assert len(opened) == 3, (
        "its cassette once, its body twice: it is kept when it is asked for again"
    )


@async_test
async def test_cassettes_that_were_not_asked_for_longest_are_let_go(tmp_path, monkeypatch):
    monkeypatch.setattr("research_eval.cassette.web._HELD_CASSETTES", 3)
    web_at(tmp_path, "folder", [exchange(f"https://a.example/{n}") for n in range(10)])
    web = WebCassettes(tmp_path / "web", mode="replay")
    async with httpx.AsyncClient(
        transport=web.session(lab.KEY, VirtualClock()).transport()
    ) as client:
        for n in [0, 1, 2, 3, 0, 4, 5, 0]:
            await client.get(f"https://a.example/{n}")

    assert len(web._cassettes) == 3
    assert web._held_bytes == sum(cassette.size_bytes for cassette in web._cassettes.values())


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b"no database at all" * 100),
        lambda path: path.write_bytes(path.read_bytes()[:5000]),
        lambda path: _sql(path, "CREATE VIEW evil AS SELECT * FROM tapes"),
        lambda path: _sql(
            path, "CREATE TRIGGER evil AFTER INSERT ON tapes BEGIN DELETE FROM tapes; END"
        ),
        lambda path: _sql(path, "DROP TABLE parts"),
        lambda path: _sql(path, "UPDATE tapes SET data = x'0102'"),
        lambda path: _sql(path, "UPDATE tapes SET data = 'text'"),
    ],
    ids=["no database", "cut", "view", "trigger", "table gone", "not compressed", "not bytes"],
)
def test_a_packed_file_from_a_stranger_is_checked(tmp_path, damage):
    web_at(tmp_path, "pack", [exchange(f"https://a.example/{n}", PAGE) for n in range(3)]).close()
    damage(tmp_path / "web.pack")
    store = PackStore(tmp_path / "web.pack")

    def use():
        for name in list(store.names()):
            store.read(name).interactions[0].pieces()
        store.digest()

    with pytest.raises(CassetteCorruptError):
        use()


def _sql(path, statement):
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "row",
    [
        zlib.compress(bytes(10_000_000)),
        zstandard.compress(bytes(10_000_000)),
        zstandard.ZstdCompressor(write_content_size=False).compress(bytes(10_000_000)),
    ],
    ids=["zlib", "zstd", "zstd of unknown size"],
)
def test_a_compressed_row_that_explodes_is_refused(tmp_path, monkeypatch, row):
    monkeypatch.setattr("research_eval.cassette.row.MAX_BYTES", 100_000)
    store = packed_with(tmp_path, lambda _: row)
    with pytest.raises(CassetteCorruptError, match="larger than 100000 bytes"):
        store.read(next(store.names()))


@pytest.mark.parametrize(
    "damaged",
    [lambda row: row[:-3], lambda row: row + b"!", lambda row: row[:9] + b"\xff" + row[10:]],
    ids=["cut", "longer", "changed"],
)
def test_a_damaged_row_of_a_packed_file_is_refused(tmp_path, damaged):
    store = packed_with(tmp_path, damaged)
    with pytest.raises(CassetteCorruptError):
        store.read(next(store.names()))


def test_rows_that_an_earlier_version_packed_are_read(tmp_path):
    store = packed_with(tmp_path, lambda row: zlib.compress(zstandard.decompress(row[5:])))
    cassette = store.read(next(store.names()))
    assert cassette is not None
    assert cassette.interactions[0].uri == "https://a.example/"


def packed_with(folder, change):
    web_at(folder, "pack", [exchange("https://a.example/")]).close()
    connection = sqlite3.connect(folder / "web.pack")
    row = connection.execute("SELECT data FROM tapes").fetchone()[0]
    connection.execute("UPDATE tapes SET data = ?", (change(row),))
    connection.commit()
    connection.close()
    return PackStore(folder / "web.pack")


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CassetteError, match=r"cannot be (read|written)"):
        keep_as_web(
            [exchange("https://a.example/")], FolderStore(tmp_path / "file" / "web"), Redactor()
        )


SCRIPT = """
import asyncio, os, signal, sys, httpx
from research_eval.cassette import ModelCassettes
from research_eval.clock import VirtualClock
from research_eval.schema import TrialKey

async def main():
    session = ModelCassettes(sys.argv[1], mode="record").session(TrialKey("case", "c", 1), VirtualClock())
    def answer(request):
        if request.url.path == "/5":
            os.kill(os.getpid(), signal.SIGKILL)
        return httpx.Response(200, text=request.url.path)
    async with httpx.AsyncClient(transport=session.transport(httpx.MockTransport(answer))) as client:
        for n in range(9):
            await client.get(f"https://a.example/{n}")

asyncio.run(main())
"""


def test_a_recording_that_is_killed_keeps_what_ended_before(tmp_path):
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], check=False)

    assert done.returncode == -signal.SIGKILL
    cassette = FolderStore(tmp_path).read("case/1")
    assert [interaction.content for interaction in cassette.interactions] == [
        f"/{n}".encode() for n in range(5)
    ]


def test_files_are_the_same_whatever_the_hash_seed_and_the_locale(tmp_path):
    script = SCRIPT.replace('"/5"', '"/none"')
    seen = []
    for number, (seed, locale) in enumerate([("1", "C"), ("2", "C.UTF-8")]):
        folder = tmp_path / str(number)
        environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": "Asia/Tokyo"}
        subprocess.run([sys.executable, "-c", script, str(folder)], check=True, env=environment)
        interactions = json.loads((folder / "case/1.json").read_text(encoding="utf-8"))[
            "interactions"
        ]
        for interaction in interactions:
            interaction["recording"] = {
                name: value
                for name, value in interaction["recording"].items()
                if name in {"key", "ordinal"}
            }
        seen.append(json.dumps(interactions))

    assert seen[0] == seen[1]


def _played(headers, body):
    values = {
        "request": {"method": "GET", "uri": "https://a.example/"},
        "response": {"status": {"code": 200}, "headers": headers, "body": body},
        "recording": {"key": "k"},
    }
    return Interaction(exchange_of(values), no_file, "x.json")


@pytest.mark.parametrize("value", ["é", "\u0100", "a\r\nb"])
def test_a_header_that_is_no_ascii_can_be_played(value):
    played = _played({"x-a": [value]}, {"string": ""})
    assert httpx.Headers(played.header_bytes())["x-a"] == value


@pytest.mark.parametrize("name", ["../../x", "a\0b", 5, None])
def test_a_body_that_cannot_be_read_names_its_cassette(name):
    with pytest.raises(CassetteCorruptError, match=r"x\.json"):
        _ = _played({}, {"file": name}).content


def test_a_digest_checks_every_body_and_one_that_is_damaged_is_still_refused_when_it_is_read(
    tmp_path,
):
    store = web_at(
        tmp_path, "folder", [exchange(f"https://a.example/{n}", PAGE + b"%d" % n) for n in range(3)]
    )
    first, *others = store.body_names()
    (tmp_path / "web/bodies" / first).write_bytes(b"changed")
    store.digest()

    with pytest.raises(CassetteCorruptError, match="not what its name says"):
        store.body(first)
    assert all(store.body(name).startswith(PAGE) for name in others)


def test_after_a_digest_that_found_all_bodies_sound_none_is_looked_at_again(tmp_path):
    store = web_at(tmp_path, "folder", [exchange("https://a.example/", PAGE)])
    (name,) = store.body_names()
    before = store.digest()
    (tmp_path / "web/bodies" / name).write_bytes(b"changed since")

    assert store.body(name) == b"changed since"
    assert store.digest() != before
    with pytest.raises(CassetteCorruptError, match="not what its name says"):
        store.body(name)
