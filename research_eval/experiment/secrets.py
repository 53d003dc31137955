"""The one reader of the environment: API keys by the name of their variable."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from typing_extensions import override

from research_eval.cassette import SCRUBBED

__all__ = ["PlaceholderSecrets", "known_secrets", "read_secrets"]

_LOOKS_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
MIN_SECRET_CHARS = 8
"""Shorter values occur in ordinary text, so they are not searched for."""


class PlaceholderSecrets(Mapping[str, str]):
    """Has the word that recordings hold in place of a key for every name.

    Replay and the bundled web need no real key, and so requests match their recordings even where a
    key stands in a field that nobody listed.
    """

    @override
    def __getitem__(self, name: str) -> str:
        return SCRUBBED

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(())

    @override
    def __len__(self) -> int:
        return 0


def read_secrets(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables whose names say that they hold a secret, without surrounding space."""
    return {
        name: value.strip()
        for name, value in environ.items()
        if _LOOKS_SECRET.search(name) and value.strip()
    }


def known_secrets(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return what must never be written: the environment's secrets that are long enough to find.

    A value that is the path of an existing file is a place, not a secret.
    """
    return {
        name: value
        for name, value in read_secrets(environ).items()
        if len(value) >= MIN_SECRET_CHARS and not Path(value).exists()
    }
