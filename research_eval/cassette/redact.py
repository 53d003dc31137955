"""Redaction: a request or response in, the same without keys, cookies and account ids out."""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from research_eval.cassette.body import STYLES, Style, spell_json
from research_eval.cassette.piece import without_pieces
from research_eval.errors import ConfigError, SecretInCassetteError
from research_eval.secret import SCRUBBED, KnownSecrets

__all__ = ["SCRUBBED", "Channel", "Redactor"]

Channel = Literal["model", "web"]
"""Whose traffic it is: account ids are fields of model APIs, ordinary words on a page."""

_REQUEST_HEADERS = frozenset({"accept", "accept-language", "content-type"})
_RESPONSE_HEADERS = frozenset({
    "cf-mitigated", "content-disposition", "content-encoding", "content-language", "content-length",
    "content-type", "etag", "last-modified", "link", "location", "refresh", "retry-after",
    "retry-after-ms", "server", "x-robots-tag", "x-should-retry",
})  # fmt: skip
_URI_HEADERS = frozenset({"content-location", "link", "location", "refresh"})
_KEY_FIELDS = frozenset({
    "access_token", "api-key", "api_key", "apikey", "authorization", "client_secret", "cookie", "id_token",
    "password", "proxy-authorization", "refresh_token", "secret_access_key", "session_token", "set-cookie",
    "x-api-key", "x-goog-api-key", "x-subscription-token",
})  # fmt: skip
_ACCOUNT_FIELDS = frozenset({
    "account_id", "openai-organization", "organization_id", "org_id", "prompt_cache_key", "request_id",
    "safety_identifier", "user", "user_id", "user_location",
})  # fmt: skip
_PLACE_FIELDS = frozenset({"query.city", "query.postal_code", "query.state", "user_location"})
_QUERY_FIELDS = (
    "access_token", "api-key", "api_key", "apikey", "client_secret", "id_token", "refresh_token", "sig",
    "subscription-key", "x-amz-credential", "x-amz-security-token", "x-amz-signature", "x-goog-signature",
)  # fmt: skip
_GOOGLE = re.compile(r"(?i)//[a-z0-9.-]*googleapis\.com[^\s?#]*\?[^\s#\"'<>]+")
_GOOGLE_FIELD = re.compile(r"(?i)([?&](?:key|cx)=)[^&]+")
_STREAMED = re.compile("event-stream|ndjson|jsonl|json-seq")
_USERINFO = re.compile(r"(?i)(\bhttps?://)[^\s/@?#\"'<>]*@")


