"""Links in recordings: what leads out of the folder is neither read, written nor removed, whoever asks."""

import pathlib
import shutil

import pytest
from click.testing import CliRunner

from research_eval.cassette import ModelCassettes, Redactor, WebCassettes
from research_eval.cassette.foreign import ForeignExchange, keep_as_trial, keep_as_web
from research_eval.cassette.store import FolderStore
from research_eval.cli.cassette import cassette
from research_eval.errors import CassetteError

PAGE = ("<p>some page</p>\n" * 300).encode()
COMMANDS = (
    ("ls",),
    ("scrub", "--pattern", "some"),
    ("prune",),
    ("stats",),
    ("pack",),
    ("export-warc", "out.warc.gz"),
    ("export-vcr", "out.yaml"),
)


def exchange(url, body=PAGE):
    kind = [("content-type", "text/html")]
    return ForeignExchange("GET", url, [], b"", 200, "OK", kind, body)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Return an experiment's recordings, with somebody's own files beside them."""
    monkeypatch.chdir(tmp_path)
    web = FolderStore(tmp_path / "cassettes/web", has_shared_bodies=True)
    keep_as_web([exchange("https://a.example/1"), exchange("https://b.example/2")], web, Redactor())
    trial = [exchange("https://m.example/")]
    keep_as_trial(trial, FolderStore(tmp_path / "cassettes/small"), Redactor(), "case", 1)
    shutil.copytree(tmp_path / "cassettes", tmp_path / "private")
    return tmp_path / "cassettes"


def one(folder):
    return next(path for path in sorted(folder.iterdir()))


def to_a_cassette(place):
    cassette = one(place / "web/a.example")
    cassette.unlink()
    cassette.symlink_to(one(place.parent / "private/web/a.example"))


def to_a_body(place):
    body = one(place / "web/bodies")
    body.unlink()
    body.symlink_to(place.parent / "private/web/bodies" / body.name)


def to_a_host(place):
    shutil.rmtree(place / "web/a.example")
    (place / "web/a.example").symlink_to(place.parent / "private/web/a.example")


def to_all_bodies(place):
    shutil.rmtree(place / "web/bodies")
    (place / "web/bodies").symlink_to(place.parent / "private/web/bodies")


def to_a_store(place):
    shutil.rmtree(place / "web")
    (place / "web").symlink_to(place.parent / "private/web")


def to_a_packed_file(place):
    call("pack", place.parent / "private")
    shutil.rmtree(place / "web")
    (place / "web.pack").symlink_to(place.parent / "private/web.pack")


LINKS = (to_a_cassette, to_a_body, to_a_host, to_all_bodies, to_a_store, to_a_packed_file)


def call(*words):
    result = CliRunner().invoke(cassette, [str(word) for word in words], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result


def files(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("link", LINKS)
def test_a_command_refuses_a_link_that_leads_out_and_touches_nothing_there(link, command, place):
    link(place)
    before = files(place.parent / "private")

    if command[0] == "prune" and link is to_a_body:
        call("prune", place)  # bodies are counted there, and not read
    else:
        with pytest.raises(CassetteError, match=r"a link that leads out of|no packed cassette"):
            call(command[0], place, *command[1:])

    assert files(place.parent / "private") == before
    assert not list(place.parent.glob("out.*"))


@pytest.mark.parametrize("link", LINKS[:2])
def test_verify_and_show_and_diff_name_the_link(link, place):
    shutil.copytree(place, place.parent / "sound")
    link(place)

    result = call("verify", place)
    assert "unreadable" in result.output
    assert "a link that leads out of" in result.output
    for words in (("show", place, "web/a.example"), ("diff", place.parent / "sound", place)):
        if words[0] == "diff" and link is to_a_body:
            continue  # bodies are compared by their names
        with pytest.raises(CassetteError, match="a link that leads out of"):
            call(*words)


@pytest.mark.parametrize("link", LINKS[2:])
def test_verify_refuses_a_folder_that_leads_out(link, place):
    link(place)

    with pytest.raises(CassetteError, match="a link that leads out of"):
        call("verify", place)


@pytest.mark.parametrize("link", LINKS)
def test_a_replay_refuses_a_link_that_leads_out(link, place):
    name = f"a.example/{one(place / 'web/a.example').stem}"
    link(place)

    with pytest.raises(CassetteError, match="a link that leads out of"):
        _ = WebCassettes(place / "web", mode="replay").store.read(name).interactions[0].content


def test_a_recording_writes_through_no_link(place):
    to_all_bodies(place)
    to_a_host(place)
    before = files(place.parent / "private")

    store = WebCassettes(place / "web", mode="record").store
    for url in ("https://a.example/3", "https://c.example/4"):
        with pytest.raises(CassetteError, match="a link that leads out of"):
            keep_as_web([exchange(url, PAGE + b"!")], store, Redactor())

    assert files(place.parent / "private") == before


def test_a_trial_s_cassette_behind_a_link_is_refused(place):
    shutil.rmtree(place / "small/case")
    (place / "small/case").symlink_to(place.parent / "private/small/case")

    with pytest.raises(CassetteError, match="a link that leads out of"):
        ModelCassettes(place / "small", mode="replay").store.read("case/1")
    with pytest.raises(CassetteError, match="a link that leads out of"):
        ModelCassettes(place / "small", mode="replay").digest()


def test_links_inside_the_folder_and_a_place_that_a_person_names_are_followed(place):
    cassette = one(place / "web/a.example")
    pathlib.Path(cassette).rename(place / "web/b.example" / cassette.name)
    cassette.symlink_to(place / "web/b.example" / cassette.name)
    (place.parent / "mine").symlink_to(place)

    assert WebCassettes(place / "web", mode="replay").store.read(f"a.example/{cassette.stem}")
    assert "https://a.example/1" in call("ls", place.parent / "mine").output
    assert call("ls", place.parent / "mine/web").output
