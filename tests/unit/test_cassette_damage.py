"""Damaged recordings: each flipped bit is named or without effect, and ends its own trial alone."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from research_eval.cassette import ModelCassettes, Redactor
from research_eval.cassette.audit import verify
from research_eval.cassette.opening import open_store
from research_eval.cassette.store import FolderStore
from research_eval.cli.main import cli
from research_eval.clock import VirtualClock
from research_eval.errors import CassetteCorruptError, CassetteMissError
from research_eval.schema import TrialKey

flips = SimpleNamespace(
    **runpy.run_path(str(Path(__file__).resolve().parents[2] / "benchmarks" / "flips.py"))
)
lab = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("cassette_lab.py"))))


@pytest.mark.parametrize("form", ["folder", "pack"])
def test_a_flipped_bit_is_named_or_without_effect(tmp_path, form):
    counts, unnoticed = flips.outcomes(tmp_path, form, flips=60, seed=20261202)

    assert unnoticed == []
    assert counts["named"] > 5


@pytest.fixture
def web(tmp_path):
    flips.build(tmp_path, "folder")
    return FolderStore(tmp_path / "web", has_shared_bodies=True)


def change(store, change, name=None):
    """Change the file of a cassette as an editor would; return its name."""
    name = name or next(store.names())
    path = store.folder / f"{name}.json"
    path.write_bytes(change(path.read_bytes()))
    return name


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda text: text.replace(b"Page 0", b"Page 1"), "does not fit its checksum"),
        (lambda text: json.dumps(json.loads(text)).encode(), "does not fit its checksum"),
        (
            lambda text: b"<<<<<<< ours\n" + text + b"=======\n" + text + b">>>>>>> theirs\n",
            r"conflict markers of a merge \(line 1\)",
        ),
        (lambda text: text[:-40], "is cut short"),
        (lambda _: b"", "is empty"),
        (lambda _: bytes(4096), "zero bytes alone"),
        (lambda _: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"),
        (lambda text: text.decode().encode("utf-16"), "UTF-16"),
    ],
    ids=["edit", "reformatted", "merge", "cut", "empty", "zeros", "git lfs", "utf-16"],
)
def test_the_kind_of_damage_is_named(web, damage, words):
    name = change(web, damage)

    with pytest.raises(CassetteCorruptError, match=words):
        web.read(name)
    assert next((f.kind, f.name) for f in verify(web, Redactor(), "web")) == ("unreadable", name)


def test_converted_line_endings_do_no_harm(web):
    name = change(web, lambda text: text.replace(b"\n", b"\r\n"))

    assert b"Page 0" in web.read(name).interactions[0].content


def test_a_change_on_purpose_is_sealed_and_damage_is_not(web, capsys):
    edited, cut = list(web.names())[:2]
    change(web, lambda text: text.replace(b"Page 0", b"Page 7"), edited)
    change(web, lambda text: text[:-40], cut)

    code = cli(["cassette", "seal", str(web.folder)], standalone_mode=False)

    said = capsys.readouterr()
    assert code == 1
    assert said.out == f"web/{edited}\n1 sealed, 1 damaged\n"
    assert f"{cut}.json: is cut short" in said.err
    assert b"Page 7" in web.read(edited).interactions[0].content


def test_files_without_a_checksum_are_read_and_sealing_changes_one_line(web):
    def without(text):
        lines = text.split(b"\n")
        return b"\n".join([lines[0], *lines[2:]])

    before = lab.files_in(web.folder)
    name = change(web, without)

    assert web.read(name).interactions
    assert {finding.kind for finding in verify(web, Redactor(), "web")} == {"unsealed"}
    assert web.seal(name)
    assert lab.files_in(web.folder) == before


def test_a_row_that_is_lost_is_not_taken_for_one_that_was_never_there(tmp_path):
    place = flips.build(tmp_path, "pack")["web"]
    name = next(open_store(place).names())
    place.write_bytes(place.read_bytes().replace(name.encode(), name.encode()[:-1] + b"!"))
    store = open_store(place)

    with pytest.raises(CassetteCorruptError, match=r"web\.pack.*lost"):
        store.read(name)
    assert any("lost" in finding.detail for finding in verify(store, Redactor(), "web"))


def damaged_trial(folder, mode, **options):
    """Return a session of a trial whose file is damaged, and one of its neighbour."""
    key = TrialKey("case", "mine", 1)
    cassette = ModelCassettes(
        folder, mode=mode, record_command="research-eval record x.toml", **options
    )
    return (
        cassette,
        cassette.session(key, VirtualClock()),
        cassette.session(key._replace(trial=2), VirtualClock()),
    )


async def ask(session, number, inner=None):
    turn = flips.talk(number)[0]
    async with lab.httpx.AsyncClient(transport=session.transport(inner)) as client:
        return await client.post(
            turn.uri, content=turn.request_body, headers=dict(turn.request_headers)
        )


@pytest.mark.anyio
async def test_a_damaged_file_stops_its_own_trial_and_says_how_to_record_it_again(tmp_path):
    folder = flips.build(tmp_path, "folder")["mine"]
    change(FolderStore(folder), lambda text: text.replace(b"41", b"47"), "case/1")
    cassette, damaged, sound = damaged_trial(folder, "replay")

    cassette.digest()
    with pytest.raises(CassetteMissError, match="does not fit its checksum"):
        await ask(damaged, 0)
    assert damaged.problem.endswith(
        "record it again with: research-eval record x.toml --stale --configuration mine --case case"
    )
    assert damaged.problem_kind == "cassette_damaged"
    assert (await ask(sound, 1)).json()["number"] == 42


@pytest.mark.anyio
async def test_that_command_records_it_again(tmp_path):
    folder = flips.build(tmp_path, "folder")["mine"]
    change(FolderStore(folder), lambda text: text[:-30], "case/1")
    _, damaged, _ = damaged_trial(folder, "record")
    answer = lab.httpx.MockTransport(lambda _: lab.httpx.Response(200, json={"number": 5}))

    assert (await ask(damaged, 0, answer)).json() == {"number": 5}
    damaged.close()
    _, repaired, _ = damaged_trial(folder, "replay")
    assert (await ask(repaired, 0)).json() == {"number": 5}
