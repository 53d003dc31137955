"""`research-eval world` serves until it is interrupted and lists what it serves."""

import re
import signal
import subprocess
import sys
import urllib.request

import pytest

COMMAND = [sys.executable, "-u", "-m", "research_eval", "world"]


def test_ls_prints_one_line_a_page():
    done = subprocess.run(
        [*COMMAND, "ls", "--host", "hexaply.example"], capture_output=True, text=True, check=True
    )

    assert [line.split("\t")[1] for line in done.stdout.splitlines()] == ["page", "page"]


def test_an_unknown_host_is_one_line_and_exits_2():
    done = subprocess.run(
        [*COMMAND, "ls", "--host", "x.example"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert done.stderr.startswith("research-eval: error: unknown host 'x.example'; known: ")


@pytest.mark.sockets
def test_serve_says_where_it_listens_and_stops_when_interrupted():
    with subprocess.Popen(
        [*COMMAND, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            base = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())[0]
            lines = [server.stdout.readline() for _ in range(5)]
            with urllib.request.urlopen(f"{base}/", timeout=10) as reply:
                listing = reply.read().decode()
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(10) == 0

    assert f"POST {base}/search" in "".join(lines)
    assert "Skerravoe Harbour Council" in listing