class Redactor:
    """Takes secrets out before anything is keyed, written or said."""

    def __init__(
        self,
        secrets: Mapping[str, str] | None = None,
        patterns: Sequence[str] = (),
        *,
        fields: Collection[str] = (),
    ) -> None:
        """Prepare to scrub.

        Args:
            secrets: Known secrets by name; in replay any placeholder serves as a value.
            patterns: Regular expressions of one's own; what they match is replaced everywhere.
            fields: Further names of JSON fields and query fields that carry secrets.

        Raises:
            ConfigError: If a pattern is no regular expression, or a secret is too short.
        """
        self._known = KnownSecrets(secrets or {})
        try:
            self._patterns = tuple(re.compile(pattern) for pattern in patterns)
        except re.error as exc:
            raise ConfigError(f"{exc.pattern!r} is not a regular expression: {exc}") from exc
        own = frozenset(name.lower() for name in fields)
        self._fields: dict[Channel, frozenset[str]] = {
            "model": _KEY_FIELDS | _ACCOUNT_FIELDS | own,
            "web": _KEY_FIELDS | _PLACE_FIELDS | own,
        }
        self._hints = {channel: _field_hint(names) for channel, names in self._fields.items()}
        names = "|".join(map(re.escape, sorted({*_QUERY_FIELDS, *own}, key=len, reverse=True)))
        self._query = re.compile(rf"(?i)([?&;#](?:{names})=)[^&;#\s\"'<>]+")

    @property
    def has_patterns(self) -> bool:
        """Whether the user gave patterns of their own."""
        return bool(self._patterns)

    def text(self, text: str) -> str:
        """Return `text` without known secrets and without what the user's patterns match."""
        text = self._known.scrub(text)
        for pattern in self._patterns:
            text = pattern.sub(SCRUBBED, text)
        return text

    def may_edit(self, content_type: str) -> bool:
        """Say whether there can be anything to take out of a body of this type."""
        return bool(self._patterns) or self._known.is_any or "json" in content_type

    def uri(self, text: str) -> str:
        """Return a URL, or text that holds URLs, without the values of fields that carry keys."""
        if "=" in text:
            text = self._query.sub(rf"\1{SCRUBBED}", text)
            text = _GOOGLE.sub(lambda url: _GOOGLE_FIELD.sub(rf"\1{SCRUBBED}", url.group()), text)
        if "@" in text:
            text = _USERINFO.sub(r"\1", text)
        return self.text(text)

    def content(self, content: bytes, content_type: str, channel: Channel) -> bytes:
        """Return a body without secrets; where there was none, the very same bytes."""
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            return self._known.scrub_bytes(content)
        clean = self.body(text, content_type, channel)
        return content if clean == text else clean.encode("utf-8", "backslashreplace")

    def body(self, text: str, content_type: str, channel: Channel) -> str:
        """Return a body's text without secrets and without fields that carry keys or account ids."""
        if self._hints[channel].search(text.lower()):
            text = self._fields_out(text, channel)
        if content_type.startswith("application/x-www-form-urlencoded"):
            text = self._query.sub(rf"\1{SCRUBBED}", f"&{text}")[1:]
        text = self.text(text)
        if self._known.is_any and _STREAMED.search(content_type):
            text = without_pieces(text, self._known)
        return text

    def value(self, value: object, channel: Channel) -> object:
        """Return a JSON value without what its fields say is secret; known secrets are `text`'s to find."""
        return _scrub_value(value, "", self._fields[channel])

    def request_headers(self, headers: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
        """Return the few request headers that are worth keeping."""
        return self._allowed(headers, _REQUEST_HEADERS)

    def response_headers(self, headers: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
        """Return the response headers that a client, or a reader of pages, acts on."""
        return self._allowed(headers, _RESPONSE_HEADERS)

    def check(self, text: str, where: str) -> None:
        """Refuse `text` if a known secret is still in it.

        Raises:
            SecretInCassetteError: Naming the secret, never its value.
        """
        self._refuse(self._known.find(text), where)

    def check_bytes(self, content: bytes, where: str) -> None:
        """Refuse `content` if a known secret is still in it.

        Raises:
            SecretInCassetteError: Naming the secret, never its value.
        """
        self._refuse(self._known.find_bytes(content), where)

    @staticmethod
    def _refuse(name: str | None, where: str) -> None:
        if name is not None:
            raise SecretInCassetteError(
                f"{where}: the value of {name} is still in it; nothing was saved"
            )

    def _allowed(
        self, headers: Iterable[tuple[str, str]], names: frozenset[str]
    ) -> dict[str, tuple[str, ...]]:
        kept: dict[str, tuple[str, ...]] = {}
        for name, value in headers:
            lower = name.lower()
            if lower in names or (lower.startswith("x-ratelimit-") and names is _RESPONSE_HEADERS):
                clean = self._address(value) if lower in _URI_HEADERS else self.text(value)
                kept[lower] = (*kept.get(lower, ()), clean)
        return dict(sorted(kept.items()))

    def _address(self, value: str) -> str:
        """Return a header with an address in it; a user name leaves its place, where `fetch` refuses it."""
        parts = _USERINFO.split(value)
        return "".join(
            f"{part}{SCRUBBED}@" if place % 2 else self.uri(part)
            for place, part in enumerate(parts)
        )

    def _fields_out(self, text: str, channel: Channel) -> str:
        start = text.lstrip()[:1]
        if start in {"{", "["}:
            return _scrub_json(text, self._fields[channel])
        if "data:" not in text:
            return text
        return "".join(
            line[:5] + _scrub_json(line[5:], self._fields[channel])
            if line.startswith("data:")
            else line
            for line in text.splitlines(keepends=True)
        )


def _field_hint(fields: Collection[str]) -> re.Pattern[str]:
    """Return what JSON with any of these fields is sure to hold, in lower case."""
    names = sorted({name.rpartition(".")[2] for name in fields})
    return re.compile(rf'"(?:{"|".join(map(re.escape, names))})"\s*:')


def _scrub_json(text: str, fields: frozenset[str]) -> str:
    """Return JSON text with the values of `fields` replaced, spelled as it was."""
    bare = text.strip()
    try:
        value = json.loads(bare)
        clean = _scrub_value(value, "", fields)
    except (ValueError, RecursionError):
        return text
    if clean is value:
        return text
    styles = (style for style in STYLES if spell_json(value, style) == bare)
    style: Style = next(styles, "compact")
    return text.replace(bare, spell_json(clean, style))


def _scrub_value(value: object, parent: str, fields: frozenset[str]) -> object:
    """Return `value` with fields replaced; the very same object if there was nothing to replace."""
    if isinstance(value, list):
        items = [_scrub_value(item, parent, fields) for item in value]
        return (
            items if any(new is not old for new, old in zip(items, value, strict=True)) else value
        )
    if not isinstance(value, dict):
        return value
    changed = {}
    for name, item in value.items():
        lower = name.lower()
        is_named = lower in fields or f"{parent}.{lower}" in fields
        new = _blank(item) if is_named else _scrub_value(item, lower, fields)
        if new is not item:
            changed[name] = new
    return value | changed if changed else value


def _blank(value: object) -> object:
    """Return a named value without its text."""
    if isinstance(value, str):
        return value if value in {"", SCRUBBED} else SCRUBBED
    if isinstance(value, dict) and "city" in value:
        return {name: item if name == "type" else _blank(item) for name, item in value.items()}
    return value
