"""The one reader of the environment: which variables hold keys, and which values are secret."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from typing_extensions import override

from research_eval.secret.known import SCRUBBED, KnownSecrets
from research_eval.secret.shape import KEY_SHAPES

__all__ = [
    "NAMES_VARIABLE",
    "PlaceholderSecrets",
    "clean_json",
    "declare_secrets",
    "insist_on_secrets",
    "is_secret_value",
    "known_secrets",
    "last_scrub",
    "read_secrets",
]

NAMES_VARIABLE = "RESEARCH_EVAL_SECRETS"
"""The variable that lists further variables whose values are secret, with commas between."""

_LOOKS_SECRET = re.compile(
    r"(?:^|_|API|ACCESS|PRIVATE)(?:KEYS?|PAT)(?:_?[0-9]+)?$|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?",
    re.IGNORECASE,
)
_MIN_CHARS = 8
_MIN_CHARS_OF_PHRASE = 20
_MIN_DISTINCT = 5
_WORD = r"(?:[A-Z]?[a-z]+|[A-Z]+)"
_WORDS = re.compile(rf"{_WORD}(?:[-_. ]{_WORD})*[-_.]?[0-9]{{0,4}}!?")

_declared: set[str] = set()


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


def declare_secrets(names: Iterable[str]) -> None:
    """Have variables count as secrets whatever they are called: an experiment names them as keys."""
    _declared.update(names)


def insist_on_secrets(names: Iterable[str]) -> None:
    """Have variables count as secret whatever they hold, in this process and those that it starts."""
    listed = _insisted(os.environ) | set(names)
    os.environ[NAMES_VARIABLE] = ",".join(sorted(listed))


def read_secrets(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables that are keys, without surrounding space: by their name, or declared."""
    named = _declared | _insisted(environ)
    return {
        name: value.strip()
        for name, value in environ.items()
        if value.strip() and (name in named or _LOOKS_SECRET.search(name))
    }


def known_secrets(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return what must never be written, by the name of its variable.

    That is the value of a variable that is named like a key, or declared; any value that has the shape
    of a key; the password of any address; as far as `is_secret_value`. A variable of
    `RESEARCH_EVAL_SECRETS` counts whatever its value is.
    """
    keys, insisted = read_secrets(environ), _insisted(environ)
    known = {}
    for name, raw in environ.items():
        value = raw.strip()
        if name == NAMES_VARIABLE:
            continue
        if name in insisted and value:
            known[name] = value
        elif password := _password(value):
            if is_secret_value(password):
                known[name] = password
        elif (name in keys or KEY_SHAPES.fullmatch(value)) and is_secret_value(value):
            known[name] = value
    return known


def is_secret_value(value: str) -> bool:
    """Say whether a value can be told from ordinary text: it is long, mixed, and no word, number or place.

    Words of letters, with up to four digits behind, are ordinary below 20 characters: `postgres`,
    `changeme`, `Passw0rd` is none.
    """
    if len(value) < _MIN_CHARS or len(set(value)) < _MIN_DISTINCT or SCRUBBED in value:
        return False
    if not any(letter.isalpha() for letter in value):
        return False
    if len(value) < _MIN_CHARS_OF_PHRASE and _WORDS.fullmatch(value):
        return False
    return "://" not in value and not _is_path(value)


_last: list[tuple[object, KnownSecrets]] = []


def last_scrub() -> KnownSecrets:
    """Return what takes the secrets of this process out of everything that it writes."""
    seen = (dict(os.environ), frozenset(_declared))
    if not _last or _last[0][0] != seen:
        _last[:] = [(seen, KnownSecrets(known_secrets()))]
    return _last[0][1]


def clean_json(text: str, indent: int | None = None) -> str:
    """Return JSON text without the secrets of this process; where there was none, the very same text."""
    secrets = last_scrub()
    if secrets.find(text) is None:
        return text
    separators = (",", ":") if indent is None else None
    value = secrets.scrub_value(json.loads(text))
    return json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)


def _insisted(environ: Mapping[str, str]) -> set[str]:
    return set(filter(None, re.split(r"[,\s]+", environ.get(NAMES_VARIABLE, ""))))


def _password(value: str) -> str:
    """Return the password in an address, as `postgres://user:PASSWORD@host/name`."""
    if "://" not in value or "@" not in value:
        return ""
    try:
        return unquote(urlsplit(value).password or "")
    except ValueError:
        return ""


def _is_path(value: str) -> bool:
    try:
        return Path(value).exists()
    except (OSError, ValueError):
        return False
