"""Keys: a request in, what makes it the same as a recorded one out.

Only declared parts are normalised: JSON spelling, generated ids in the fields that carry ids, the
multipart boundary, the case of scheme and host, the order of differently named query fields.
Prose is never touched: a changed word in a prompt is a different request.
"""

import json
import re
from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec

if TYPE_CHECKING:
    from hashlib import _Hash as Digest

__all__ = [
    "PROFILE",
    "CanonicalRequest",
    "LazyBody",
    "begun_key",
    "canonical_json",
    "canonical_uri",
    "key_of",
    "looks_like_json",
    "request_key",
    "spell",
    "without_boundary",
]

PROFILE = 1
"""Version of these rules; a file made under others is refused, not guessed at."""

_GENERATED = re.compile(r"pyd_ai_[0-9a-f]{32}")
_ID_FIELDS = frozenset({"id", "tool_call_id", "call_id", "tool_use_id"})
_BOUNDARY = re.compile(r'boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))', re.IGNORECASE)


class LazyBody(Protocol):
    """A canonical body of which the whole is made when somebody asks for it."""

    def text(self) -> str:
        """Return the canonical body."""
        ...

    def value(self) -> dict[str, Any] | None:
        """Return its JSON value, if a cassette can hold it written out."""
        ...


class CanonicalRequest:
    """A request as recordings know it: scrubbed and canonical."""

    __slots__ = ("_body", "host", "key", "method", "uri")

    def __init__(
        self,
        method: str,
        uri: str,
        host: str,
        body: str | bytes | LazyBody,
        key: str | None = None,
    ) -> None:
        """Take a request.

        Args:
            method: The HTTP method.
            uri: Where it is sent.
            host: The host in it, with its port.
            body: The canonical body.
            key: The digest, where it is known.
        """
        self.method = method
        self.uri = uri
        self.host = host
        self._body = body
        self.key = key or request_key(method, uri, self.content)

    @property
    def content(self) -> str | bytes:
        """The canonical body."""
        return self._body if isinstance(self._body, str | bytes) else self._body.text()

    @property
    def value(self) -> dict[str, Any] | None:
        """The JSON value of the body, where it is known and can be written out."""
        return None if isinstance(self._body, str | bytes) else self._body.value()


def request_key(method: str, uri: str, content: str | bytes) -> str:
    """Return the digest of a canonical request."""
    digest = begun_key(method, uri, "text" if isinstance(content, str) else "bytes")
    digest.update(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
    return key_of(digest)


def begun_key(method: str, uri: str, kind: Literal["text", "bytes"]) -> "Digest":
    """Return a digest that the canonical body of a request is still to be added to."""
    return sha256(f"{PROFILE}\n{method}\n{uri}\n{kind}\n".encode("utf-8", "surrogatepass"))


def key_of(digest: "Digest") -> str:
    """Return the key of a request whose body was added to its digest."""
    return digest.hexdigest()[:32]


def canonical_uri(scheme: str, netloc: str, target: str) -> str:
    """Return a URL with its query fields in the order of their names; blank values stay.

    >>> canonical_uri("https", "a.example", "/x?b=&a=2&a=1")
    'https://a.example/x?a=2&a=1&b='
    """
    path, mark, query = target.partition("?")
    if "&" in query:
        query = "&".join(sorted(query.split("&"), key=lambda field: field.partition("=")[0]))
    return f"{scheme}://{netloc}{path}{mark}{query}"


def canonical_json(
    text: str, clean: Callable[[object], object] = lambda value: value
) -> str | None:
    """Return the one canonical spelling of JSON text; `None` if it has none.

    Integers, floats and booleans stay apart, whole numbers of any length stay exact, and text with
    a field named twice has no canonical form: it is compared as it is.

    Args:
        text: The JSON text.
        clean: Takes out what is not to be kept; gives the very same value if there is nothing.
    """
    quick = _quick(text)
    try:
        value, spelled = quick or _careful(text)
        cleaned = clean(value)
        if cleaned is not value:
            spelled = spell(cleaned)
        if "pyd_ai_" in spelled:
            spelled = spell(_renumber(cleaned, {}))
    except (ValueError, RecursionError):
        return None
    return spelled


def without_boundary(content: bytes, content_type: str) -> bytes:
    """Return a multipart body with its random boundary replaced by a fixed one."""
    found = _BOUNDARY.search(content_type)
    if found is None:
        return content
    boundary = (found.group(1) or found.group(2)).encode("utf-8")
    return content.replace(b"--" + boundary, b"--boundary")


def looks_like_json(content_type: str, content: bytes) -> bool:
    """Return whether a body is to be compared as JSON, any `+json` type included."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind:
        return kind.endswith(("/json", "+json")) or "-json" in kind
    return content[:1] in {b"{", b"["}


def spell(value: object) -> str:
    """Return the canonical spelling of a JSON value."""
    return _encode(value)


_encode: Callable[[object], str] = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False
).encode


def _plain_float(text: str) -> float:
    """Return a number that is spelled as Python spells it; others are for the careful reader."""
    value = float(text)
    if repr(value) != text:
        raise ValueError("spelled in another way")
    return value


_quick_decode = msgspec.json.Decoder(float_hook=_plain_float).decode
_quick_encode = msgspec.json.Encoder(order="sorted").encode


def _quick(text: str) -> tuple[object, str] | None:
    """Return a JSON value and its canonical spelling, where a quick reader cannot but find the same.

    That is where the two spellings are of one length: nothing was dropped, and nothing rewritten.
    """
    try:
        value: object = _quick_decode(text)
        spelled = _quick_encode(value).decode("utf-8")
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return (value, spelled) if len(spelled) == len(text) else None


def _careful(text: str) -> tuple[object, str]:
    value = json.loads(text, object_pairs_hook=_unique)
    return value, spell(value)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a field is named twice")
    return found


def _renumber(value: object, seen: dict[str, str]) -> object:
    """Replace generated ids by their number in order of appearance."""
    if isinstance(value, list):
        return [_renumber(item, seen) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: seen.setdefault(item, f"pyd_ai_{len(seen) + 1}")
        if name in _ID_FIELDS and isinstance(item, str) and _GENERATED.fullmatch(item)
        else _renumber(item, seen)
        for name, item in sorted(value.items())
    }
