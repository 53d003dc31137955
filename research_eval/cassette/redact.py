"""Redaction: a request or response in, the same without keys, cookies and account ids out."""

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote, quote_plus

from research_eval.errors import SecretOnTapeError

__all__ = ["SCRUBBED", "Redactor"]

SCRUBBED = "SCRUBBED"
"""What stands in a recording where something secret was."""

_MIN_CHARS = 6
_REQUEST_HEADERS = frozenset({"accept", "content-type", "accept-language"})
_RESPONSE_HEADERS = frozenset({
    "cf-mitigated", "content-disposition", "content-encoding", "content-language", "content-length",
    "content-type", "etag", "last-modified", "link", "location", "refresh", "retry-after",
    "retry-after-ms", "server", "x-robots-tag", "x-should-retry",
})
_RESPONSE_PREFIXES = ("x-ratelimit-",)
_QUERY_FIELDS = frozenset({
    "access_token", "api-key", "api_key", "apikey", "auth", "client_secret", "code", "cx", "id_token", "key",
    "password", "refresh_token", "sig", "signature", "subscription-key", "token",
    "x-amz-credential", "x-amz-security-token", "x-amz-signature", "x-goog-signature",
})


class Redactor:
    """Takes secrets out before anything is keyed, written or said."""

    def __init__(self, secrets: Mapping[str, str] | None = None, patterns: Sequence[str] = ()) -> None:
        self._forms: dict[str, str] = {}
        for name, value in sorted((secrets or {}).items()):
            if len(value) >= _MIN_CHARS:
                for form in _forms_of(value):
                    self._forms.setdefault(form, f"{SCRUBBED}-{name}")
        ordered = sorted(self._forms, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, ordered))) if ordered else None
        self._patterns = tuple(re.compile(pattern) for pattern in patterns)

    def text(self, text: str) -> str:
        """Return `text` with every known secret and every match of the user's patterns replaced."""
        if self._known is not None:
            text = self._known.sub(lambda found: self._forms[found.group()], text)
        for pattern in self._patterns:
            text = pattern.sub(SCRUBBED, text)
        return text

    def uri(self, uri: str) -> str:
        """Return `uri` without the values of fields that carry keys."""
        head, mark, query = uri.partition("?")
        if mark:
            query = "&".join(_query_field(field) for field in query.split("&"))
        return self.text(f"{head}{mark}{query}")

    def content(self, content: bytes, content_type: str) -> bytes:
        """Return a body without secrets."""
        del content_type
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            return content
        scrubbed = self.text(text)
        return content if scrubbed == text else scrubbed.encode("utf-8")

    def request_headers(self, headers: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
        """Return the few request headers worth keeping."""
        return self._allowed(headers, _REQUEST_HEADERS, ())

    def response_headers(self, headers: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
        """Return the response headers that a client or a page's reader acts on."""
        return self._allowed(headers, _RESPONSE_HEADERS, _RESPONSE_PREFIXES)

    def check(self, text: str, where: str) -> None:
        """Refuse `text` if a known secret is still in it.

        Raises:
            SecretOnTapeError: Naming the secret, never its value.
        """
        if self._known is not None and (found := self._known.search(text)):
            name = self._forms[found.group()].removeprefix(f"{SCRUBBED}-")
            raise SecretOnTapeError(f"{where}: the value of {name} is still in it; nothing was saved")

    def _allowed(
        self, headers: Iterable[tuple[str, str]], names: frozenset[str], prefixes: tuple[str, ...]
    ) -> dict[str, tuple[str, ...]]:
        kept: dict[str, tuple[str, ...]] = {}
        for name, value in headers:
            lower = name.lower()
            if lower in names or (prefixes and lower.startswith(prefixes)):
                clean = self.uri(value) if lower in {"location", "refresh", "link"} else self.text(value)
                kept[lower] = (*kept.get(lower, ()), clean)
        return dict(sorted(kept.items()))


def _query_field(field: str) -> str:
    name, mark, value = field.partition("=")
    return f"{name}={SCRUBBED}" if mark and value and name.lower() in _QUERY_FIELDS else field


def _forms_of(value: str) -> tuple[str, ...]:
    raw = value.encode("utf-8")
    forms = {value, quote(value, safe=""), quote_plus(value)}
    forms.add(base64.b64encode(raw).decode().rstrip("="))
    forms.add(base64.urlsafe_b64encode(raw).decode().rstrip("="))
    return tuple(form for form in forms if len(form) >= _MIN_CHARS)
