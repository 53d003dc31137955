"""The real command line records real servers on 127.0.0.1: what is kept, and what a change does to it."""

import base64
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from click.testing import CliRunner

from research_eval.cassette import Redactor
from research_eval.cassette.audit import Finding, verify
from research_eval.cassette.foreign import ForeignExchange, keep_as_web
from research_eval.cassette.place import find_stores
from research_eval.cassette.store import FolderStore
from research_eval.cli.main import cli
from research_eval.tool.search.tool import WebSearchTool
from tests.replay.conftest import research_eval
from tests.replay.local_services import local_services, write_experiment
from tests.stepwise import interrupt

pytestmark = pytest.mark.sockets

KEYS = {"OPENAI_API_KEY": "sk-live/Open+and&more=1x", "SERPER_API_KEY": "serper/Wide+and&more=2y"}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Record an experiment whose servers say every key back; return folder, experiment, services, output."""
    folder = tmp_path_factory.mktemp("recorded")
    with local_services() as services:
        services.known = tuple(KEYS.values())
        path = write_experiment(folder, services)
        done = research_eval("record", path, "--out", "recording", cwd=folder, **KEYS)
        yield folder, path.name, services, done.stdout + done.stderr


@pytest.fixture
def place(recorded, tmp_path, monkeypatch):
    """Return a copy of what was recorded, and the command line, run in it with the keys at hand."""
    folder, path, services, _ = recorded
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    services.asked.clear()
    monkeypatch.chdir(tmp_path)
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)

    def run(command, *words):
        result = CliRunner().invoke(cli, [*command.split(), path, *words], standalone_mode=False)
        assert result.exception is None, result.output
        return result.return_value or 0, result.output

    return tmp_path, services, run


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def leaked(content: bytes) -> list[str]:
    """Return the forms of keys that are in `content`."""
    found = []
    for key in KEYS.values():
        raw = key.encode()
        inner = [base64.b64encode(b"\0" * n + raw)[4 if n else 0 : -4] for n in range(3)]
        forms = [raw, quote(key, safe="").encode(), quote(key).encode(), quote_plus(key).encode()]
        forms += [*inner, raw.hex().encode(), b"Bearer " + raw[:8], raw[:12]]
        found += [form.decode() for form in forms if form in content]
    return found


def found(cassettes: Path) -> list[Finding]:
    return [
        finding
        for named in find_stores(cassettes)
        for finding in verify(named.store, Redactor(KEYS), named.channel)
        if finding.kind != "orphan_body"
    ]


def test_the_servers_do_say_the_keys_back(recorded):
    _, _, services, _ = recorded

    assert len(services.asked) > 20
    assert leaked(" ".join(services.known).encode())


def test_keys_of_the_environment_are_in_no_file_and_on_no_terminal(recorded):
    folder, _, _, output = recorded
    written = files(folder)

    kinds = {name.rpartition(".")[2] for name in written}
    assert {"json", "jsonl", "html", "md", "csv", "xml"} <= kinds
    assert any(name.startswith("cassettes/mine/web/bodies/") for name in written)
    assert sum(b"SCRUBBED" in content for content in written.values()) > 10
    assert {name: leaked(content) for name, content in written.items() if leaked(content)} == {}
    assert leaked(output.encode()) == []


def test_a_changed_tool_description_is_named_and_recorded_and_nothing_else_changes(
    place, monkeypatch
):
    folder, services, run = place
    cassettes = folder / "cassettes/mine"
    before = files(cassettes)
    words = "Search the web, thoroughly. Returns titles, URLs and snippets."
    spec = WebSearchTool.spec.model_copy(update={"description": words})
    monkeypatch.setattr(WebSearchTool, "spec", spec)

    _, said = run("replay", "--out", "after", "--until-divergence")
    lines = [line for line in said.splitlines() if ": left at " in line]
    assert len(lines) == 4, said
    for line in lines:
        assert re.match(r"case-[01]/searches/[12]: left at turn 1; ", line)
        field = r"differs at tools\[0\]\.function\.description: "
        values = r'recorded "Search the web\. Returns .*, now "Search the web, thoroughly\. '
        assert re.search(field + values, line)
        assert "record mine.toml --stale --configuration searches --case case-" in line
    assert files(cassettes) == before
    assert services.asked == []

    assert run("record", "--stale", "--out", "repaired", "--no-report")[0] == 0
    assert set(services.asked) == {"model"}, "no page and no search was asked for again"
    after = files(cassettes)
    assert set(after) == set(before)
    assert {name for name in after if after[name] != before[name]} == {
        f"searches/case-{case}/{trial}.json" for case in (0, 1) for trial in (1, 2)
    }
    code, said = run("run", "--out", "again", "--no-report")
    assert code == 0
    assert "recordings: hit 48/48" in said


def test_a_page_that_a_smaller_cap_cut_short_is_a_miss_that_recording_repairs(place):
    _, services, run = place
    apart = ("--set", "cassettes=cassettes/short", "--no-report", "--overwrite", "--out", "short",
             "--configuration", "opens", "--case", "case-0")  # fmt: skip
    assert run("record", *apart, "--set", "defaults.fetch.max_body_bytes=1000")[0] == 0

    code, said = run("run", *apart)
    assert code == 4
    assert re.search(r"GET \S+/page/36: only its first \d+ bytes were recorded", said)
    again = "cassettes=cassettes/short --stale --configuration opens --case case-0"
    assert again in said

    services.asked.clear()
    assert run("record", *apart, "--stale")[0] == 0
    assert [words for words in services.asked if words != "model"] == ["page /page/36"]
    assert run("run", *apart)[0] == 0


def test_a_page_that_no_trial_plays_is_found(place):
    folder, _, run = place

    assert run("replay", "--out", "again", "--played", "played.txt")[0] == 0
    assert run("cassette verify", "--played", "played.txt")[0] == 0
    web = FolderStore(folder / "cassettes/mine/web", has_shared_bodies=True)
    lone = ForeignExchange("GET", "https://a.example/", [], b"", 200, "OK", [], b"lone")
    keep_as_web([lone], web, Redactor())

    code, said = run("cassette verify", "--played", "played.txt")
    assert code == 1
    assert "unplayed\tweb/a.example/root." in said
    assert said.endswith(" 1 findings\n")


@pytest.mark.parametrize("stop", ["kill", "interrupt", "interrupt twice"])
def test_a_recording_that_is_stopped_leaves_nothing_half_and_is_completed(tmp_path, stop):
    words = [sys.executable, "-m", "research_eval", "record", "mine.toml", "--no-report",
             "--out", "run", "--concurrency", "2"]  # fmt: skip
    with local_services() as services:
        services.patience = 4
        write_experiment(tmp_path, services, cases=2, trials=1)
        process = subprocess.Popen(
            words,
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **KEYS},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while services.asked.count("model") <= services.patience:
            assert process.poll() is None
            time.sleep(0.01)
        if stop == "kill":
            process.kill()
        else:
            interrupt(process)
        if stop == "interrupt twice":
            interrupt(process)
            process.wait(300)
        services.patience = 1_000_000
        services.wait.set()
        assert process.wait(300) == (-signal.SIGKILL if stop == "kill" else 130)
        assert [name for name in files(tmp_path) if name.endswith(".part")] == []
        assert found(tmp_path / "cassettes/mine") == []

        done = research_eval(*words[3:], cwd=tmp_path, **KEYS)
        assert "4/4 trials" in done.stderr
    assert found(tmp_path / "cassettes/mine") == []
