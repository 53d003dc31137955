"""Seeded draws that are the same on every machine and under every version of numpy."""

import random
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

__all__ = ["DRAWS", "random_signs", "resampled_indices"]

DRAWS = 10_000
"""Resamples that a bootstrap or a permutation test makes unless told otherwise."""

MOST_INDICES = 400_000
MOST_SIGNS = 2_000_000
"""Most numbers held at a time, so that memory does not grow with the number of cases.

Blocks of signs must not change: where their number is none of whole words, the next ones start from the beginning.
"""


def resampled_indices(n: int, draws: int, rng: random.Random) -> Iterator[npt.NDArray[np.int64]]:
    """Yield `draws` rows of `n` indices below `n`, in blocks of rows.

    The bytes come from Python's own generator, whose stream is fixed for a seed.
    """
    rows = max(1, MOST_INDICES // max(1, n))
    for start in range(0, draws, rows):
        count = min(rows, draws - start)
        words = np.frombuffer(rng.randbytes(4 * n * count), dtype="<u4").astype(np.uint64)
        yield (words * np.uint64(n) >> np.uint64(32)).astype(np.int64).reshape(count, n)


def random_signs(n: int, draws: int, rng: random.Random) -> Iterator[npt.NDArray[np.int8]]:
    """Yield `draws` rows of `n` signs, each +1 or -1, in blocks of rows."""
    rows = max(1, MOST_SIGNS // max(1, n))
    for start in range(0, draws, rows):
        count = min(rows, draws - start)
        raw = np.frombuffer(rng.randbytes(n * count), dtype=np.uint8)
        yield ((raw & 1).astype(np.int8) * 2 - 1).reshape(count, n)
