"""Asking: a request as a client sends it in, the request as recordings know it out."""

from research_eval.cassette.key import (
    Asked,
    canonical_json,
    canonical_uri,
    looks_like_json,
    without_boundary,
)
from research_eval.cassette.redact import Channel, Redactor

__all__ = ["asked_request"]


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
