"""The page on agents of one's own: its agents are run as a reader would, recorded and replayed."""

import json
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from research_eval.experiment import Configuration, bundled_experiment

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "measure-your-agent.md").read_text("utf-8")
FENCES = dict(re.findall(r"as `([\w.]+)`:\n\n```python\n(.*?)```", PAGE, re.DOTALL))
SCRIPT = re.search(r"```javascript\n(.*?)```", PAGE, re.DOTALL)[1]
TOML = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)[1]
NODE = """
[[configuration]]
name = "node"
agent.command = ["node", "agent.js"]
"""


def cli(*words, status=0):
    """Run the command line in a process of its own; return what it printed."""
    command = [sys.executable, "-m", "research_eval", *map(str, words)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == status, result.stderr
    return result.stdout + result.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make the files of the page, record once and replay twice."""
    place = tmp_path_factory.mktemp("own")
    for name, code in FENCES.items():
        (place / name).write_text(code)
    (place / "agent.js").write_text(SCRIPT)
    cases = bundled_experiment().with_name("cases.jsonl").read_text("utf-8").splitlines()[:3]
    (place / "cases.jsonl").write_text("\n".join(cases) + "\n")
    text = TOML.replace("python3", sys.executable) + (NODE if shutil.which("node") else "")
    (place / "mine.toml").write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        cli("record", "mine.toml", "--no-report", "--out", "first")
        cli("run", "mine.toml", "--no-report", "--out", "again", "--concurrency", 1)
        cli("run", "mine.toml", "--no-report", "--out", "third", "--concurrency", 4)
        yield place


LOOP = f"""
name = "loop"
dataset = "cases.jsonl"
cassettes = "cassettes"
record_from = "world"

[defaults]
search.chain = ["serper"]

[[configuration]]
name = "loop"
agent.mcp_client = ["{sys.executable}", "loop.py", "{{question}}", "{{mcp_config}}"]

[[configuration]]
name = "service"
agent.url = "http://127.0.0.1:PORT/ask"
agent.files = ["service.py"]
"""


@pytest.fixture(scope="module")
def once(folder):
    """Record the loop and the service of the page, and replay the service when it is gone."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = str(found.getsockname()[1])
    source = folder / "service.py"
    source.write_text(source.read_text().replace("8123", port))
    (folder / "loop.toml").write_text(LOOP.replace("PORT", port))
    words = ("loop.toml", "--limit", 1, "--no-report")
    with subprocess.Popen([sys.executable, source], stderr=subprocess.DEVNULL) as service:
        try:
            while not is_there(int(port)):
                assert service.poll() is None
                time.sleep(0.01)
            cli("record", *words, "--out", "loop")
        finally:
            service.kill()
    cli("run", *words, "--configuration", "service", "--out", "offline")
    return folder


def is_there(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize("way", ["loop", "service"])
def test_a_loop_over_the_server_and_a_service_are_measured_like_the_function(once, way):
    (trial,) = records(once, "loop", way)
    (function, *_) = records(once, "again", "function")
    assert (trial["status"], trial["answer"]) == ("completed", function["answer"])
    assert trial["sources"] == function["sources"]


def test_a_service_is_replayed_when_it_is_gone(once):
    (first,), (again,) = (records(once, run, "service") for run in ("loop", "offline"))
    assert again["fidelity"] == {"ledger": "opened", "model": "recorded"}
    assert again.pop("replay")["hits"] == 5
    assert first.pop("replay")["recorded"] == 3
    for name in ("status", "answer", "references", "usage"):
        assert again[name] == first[name]
    assert [one["key"] for one in again["sources"]] == [one["key"] for one in first["sources"]]


def test_the_configurations_of_the_page_are_valid():
    tables = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    for table in tables:
        for one in tomllib.loads(table)["configuration"]:
            assert Configuration.model_validate(one).agent.is_custom


def records(folder, run, configuration):
    lines = (folder / run / "trials.jsonl").read_text("utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    return [one for one in found if one["configuration"] == configuration]


pytestmark = pytest.mark.sockets


def test_each_way_measures_the_same_agent_the_same(folder):
    differing = {"configuration", "transcript", "replay"}
    by_way = [
        [
            {name: value for name, value in one.items() if name not in differing}
            | {"events": [e for e in one["transcript"] if e["kind"] != "tool"]}
            for one in records(folder, "again", way)
        ]
        for way in ("function", "program", *(["node"] if shutil.which("node") else []))
    ]
    assert [one["status"] for one in by_way[0]] == ["completed"] * 3
    assert all(one["sources"] for one in by_way[0])
    assert all(way == by_way[0] for way in by_way)


def test_a_replay_has_the_same_bytes_whatever_the_concurrency(folder):
    again, third = ((folder / run / "trials.jsonl").read_bytes() for run in ("again", "third"))
    assert again == third


def test_the_record_says_what_stands_behind_it(folder):
    for one in records(folder, "again", "function"):
        assert one["fidelity"] == {"ledger": "opened", "model": "unseen"}


def test_the_code_is_identified_and_another_is_not_continued(folder):
    manifest = json.loads((folder / "again" / "manifest.json").read_text("utf-8"))
    assert all(len(one["agent_code"]) == 64 for one in manifest["configurations"])
    shutil.copytree(folder / "again", folder / "copy", dirs_exist_ok=True)
    source = folder / "agent.py"
    before = source.read_text()
    source.write_text(before + "# changed\n")
    try:
        said = cli("run", "mine.toml", "--out", "copy", status=2)
    finally:
        source.write_text(before)
    assert "agent_code" in said


def test_an_agent_that_nobody_identifies_is_not_continued(folder):
    text = (folder / "mine.toml").read_text().replace('agent.files = ["agent.py"]\n', "")
    text = text.replace('"agent.py"', '"-c", "exit()"')
    (folder / "unidentified.toml").write_text(text)
    cli("run", "unidentified.toml", "--no-report", "--out", "vague")
    said = cli("run", "unidentified.toml", "--out", "vague", status=2)
    assert "name its files in agent.files" in said


def test_a_log_of_the_page_becomes_a_run(tmp_path, monkeypatch):
    log = re.search(r"as `mine.json`:\n\n```json\n(.*?)```", PAGE, re.DOTALL)[1]
    command, *said = re.search(r"```console\n\$ research-eval (import .*?)```", PAGE, re.DOTALL)[
        1
    ].splitlines()
    (tmp_path / "mine.json").write_text(log)
    monkeypatch.chdir(tmp_path)

    assert cli(*command.split()).splitlines() == said


def test_the_page_names_every_message_and_parameter():
    from research_eval.agent.callable import PARAMETERS
    from research_eval.agent.message import message_schema

    types = [
        one["properties"]["type"]["const"]
        for one in message_schema()["$defs"].values()
        if "type" in one.get("properties", {})
    ]
    assert [name for name in (*PARAMETERS, *types) if f"`{name}`" not in PAGE] == []
    assert all(len(code.splitlines()) <= 40 for code in (*FENCES.values(), SCRIPT))
