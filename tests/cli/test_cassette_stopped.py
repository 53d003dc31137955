"""Commands that change recordings, killed half-way in processes of their own: nothing is half, a second run completes."""

import json
import shutil
import signal
from contextlib import chdir

import pytest
from click.testing import CliRunner

from research_eval.cassette import Redactor
from research_eval.cassette.audit import verify
from research_eval.cassette.foreign import ForeignExchange, keep_as_web
from research_eval.cassette.place import find_stores
from research_eval.cassette.store import FolderStore
from research_eval.cli.cassette import cassette
from tests.stepwise import Stepwise

COUNT = 150
FEW = 15
PAGE = "<p>some secret-word page</p>\n" * 120


def exchange(number):
    kind = [("content-type", "text/html")]
    url = f"https://a.example/{number}?token=secret-word-{number % 3}"
    return ForeignExchange("GET", url, [], b"", 200, "OK", kind, f"{number}{PAGE}".encode())


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return a recorded web of many pages, and the same as one vcrpy cassette."""
    folder = tmp_path_factory.mktemp("whole")
    keep_as_web(
        map(exchange, range(COUNT)),
        FolderStore(folder / "cassettes/web", has_shared_bodies=True),
        Redactor(),
    )
    interactions = [
        {
            "request": {"method": "GET", "uri": one.uri, "body": None, "headers": {}},
            "response": {
                "status": {"code": 200, "message": "OK"},
                "headers": {"content-type": ["text/html"]},
                "body": {"string": one.body.decode()},
            },
        }
        for one in map(exchange, range(COUNT))
    ]
    (folder / "all.json").write_text(json.dumps({"version": 1, "interactions": interactions}))
    return folder


def names(folder):
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


def prepare_unpack(folder):
    run("pack", "cassettes", cwd=folder)


def prepare_prune(folder):
    for path in sorted((folder / "cassettes/web/a.example").iterdir())[:100]:
        path.unlink()


def imported(folder, _):
    return len(names(folder / "new/web/a.example")) > FEW


def scrubbed(folder, whole):
    here = "cassettes/web/a.example"
    return len(names(folder / here) - names(whole / here)) > FEW


def pruned(folder, whole):
    return (
        len(names(folder / "cassettes/web/bodies"))
        < len(names(whole / "cassettes/web/bodies")) - FEW
    )


def packed(folder, _):
    return (folder / "cassettes/.web.pack.part").exists()


def unpacked(folder, _):
    return len(names(folder / "cassettes/web/a.example")) > FEW


COMMANDS = {
    "import-vcr": (("import-vcr", "all.json", "new/web"), None, imported),
    "scrub": (("scrub", "cassettes", "--pattern", "secret-word(-[0-9])?"), None, scrubbed),
    "prune": (("prune", "cassettes"), prepare_prune, pruned),
    "pack": (("pack", "cassettes"), None, packed),
    "unpack": (("unpack", "cassettes"), prepare_unpack, unpacked),
}


def run(*words, cwd):
    with chdir(cwd):
        result = CliRunner().invoke(cassette, words, standalone_mode=False)
    assert result.exception is None, result.exception


def stop_half_way(words, is_half_way, stop, cwd, whole):
    command = Stepwise(["cassette", *words], cwd)
    while not is_half_way(cwd, whole):
        assert command.go_on(), "it never was half-way"
    code, said = command.end(stop)
    assert "Traceback" not in said
    return code


def answers(folder):
    """Return what all recordings answer, by request and number, each read back and verified."""
    found = {}
    for named in find_stores(folder):
        kinds = {finding.kind for finding in verify(named.store, Redactor(), named.channel)}
        assert kinds <= {"orphan_body"}
        for name in named.store.names():
            for one in named.store.read(name).interactions:
                found[one.uri, one.ordinal] = one.content
    return found


@pytest.mark.parametrize(
    ("name", "stop"),
    [*((name, signal.SIGKILL) for name in COMMANDS), ("import-vcr", signal.SIGINT)],
    ids=str,
)
def test_a_command_that_is_stopped_leaves_nothing_half_and_is_completed(
    whole, tmp_path, name, stop
):
    words, prepare, is_half_way = COMMANDS[name]
    for folder in (tmp_path / "undisturbed", tmp_path / "stopped"):
        shutil.copytree(whole, folder)
        if prepare is not None:
            prepare(folder)
    run(*words, cwd=tmp_path / "undisturbed")
    place = "new" if name == "import-vcr" else "cassettes"

    code = stop_half_way(words, is_half_way, stop, tmp_path / "stopped", whole)
    assert code == (-stop if stop == signal.SIGKILL else 130)
    half = answers(tmp_path / "stopped" / place)
    if name not in {"import-vcr", "scrub"}:
        assert half == answers(tmp_path / "undisturbed" / place)
    run(*words, cwd=tmp_path / "stopped")

    assert answers(tmp_path / "stopped" / place) == answers(tmp_path / "undisturbed" / place)
    listed = [sorted(path.name for path in (tmp_path / side / place).iterdir() if path.name[0] != ".")
              for side in ("undisturbed", "stopped")]  # fmt: skip
    assert listed[0] == listed[1]
