"""The local model's server names the weights that it knows, and says in one line what is wrong."""

import hashlib
import socket
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from research_eval.cli.local_model import serve
from research_eval.errors import ConfigError
from research_eval.model import local_server, weights
from research_eval.model.weights import KNOWN_WEIGHTS, Weights, identify

WEIGHTS = b"GGUF" + bytes(64)
A_MODEL = Weights("A-Model", "A Publisher", "a-model.gguf", "Apache-2.0")


class Server:
    """llama.cpp's, without a model."""

    def __init__(self, params):
        if params.n_ctx == 666:
            raise RuntimeError("failed to load")
        Server.last = params
        self.listening_address = f"http://127.0.0.1:{params.port}"


def parameters():
    pool = SimpleNamespace
    return pool(model=pool(), cpuparams=pool(), cpuparams_batch=pool())


@pytest.fixture
def llama(monkeypatch):
    fake = SimpleNamespace(CommonParams=parameters, Server=Server)
    monkeypatch.setitem(sys.modules, "xllamacpp", fake)
    monkeypatch.setattr("signal.pause", lambda: None)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "some.gguf"
    path.write_bytes(WEIGHTS)
    return path


@pytest.fixture
def known(monkeypatch):
    digest = hashlib.sha256(WEIGHTS).hexdigest()
    monkeypatch.setattr(weights, "KNOWN_WEIGHTS", {digest: A_MODEL})


def printed(*words):
    done = CliRunner().invoke(
        serve, [*map(str, words), "--port", str(free())], catch_exceptions=False
    )
    return done.output.splitlines()


def free():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.sockets
@pytest.mark.usefixtures("llama", "known")
def test_known_weights_are_named_with_publisher_and_licence(file):
    assert printed("--weights", file)[0] == "A-Model (by A Publisher, Apache-2.0)"
    assert Server.last.model_alias == ["A-Model"]


@pytest.mark.sockets
@pytest.mark.usefixtures("llama")
def test_other_weights_are_served_and_said_to_be_unknown(file):
    lines = printed("--weights", file, "--context", "2048")

    assert lines[0] == "some (unknown: its SHA-256 is none of docs/models.md)"
    assert lines[1].startswith("serving at http://127.0.0.1:")
    assert (Server.last.n_ctx, Server.last.n_parallel, Server.last.use_jinja) == (2048, 1, True)


def test_a_file_that_is_no_gguf_is_refused_before_anything_starts(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"no weights")

    with pytest.raises(ConfigError, match="is no GGUF file"):
        identify(path)


@pytest.mark.sockets
@pytest.mark.usefixtures("llama")
def test_a_taken_port_and_weights_that_do_not_load_are_one_line(file):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        serving = local_server.serve_local_model(port=port, weights=file)
        with pytest.raises(ConfigError, match=rf"^port {port} of 127.0.0.1: .*another --port"):
            serving.__enter__()
    serving = local_server.serve_local_model(port=free(), weights=file, context=666)
    with pytest.raises(ConfigError, match=r"some.gguf: llama.cpp cannot serve it: failed to load"):
        serving.__enter__()


def test_the_document_lists_the_weights_that_are_known():
    text = (Path(__file__).parents[2] / "docs/models.md").read_text(encoding="utf-8")

    for digest, item in KNOWN_WEIGHTS.items():
        row = f"| {item.model} | {item.publisher} | `{item.file}` | {item.licence} | `{digest}` |"
        assert row in text
