"""Files of weights that the project knows by their digest: which model of which publisher."""

import hashlib
from pathlib import Path
from typing import NamedTuple

from research_eval.errors import ConfigError

__all__ = ["KNOWN_WEIGHTS", "Weights", "identify"]

GGUF_MAGIC = b"GGUF"


class Weights(NamedTuple):
    """One published file of weights."""

    model: str
    publisher: str
    file: str
    licence: str


KNOWN_WEIGHTS = {
    "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046": Weights(
        "Qwen2.5-Coder-1.5B-Instruct",
        "Qwen",
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        "Apache-2.0",
    ),
    "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32": Weights(
        "Qwen2.5-Coder-0.5B-Instruct",
        "Qwen",
        "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        "Apache-2.0",
    ),
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53": Weights(
        "SmolLM2-135M-Instruct",
        "HuggingFaceTB, quantized by QuantFactory",
        "SmolLM2-135M-Instruct.Q4_1.gguf",
        "Apache-2.0",
    ),
}
"""SHA-256 of a file -> what it is; docs/models.md has the same table."""


def identify(path: Path) -> Weights | None:
    """Return what the file is, or `None` for a GGUF file that is not known here.

    Raises:
        ConfigError: If the file cannot be read, or is no GGUF file.
    """
    try:
        with path.open("rb") as file:
            if file.read(len(GGUF_MAGIC)) != GGUF_MAGIC:
                raise ConfigError(f"{path}: is no GGUF file: it does not begin with GGUF")
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as exc:
        raise ConfigError(f"{path}: cannot be read: {exc.strerror}") from exc
    return KNOWN_WEIGHTS.get(digest)
