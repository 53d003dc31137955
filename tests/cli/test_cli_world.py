"""`research-eval world` serves until it is interrupted and lists what it serves."""

import re
import signal
import subprocess
import sys
import urllib.request

import pytest

from research_eval.cli.main import main

COMMAND = [sys.executable, "-u", "-m", "research_eval", "world"]


def call(monkeypatch, *arguments):
    """Call the command line in this process and return its exit status."""
    monkeypatch.setattr("sys.argv", ["research-eval", "world", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    return int(caught.value.code or 0)


def test_ls_prints_one_line_a_page(monkeypatch, capsys):
    assert call(monkeypatch, "ls", "--host", "hexaply.example") == 0

    assert [line.split("\t")[1] for line in capsys.readouterr().out.splitlines()] == [
        "page",
        "page",
    ]


def test_an_unknown_host_is_one_line_and_exits_2(monkeypatch, capsys):
    assert call(monkeypatch, "ls", "--host", "x.example") == 2

    words = capsys.readouterr().err
    assert words.startswith("research-eval: error: unknown host 'x.example'; known: ")
    assert words.count("\n") == 1


@pytest.mark.sockets
def test_serve_says_where_it_listens_and_stops_when_interrupted():
    with subprocess.Popen(
        [*COMMAND, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            base = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())[0]
            lines = [server.stdout.readline() for _ in range(5)]
            direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with direct.open(f"{base}/", timeout=60) as reply:
                listing = reply.read().decode()
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(60) == 0

    assert f"POST {base}/search" in "".join(lines)
    assert "Skerravoe Harbour Council" in listing
