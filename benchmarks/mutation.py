"""Change a text at random, for benchmarks that look for what breaks a parser."""

import random
from collections.abc import Sequence

__all__ = ["mutate_text"]


def mutate_text(rng: random.Random, texts: Sequence[str], pieces: Sequence[str], most: int) -> str:
    """Return one of `texts` after up to `most` changes: a piece put in, a cut, the end of another."""
    text = rng.choice(texts)
    for _ in range(rng.randint(1, most)):
        at, kind = rng.randint(0, len(text)), rng.random()
        if kind < 0.5:
            text = text[:at] + rng.choice(pieces) + text[at:]
        elif kind < 0.8:
            text = text[:at] + text[at + rng.randint(1, 6) :]
        else:
            other = rng.choice(texts)
            text = text[:at] + other[rng.randint(0, len(other)) :]
    return text
