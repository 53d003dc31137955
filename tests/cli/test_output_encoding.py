"""Whatever the encoding of a terminal or a pipe, what is printed is printed."""

import io
import sys

import pytest

from research_eval.cli.main import main

READ_AS = {"ascii": "utf-8"}
"""What click writes to a stream that says it takes ASCII alone."""


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(encoding, *words):
        streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
        monkeypatch.setattr(sys, "argv", ["research-eval", *words])
        monkeypatch.setattr(sys, "stdout", streams[0])
        monkeypatch.setattr(sys, "stderr", streams[1])
        with pytest.raises(SystemExit) as caught:
            main()
        for stream in streams:
            stream.flush()
        out, err = (
            stream.buffer.getvalue().decode(READ_AS.get(encoding, encoding)) for stream in streams
        )
        return int(caught.value.code or 0), out, err

    return run


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_what_an_encoding_lacks_is_escaped(call, tmp_path, encoding):
    (tmp_path / "a.jsonl").write_text('{"id": "a", "question": "Łódź?", "tags": []}\n', "utf-8")

    assert "\\u0141" in call(encoding, "dataset", "ls", "a.jsonl")[1]
    code, _, err = call(encoding, "dataset", "ls", "Łódź.jsonl")
    assert code == 2
    assert "\\u0141" in err


def test_what_an_encoding_has_stays(call, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": "a", "question": "Łódź?", "tags": []}\n', "utf-8")

    assert "Łódź?" in call("utf-8", "dataset", "ls", "a.jsonl")[1]


def test_a_report_is_printed_in_ascii(call, make_run):
    make_run("run", {"a": ["1"] * 3, "b": ["0"] * 3})

    code, out, _ = call("ascii", "report", "run", "--format", "md")

    assert code in {0, 3}
    assert "wrote " in out
