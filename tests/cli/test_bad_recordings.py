"""Whatever lies where recordings or scenarios should be, a command says so in one line and exits 2."""

import sys

import pytest

from research_eval.cli.main import main

CASSETTE = (
    '{"interactions":[{"request":{"method":"GET","uri":"https://a.example/"},"response":{"status":{"code":%s}},'
    '"recording":{"key":"%s","ordinal":%s,"latency_s":%s}}],"metadata":{"profile":1},"version":1}'
)
KEY = "0123456789abcdef0123456789abcdef"
FILES = {
    "a file": b"hello\n",
    "empty": b"",
    "binary": bytes(range(256)) * 20,
    "deep": b"[" * 100_000,
    "deep.toml": b"a = " + b"[" * 5000,
    "binary.toml": bytes(range(256)),
    "empty.toml": b"",
    "long.toml": b"searches = " + b"9" * 6000,
    "binary.pack": bytes(range(256)) * 20,
    "empty.pack": b"",
    "mapping.json": b"{}",
    "mapping.yaml": b"{}\n",
    "nothing.yaml": b"version: 1\ninteractions: []\n",
    "status.json": b'{"version":1,"interactions":[{"request":{"method":"GET","uri":"https://a.example/",'
    b'"body":null,"headers":{}},"response":{"status":{"code":' + b"9" * 300 + b',"message":"x"},'
    b'"headers":{},"body":{"string":"x"}}}]}',
}
CASSETTES = {
    "cassettes-number": '{"interactions": 5}',
    "cassettes-deep": "[" * 200_000,
    "cassettes-status": CASSETTE % (10**9, KEY, 0, 0),
    "cassettes-ordinal": CASSETTE % (200, KEY, "9" * 5000, 0),
    "cassettes-seconds": CASSETTE % (200, KEY, 0, "1e999"),
    "cassettes-never": CASSETTE % (200, KEY, 0, "1e300"),
}
BAD = ["missing", "missing.toml", "no\x1b[2Jtext", "folder", *FILES, *CASSETTES]
COMMANDS = (
    ("cassette", "ls", "{}"),
    ("cassette", "show", "{}", "x"),
    ("cassette", "scrub", "{}"),
    ("cassette", "stats", "{}"),
    ("cassette", "pack", "{}"),
    ("cassette", "diff", "{}", "{}"),
    ("cassette", "export-warc", "{}", "out.warc.gz"),
    ("cassette", "export-vcr", "{}", "out.yaml"),
    ("cassette", "import-warc", "{}", "out"),
    ("cassette", "import-vcr", "{}", "out"),
    ("cassette", "import-vcr", "{}", "out", "--trial", "case/1"),
    ("cassette", "import-har", "{}", "out"),
    ("failover", "run", "{}"),
    ("failover", "options", "{}"),
    ("failover", "sweep", "{}", "--set", "failure_threshold=1..3"),
)
NO_FAULT = {
    ("pack", "binary.pack"),
    ("pack", "empty.pack"),
}  # what is packed already is not looked into


MISTAKES = {"empty.toml": 4}
"""Files with more than one mistake, where an experiment is asked for: a line each."""

REFUSED = {("import-vcr", "status.json")}
"""A cassette of another tool that is one, and of which nothing can be kept: exit 1."""


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    for name, text in CASSETTES.items():
        (tmp_path / name / "web/a.example").mkdir(parents=True)
        (tmp_path / name / f"web/a.example/x.{KEY}.json").write_text(text)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["research-eval", *words])
        with pytest.raises(SystemExit) as caught:
            main()
        return int(caught.value.code or 0), capsys.readouterr()

    return run


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_what_is_no_recording_and_no_scenario_is_a_line_a_mistake_and_exit_2(
    command, call, tmp_path
):
    for name in BAD:
        if (command[1], name) in NO_FAULT:
            continue
        code, said = call(*(word.format(name) for word in command))
        if (command[1], name) in REFUSED:
            assert (code, said.err) == (1, "")
            continue

        assert (code, said.out) == (2, ""), (name, said)
        lines = said.err.splitlines()
        assert all(line.startswith("research-eval: error: ") for line in lines), name
        assert len(lines) in {1, MISTAKES.get(name, 1)}, name
        assert len(said.err) < 1100, name
        assert all(line.isprintable() for line in lines), name
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith("out")]


@pytest.mark.parametrize("name", CASSETTES)
def test_verify_lists_what_is_damaged_and_exits_1(name, call):
    code, said = call("cassette", "verify", name)

    assert code == 1
    assert said.out.startswith("unreadable\tweb/a.example/x.")
    assert said.out.endswith("1 cassettes, 1 findings\n")


@pytest.mark.parametrize("name", ["missing", "folder", "binary"])
def test_a_list_of_what_was_played_that_is_none_is_one_line(name, call):
    code, said = call("cassette", "verify", "cassettes-number", "--played", name)

    assert (code, said.err.count("\n")) == (2, 1)
    assert name in said.err


@pytest.mark.parametrize(
    "words",
    [
        ("failover", "sweep", "outage", "--set", f"failure_threshold=1..{10**30}"),
        ("failover", "sweep", "outage", "--set", f"cooldown_s={'9' * 6000}"),
        ("failover", "sweep", "outage", "--set", "cooldown_s=" + "[" * 5000),
        ("failover", "run", "outage", "--variant", "x" * 200),
        ("failover", "run"),
    ],
    ids=lambda words: " ".join(words)[:50],
)
def test_a_sweep_without_end_and_an_unknown_variant_are_one_line(words, call):
    code, said = call(*words)

    assert (code, said.out, said.err.count("\n")) == (2, "", 1)
    assert len(said.err) < 1100
