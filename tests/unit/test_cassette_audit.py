"""Audits, comparisons and scrubbing of recordings that lie on disk."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from research_eval.cassette import Redactor, WebCassettes
from research_eval.cassette.audit import prune, verify
from research_eval.cassette.comparison import compare_stores, figures
from research_eval.cassette.foreign import ForeignExchange, ImportCount, keep_as_trial, keep_as_web
from research_eval.cassette.store import FolderStore
from research_eval.cassette.transfer import scrub_cassettes
from research_eval.clock import VirtualClock
from research_eval.errors import CassetteError

lab = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("cassette_lab.py"))))
httpx = lab.httpx
PAGE = ("<p>some page</p>\n" * 300).encode()


def exchange(url, body=b"ok", status=200, **request):
    sent = {"method": "GET", "request_headers": [], "request_body": b""} | request
    return ForeignExchange(
        uri=url,
        status=status,
        reason="OK",
        headers=[("content-type", "text/html")],
        body=body,
        **sent,
    )


@pytest.fixture
def web(tmp_path):
    store = FolderStore(tmp_path / "web", has_shared_bodies=True)
    keep_as_web(
        [exchange(f"https://a.example/{n}", PAGE + b"%d" % n) for n in range(3)], store, Redactor()
    )
    return store


def kinds(store, redactor=None, **options):
    return sorted(
        {finding.kind for finding in verify(store, redactor or Redactor(), "web", **options)}
    )


def edit(store, change):
    """Change the file of the first cassette."""
    name = next(store.names())
    path = store.folder / f"{name}.json"
    file = json.loads(path.read_text())
    del file["checksum"]
    change(file)
    path.write_text(json.dumps(file))
    return name


def test_a_sound_store_has_no_findings(web):
    assert kinds(web) == []


def test_damage_is_found(web):
    name = next(web.names())
    (web.folder / f"{name}.json").write_text("{")

    assert kinds(web) == ["orphan_body", "unreadable"]


def test_a_missing_body_is_found(web):
    web.remove_body(web.body_names()[0])

    assert kinds(web) == ["unreadable"]


def test_the_same_slot_twice_is_found(web):
    edit(web, lambda file: file["interactions"].append(file["interactions"][0]))

    assert kinds(web) == ["duplicate", "unsealed"]


def test_a_request_that_was_edited_no_longer_has_its_key(web):
    edit(
        web,
        lambda file: file["interactions"][0]["request"].update(uri="https://a.example/elsewhere"),
    )

    assert kinds(web) == ["unsealed", "wrong_key"]


def test_a_cassette_under_the_name_of_another_is_found(web):
    first, second, *_ = web.names()
    (web.folder / f"{first}.json").write_bytes((web.folder / f"{second}.json").read_bytes())

    assert "misfiled" in kinds(web)


def test_a_secret_in_a_cassette_is_found_by_value_and_by_shape(web):
    key = "sk-proj-" + "abcdefghij0123456789"
    keep_as_web([exchange("https://a.example/leak", f"<p>{key}</p>".encode())], web, Redactor())

    assert kinds(web) == ["looks_secret"]
    assert kinds(web, Redactor({"KEY": key})) == ["secret"]
    assert all(key not in finding.detail for finding in verify(web, Redactor({"KEY": key}), "web"))


def test_what_no_trial_has_is_an_orphan_and_can_be_pruned(tmp_path):
    store = FolderStore(tmp_path / "configuration")
    for number in (1, 2, 3):
        keep_as_trial([exchange("https://m.example/chat")], store, Redactor(), "case", number)
    expected = {"case/1", "case/2"}

    assert [finding.name for finding in verify(store, Redactor(), "model", expected=expected)] == [
        "case/3"
    ]
    assert prune(store, {"case/3"}, is_dry=True) == ["case/3"]
    assert prune(store, {"case/3"}) == ["case/3"]
    assert list(store.names()) == ["case/1", "case/2"]
    assert list(verify(store, Redactor(), "model", expected=expected)) == []


def test_bodies_go_with_the_last_cassette_that_refers_to_them(web):
    keep_as_web([exchange("https://a.example/copy", PAGE + b"0")], web, Redactor())
    first = next(name for name in web.names() if name.startswith("a.example/0."))
    copy = next(name for name in web.names() if name.startswith("a.example/copy."))

    assert prune(web, {first}) == [first]
    assert len(prune(web, {copy})) == 2


@pytest.mark.anyio
async def test_what_a_whole_replay_did_not_play_is_found(web):
    cassette = WebCassettes(web.folder, mode="replay")
    async with httpx.AsyncClient(
        transport=cassette.session(lab.KEY, VirtualClock()).transport()
    ) as client:
        await client.get("https://a.example/0")
        await client.get("https://a.example/2")

    findings = list(verify(web, Redactor(), "web", played=cassette.played()))
    assert [(finding.kind, finding.name[:11]) for finding in findings] == [
        ("unplayed", "a.example/1")
    ]


def test_two_stores_are_compared_by_what_they_answer(tmp_path, web):
    other = FolderStore(tmp_path / "other", has_shared_bodies=True)
    changed = [
        exchange("https://a.example/0", PAGE + b"0"),
        exchange("https://a.example/1", PAGE + b"x"),
        exchange("https://a.example/2", PAGE + b"2", status=404),
        exchange("https://a.example/3"),
    ]
    keep_as_web(changed, other, Redactor())

    found = [(change.kind, change.request, change.detail) for change in compare_stores(web, other)]
    assert found == [
        ("changed", "GET https://a.example/1", "body, line 301: '1', now 'x'"),
        ("changed", "GET https://a.example/2", "status: 200 OK, now 404 OK"),
        ("added", "GET https://a.example/3", "status 200"),
    ]
    assert list(compare_stores(web, web)) == []
    assert [change.kind for change in compare_stores(other, web)] == [
        "changed",
        "changed",
        "removed",
    ]


def test_figures_count_and_name_requests_with_more_than_one_answer(web):
    keep_as_web(
        [exchange("https://a.example/0", b"another"), exchange("https://b.example/", status=404)],
        web,
        Redactor(),
    )
    counted = figures(web)

    assert (counted.cassettes, counted.interactions, counted.bodies) == (4, 5, 3)
    assert counted.hosts == {"a.example": 4, "b.example": 1}
    assert counted.statuses == {"200": 4, "404": 1}
    assert [line[:12] for line in counted.ambiguous] == ["a.example/0."]


def test_scrubbing_again_takes_out_what_is_known_today_and_moves_the_cassette_to_its_new_key(
    tmp_path,
):
    store = FolderStore(tmp_path / "web", has_shared_bodies=True)
    key = "live-key-0123456789"
    keep_as_web(
        [
            exchange(f"https://a.example/?q={key}", f"you said {key}".encode()),
            exchange("https://a.example/clean"),
        ],
        store,
        Redactor(),
    )
    before = set(store.names())
    redactor = Redactor({"KEY": key})

    assert len(scrub_cassettes(store, redactor, "web", is_dry=True)) == 1
    assert key in lab.everything_in(tmp_path)
    assert len(scrub_cassettes(store, redactor, "web")) == 1
    assert key not in lab.everything_in(tmp_path)
    assert len(before & set(store.names())) == 1
    assert scrub_cassettes(store, redactor, "web") == []
    assert list(verify(store, redactor, "web")) == []


def test_requests_that_differed_in_a_secret_alone_become_answers_one_after_another(tmp_path):
    web = FolderStore(tmp_path / "web", has_shared_bodies=True)
    urls = [f"https://a.example/x?pass=word-{number}" for number in (1, 2)]
    keep_as_web([exchange(url, url[-1:].encode()) for url in urls], web, Redactor())
    redactor = Redactor(patterns=["word-[0-9]"])

    for changed in (2, 0):  # once more changes nothing
        assert len(scrub_cassettes(web, redactor, "web")) == changed
        (name,) = web.names()
        assert name.startswith("a.example/x-pass-scrubbed.")
        answers = {(one.uri, one.ordinal, one.content) for one in web.read(name).interactions}
        uri = "https://a.example/x?pass=SCRUBBED"
        assert answers in ({(uri, 0, b"1"), (uri, 1, b"2")}, {(uri, 0, b"2"), (uri, 1, b"1")})


def test_importing_again_adds_nothing_and_another_crawl_adds_its_answers(tmp_path):
    web = FolderStore(tmp_path / "web", has_shared_bodies=True)
    poll = [exchange("https://a.example/poll", body) for body in (b"wait", b"wait", b"done")]

    assert keep_as_web(poll, web, Redactor()) == ImportCount(kept=3)
    assert keep_as_web(poll, web, Redactor()) == ImportCount(known=3)
    other = [exchange("https://a.example/poll", b"other")]
    assert keep_as_web(other, web, Redactor()) == ImportCount(kept=1)
    (name,) = web.names()
    assert [one.content for one in web.read(name).interactions] == [
        b"wait", b"wait", b"done", b"other"
    ]  # fmt: skip


def test_pruning_removes_nothing_while_a_cassette_that_stays_cannot_be_read(tmp_path):
    web = FolderStore(tmp_path / "web", has_shared_bodies=True)
    keep_as_web([exchange(f"https://a.example/{n}", PAGE) for n in range(2)], web, Redactor())
    gone, damaged = web.names()
    (web.folder / f"{damaged}.json").write_text("{")

    with pytest.raises(CassetteError, match="is cut short"):
        prune(web, {gone})

    assert list(web.names()) == [gone, damaged]
