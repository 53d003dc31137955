"""CanonicalRequests: a request as a client sends it in, the request as recordings know it out."""

from research_eval.cassette.conversation import Conversation
from research_eval.cassette.key import (
    CanonicalRequest,
    canonical_json,
    canonical_uri,
    looks_like_json,
    without_boundary,
)
from research_eval.cassette.redact import Channel, Redactor

__all__ = ["CanonicalRequests", "canonical_request"]

_REMEMBERED = 4096
_REMEMBERED_BYTES = 2048

Remembered = dict[tuple[str, tuple[str, str, str], str, bytes], CanonicalRequest]
"""Small requests that were made canonical before: trials of a run ask much the same."""


class CanonicalRequests:
    """Makes canonical what one trial sends."""

    def __init__(self, redactor: Redactor, channel: Channel, remembered: Remembered) -> None:
        """Begin with no request.

        Args:
            redactor: Takes the secrets out.
            channel: Whose traffic it is.
            remembered: What trials share.
        """
        self._redactor = redactor
        self._channel: Channel = channel
        self._remembered = remembered
        self._conversations: dict[tuple[str, str], Conversation] = {}

    def canonical(
        self, method: str, url: tuple[str, str, str], content_type: str, content: bytes
    ) -> CanonicalRequest:
        """Return a request scrubbed and canonical: what `canonical_request` makes of it, with less work."""
        request = (method, url, content_type, content)
        if len(content) > _REMEMBERED_BYTES:
            return self._continued(*request) or canonical_request(
                *request, self._redactor, self._channel
            )
        canonical = self._remembered.get(request)
        if canonical is None:
            canonical = canonical_request(*request, self._redactor, self._channel)
            if len(self._remembered) >= _REMEMBERED:
                self._remembered.clear()
            self._remembered[request] = canonical
        return canonical

    def _continued(
        self, method: str, url: tuple[str, str, str], content_type: str, content: bytes
    ) -> CanonicalRequest | None:
        is_json = looks_like_json(content_type, content) and content.startswith(b"{")
        if not is_json or content_type.startswith("multipart/"):
            return None
        uri = self._redactor.uri(canonical_uri(*url))
        known = self._conversations.setdefault(
            (method, uri), Conversation(self._redactor, self._channel)
        )
        return known.canonical(method, uri, url[1], content)


def canonical_request(
    method: str,
    url: tuple[str, str, str],
    content_type: str,
    content: bytes,
    redactor: Redactor,
    channel: Channel,
) -> CanonicalRequest:
    """Return a request scrubbed and then made canonical, so that its key is the same without the secrets.

    Args:
        method: The HTTP method.
        url: Scheme, host with port, path with query.
        content_type: Of the body.
        content: The body.
        redactor: Takes the secrets out.
        channel: Whose traffic it is.
    """
    uri = redactor.uri(canonical_uri(*url))
    host = url[1]
    if not content:
        return CanonicalRequest(method, uri, host, "")
    if content_type.startswith("multipart/"):
        content = without_boundary(content, content_type)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return CanonicalRequest(method, uri, host, redactor.content(content, content_type, channel))
    if looks_like_json(content_type, content):
        canonical = canonical_json(text, lambda value: redactor.value(value, channel))
        if canonical is not None:
            return CanonicalRequest(method, uri, host, redactor.text(canonical))
    return CanonicalRequest(method, uri, host, redactor.body(text, content_type, channel))
