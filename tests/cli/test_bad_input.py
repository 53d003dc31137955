"""Whatever a file holds, a command says what is wrong with it, a line for each mistake, and exits 2."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from research_eval.cli.main import main

DEEP = b"[" * 100_000
KEY = "kEy-of-41-characters/that+nobody=guesses"

BAD = {
    "empty": b"",
    "binary": bytes(range(256)),
    "utf-16": "a = 1\n".encode("utf-16"),
    "cut": b'{"id": "a", "te',
    "deep": DEEP,
    "deep in TOML": b"a = " + DEEP,
    "long number": b"a = " + b"9" * 6000,
    "long number in JSON": b'{"schema_version": ' + b"9" * 6000 + b"}\n",
    "list": b"[1]\n",
    "wrong types": b'{"id": [1], "case_id": [1], "configuration": {}, "trial": [], "text": 1}\n',
    "no name of a file": b'{"file": "a\\u0000b", "url": "https://a.example/"}\n',
}

COMMANDS = (
    ("run", "{}", "--out", "{}.out"),
    ("run", "{}", "--dry-run"),
    ("report", "{run}"),
    ("score", "{run}"),
    ("compare", "{run}", "{run}"),
    ("merge", "{run}", "--out", "{}.out"),
    ("dataset", "lint", "{}"),
    ("dataset", "ls", "{}"),
    ("gate", "check", "answer", "--ledger", "{}"),
    ("gate", "check", "{}", "--batch"),
    ("gate", "cites", "{}", "--batch"),
    ("gate", "key", "{}", "--batch"),
    ("gate", "compare", "{run}"),
    ("extract", "--batch", "{}"),
    ("failover", "run", "{}"),
    ("cassette", "import-vcr", "{}", "{}.out"),
    ("cassette", "ls", "{}"),
)

MAX_SAID = 1100
"""The longest error line, in characters."""

Call = Callable[..., tuple[int, str]]


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answer").write_text("nothing", "utf-8")

    def run(*words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["research-eval", *words])
        with pytest.raises(SystemExit) as caught:
            main()
        return int(caught.value.code or 0), capsys.readouterr().err

    return run


PAIRS = {
    f"{' '.join(command)}-{name}": (command, content)
    for command in COMMANDS
    for name, content in BAD.items()
    if content or "--batch" not in command  # no lines are no fault
}


@pytest.mark.parametrize(("command", "content"), PAIRS.values(), ids=list(PAIRS))
def test_bad_content_is_a_line_for_each_mistake_and_exit_2(
    command: tuple[str, ...], content: bytes, call: Call, tmp_path: Path
) -> None:
    (tmp_path / "bad").write_bytes(content)
    (tmp_path / "run").mkdir()
    for name in ("manifest.json", "trials.jsonl", "cases.jsonl"):
        (tmp_path / "run" / name).write_bytes(content + b"\n")
    code, said = call(*(word.format("bad", run="run") for word in command))
    is_fine = command[-1] == "--batch" and code == 0
    lines = said.splitlines()
    assert is_fine or (code == 2 and lines), said[-300:]
    assert is_fine or all(line.startswith("research-eval: error: ") for line in lines)
    assert all(len(line) < MAX_SAID for line in lines)
    assert len(lines) <= 51
    assert not (tmp_path / "bad.out").exists()


@pytest.mark.parametrize("name", ["bad.jsonl", "bad.warc", "bad.warc.gz"])
@pytest.mark.parametrize("content", [one for one in BAD.values() if one], ids=[*BAD][1:])
def test_a_corpus_with_a_bad_file_names_it(
    content: bytes, name: str, call: Call, tmp_path: Path
) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / name).write_bytes(content)
    code, said = call("search", "tides", "--chain", "corpus:pages")
    assert (code, said.count("\n")) == (2, 1)
    assert name in said
    assert len(said) < MAX_SAID


def test_recording_asks_for_an_experiment(call: Call) -> None:
    code, text = call("record")

    assert code == 2
    assert "EXPERIMENT" in text


def test_a_setting_in_place_of_a_configuration_is_said(call: Call) -> None:
    code, said = call("run", "calibration", "--set", "configuration.honest=1", "--dry-run")
    assert (code, said.count("\n")) == (2, 1)


def test_a_file_in_the_place_of_a_folder_is_named(call: Call, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    code, said = call("merge", "answer", "--out", "file")
    assert (code, said.count("\n")) == (2, 1)
    assert "file" in said


def test_an_error_message_holds_no_key_and_steers_no_terminal(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", KEY)
    for name in (f"{KEY}.toml", "bundled"):
        code, said = call("run", name, "--configuration", f"{KEY}\x1b[31m\nsecond line")
        assert (code, said.count("\n")) == (2, 1)
        assert KEY not in said
        assert "\x1b" not in said


def test_merging_leaves_nothing_when_it_fails(call: Call, tmp_path: Path) -> None:
    words = ("--limit", "1", "--configuration", "honest", "--out", "whole", "--no-report")
    assert call("run", "calibration", *words)[0] == 0
    (tmp_path / "whole" / "cases.jsonl").unlink()
    code, said = call("merge", "whole", "--out", "merged")
    assert (code, said.count("\n")) == (2, 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answer", "whole"]
