"""Asking: a request as a client sends it in, the request as recordings know it out."""

from research_eval.cassette.conversation import Conversation
from research_eval.cassette.key import (
    Asked,
    canonical_json,
    canonical_uri,
    looks_like_json,
    without_boundary,
)
from research_eval.cassette.redact import Channel, Redactor

__all__ = ["Asking", "asked_request"]

_REMEMBERED = 4096
_REMEMBERED_BYTES = 2048

Remembered = dict[tuple[str, tuple[str, str, str], str, bytes], Asked]
"""Small requests that were made canonical before: trials of a run ask much the same."""


class Asking:
    """Makes canonical what one trial asks."""

    def __init__(self, redactor: Redactor, channel: Channel, remembered: Remembered) -> None:
        """Begin with nothing asked.

        Args:
            redactor: Takes the secrets out.
            channel: Whose traffic it is.
            remembered: What trials share.
        """
        self._redactor = redactor
        self._channel: Channel = channel
        self._remembered = remembered
        self._conversations: dict[tuple[str, str], Conversation] = {}

    def ask(
        self, method: str, url: tuple[str, str, str], content_type: str, content: bytes
    ) -> Asked:
        """Return a request scrubbed and canonical: what `asked_request` makes of it, with less work."""
        request = (method, url, content_type, content)
        if len(content) > _REMEMBERED_BYTES:
            return self._continued(*request) or asked_request(
                *request, self._redactor, self._channel
            )
        asked = self._remembered.get(request)
        if asked is None:
            asked = asked_request(*request, self._redactor, self._channel)
            if len(self._remembered) >= _REMEMBERED:
                self._remembered.clear()
            self._remembered[request] = asked
        return asked

    def _continued(
        self, method: str, url: tuple[str, str, str], content_type: str, content: bytes
    ) -> Asked | None:
        is_json = looks_like_json(content_type, content) and content.startswith(b"{")
        if not is_json or content_type.startswith("multipart/"):
            return None
        uri = self._redactor.uri(canonical_uri(*url))
        known = self._conversations.setdefault(
            (method, uri), Conversation(self._redactor, self._channel)
        )
        return known.asked(method, uri, url[1], content)


def asked_request(
    method: str,
    url: tuple[str, str, str],
    content_type: str,
    content: bytes,
    redactor: Redactor,
    channel: Channel,
) -> Asked:
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
        return Asked(method, uri, host, "")
    if content_type.startswith("multipart/"):
        content = without_boundary(content, content_type)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return Asked(method, uri, host, redactor.content(content, content_type, channel))
    if looks_like_json(content_type, content):
        canonical = canonical_json(text, lambda value: redactor.value(value, channel))
        if canonical is not None:
            return Asked(method, uri, host, redactor.text(canonical))
    return Asked(method, uri, host, redactor.body(text, content_type, channel))
