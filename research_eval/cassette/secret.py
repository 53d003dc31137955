"""Secrets: known values in, every form in which they leak found and replaced out."""

import base64
import html
import json
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote, quote_plus

from research_eval.errors import ConfigError

__all__ = ["SCRUBBED", "KnownSecrets"]

SCRUBBED = "SCRUBBED"
"""What stands in a recording where something secret was; the same for all, so that a replay without keys matches."""

_MIN_CHARS = 4
_MIN_CHARS_ANYWHERE = 12
_MIN_CHARS_OF_LINE = 16
_MIN_CHARS_OF_BASE64 = 8
_MASK = re.compile("[*\u2022]{3,200}|[.]{3,200}|\u2026")
_HEAD = re.compile(r"[A-Za-z0-9_-]{0,40}\Z")
_TAIL = re.compile(r"[A-Za-z0-9_-]{0,40}")
_REACH = 40
_SHOWN = 3


class KnownSecrets:
    """Finds the values of named secrets in text and bytes, whatever encoding carried them."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        """Prepare the forms of every value.

        Raises:
            ConfigError: If a value is too short to be told from ordinary text.
        """
        self._names: dict[str, str] = {}
        self._values = [value for value in secrets.values() if value]
        for name, value in sorted(secrets.items()):
            if value and len(value) < _MIN_CHARS:
                raise ConfigError(f"the value of {name} is too short to be scrubbed safely")
            for form in _forms(value) if value else ():
                self._names.setdefault(form, name)
        forms = sorted(self._names, key=len, reverse=True)
        self._forms = tuple(forms)
        self._bytes = tuple(form.encode("utf-8") for form in forms)
        self._pattern = re.compile("|".join(map(_pattern, forms))) if forms else None
        self._bytes_pattern = re.compile(b"|".join(map(re.escape, self._bytes))) if forms else None

    def scrub(self, text: str) -> str:
        """Return `text` with every form of every secret replaced, masked fragments of keys too."""
        if self._pattern is None:
            return text
        if any(form in text for form in self._forms):
            text = self._pattern.sub(SCRUBBED, text)
        return self._unmask(text)

    def scrub_bytes(self, content: bytes) -> bytes:
        """Return `content`, which is no text, with every form of every secret replaced."""
        if self._bytes_pattern is None or not any(form in content for form in self._bytes):
            return content
        return self._bytes_pattern.sub(SCRUBBED.encode("ascii"), content)

    @property
    def is_any(self) -> bool:
        """Whether any secret is known."""
        return self._pattern is not None

    def settled(self, content: bytes) -> tuple[bytes, bytes]:
        """Return the start of a stream, scrubbed, and an end that a secret may begin with."""
        content = self.scrub_bytes(content)
        longest = max(map(len, self._bytes), default=0)
        for size in range(min(longest - 1, len(content)), 0, -1):
            if any(form.startswith(content[-size:]) for form in self._bytes):
                return content[:-size], content[-size:]
        return content, b""

    def find(self, text: str) -> str | None:
        """Return the name of a secret that `text` holds in some form."""
        if self._pattern is None or not any(form in text for form in self._forms):
            return None
        found = self._pattern.search(text)
        return self._names.get(found.group()) if found else None

    def find_bytes(self, content: bytes) -> str | None:
        """Return the name of a secret that `content` holds in some form."""
        if self._bytes_pattern is None:
            return None
        found = self._bytes_pattern.search(content)
        return self._names.get(found.group().decode("utf-8")) if found else None

    def _unmask(self, text: str) -> str:
        """Replace keys that are shown in part, as `sk-ab***yz`."""
        if not any(value[:_SHOWN] in text or value[-_SHOWN:] in text for value in self._values):
            return text
        parts, done = [], 0
        for mask in _MASK.finditer(text):
            head = _HEAD.search(text[max(done, mask.start() - _REACH) : mask.start()])
            tail = _TAIL.match(text, mask.end())
            if head and tail and self._is_part(head.group(), tail.group()):
                parts += [text[done : mask.start() - len(head.group())], SCRUBBED]
                done = tail.end()
        return "".join([*parts, text[done:]]) if parts else text

    def _is_part(self, head: str, tail: str) -> bool:
        shown = len(head) + len(tail)
        return shown > _SHOWN and any(
            shown < len(value) and value.startswith(head) and value.endswith(tail)
            for value in self._values
        )


def _pattern(form: str) -> str:
    if len(form) >= _MIN_CHARS_ANYWHERE:
        return re.escape(form)
    return rf"(?<![A-Za-z0-9]){re.escape(form)}(?![A-Za-z0-9])"


def _forms(value: str) -> Iterable[str]:
    """Return the forms of `value` and of its lines, where it has several."""
    lines = [line.strip() for line in value.splitlines()]
    parts = {value, *(line for line in lines if len(line) >= _MIN_CHARS_OF_LINE)}
    return {form for part in parts for form in (*_texts(part), *_base64s(part.encode("utf-8")))}


def _texts(value: str) -> Iterable[str]:
    encoded = {quote(value, safe=""), quote(value), quote_plus(value)}
    yield value
    yield from encoded
    yield from (
        re.sub("%[0-9A-F]{2}", lambda octet: octet.group().lower(), form) for form in encoded
    )
    yield from (
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        html.escape(value),
    )
    raw = value.encode("utf-8")
    if len(raw) >= _MIN_CHARS_OF_BASE64:
        yield from (raw.hex(), raw.hex().upper())


def _base64s(raw: bytes) -> Iterable[str]:
    """Return what base64 makes of `raw` wherever in a longer text it stands."""
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + raw).decode("ascii")
        settled = encoded[(before * 8 + 5) // 6 : (before + len(raw)) * 8 // 6]
        if len(settled) >= _MIN_CHARS_OF_BASE64:
            yield settled
            yield settled.translate(str.maketrans("+/", "-_"))
            yield quote(settled, safe="")
