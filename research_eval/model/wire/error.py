"""From whatever the wire library or an SDK raises to one `ModelError` with a stable kind."""

import re
from collections.abc import Mapping

import httpx2
from pydantic_ai import exceptions as wire

from research_eval.errors import ModelError, ModelErrorKind
from research_eval.schema.outside import safe_text

__all__ = ["is_filtered", "to_model_error"]

_KINDS: tuple[tuple[type[Exception], ModelErrorKind], ...] = (
    (wire.ModelQuotaExceededError, "quota"),
    (wire.ModelRateLimitError, "rate_limited"),
    (wire.ModelUnavailableError, "overloaded"),
    (wire.ModelServerError, "server"),
    (wire.ModelTimeoutError, "timeout"),
    (httpx2.TimeoutException, "timeout"),
    (wire.ModelConnectionError, "connection"),
    (httpx2.TransportError, "connection"),
    (wire.ModelContextWindowExceededError, "context"),
    (wire.ModelAuthenticationError, "auth"),
    (wire.ModelRequestRejectedError, "other"),
    (wire.ModelHTTPError, "other"),
)
"""First match wins: narrower classes stand before wider ones."""

_BY_STATUS: Mapping[int, ModelErrorKind] = {
    408: "timeout",
    425: "overloaded",
    429: "rate_limited",
    529: "overloaded",
}

_CONTEXT = re.compile(
    r"context[ _](size|length|window|limit)|maximum context|prompt is too long|too many tokens",
    re.IGNORECASE,
)
"""How servers that the library does not know say that a conversation became too long."""

MAX_DETAIL = 300
"""Characters of the provider's own words that are kept."""


def to_model_error(exc: Exception, *, model: str, secrets: tuple[str, ...]) -> ModelError:
    """Return `exc` as a `ModelError` that holds no secret."""
    status = getattr(exc, "status_code", None)
    detail = safe_text(_detail(exc))
    kind = _kind(exc, status)
    if kind == "other" and _CONTEXT.search(detail):
        kind = "context"
    for secret in secrets:
        detail = detail.replace(secret, "[redacted]")
    place = "" if status is None else f" (HTTP {status})"
    return ModelError(
        f"{model}: {kind.replace('_', ' ')}{place}: {detail[:MAX_DETAIL]}",
        kind=kind,
        status=status,
        retry_after_s=getattr(exc, "retry_after", None),
    )


def is_filtered(exc: Exception) -> bool:
    """Return whether a provider refused the request for what it says, as Azure does with HTTP 400."""
    body = getattr(exc, "body", None)
    error = body.get("error", body) if isinstance(body, Mapping) else None
    return isinstance(error, Mapping) and error.get("code") == "content_filter"


def _kind(exc: Exception, status: int | None) -> ModelErrorKind:
    for error_class, kind in _KINDS:
        if isinstance(exc, error_class):
            return _BY_STATUS.get(status, kind) if kind == "other" and status else kind
    return "malformed"


def _detail(exc: Exception) -> str:
    """Return the provider's message, without what differs from call to call around it."""
    body = getattr(exc, "body", None)
    found = _message(body)
    if found:
        return " ".join(found.split())
    if isinstance(exc, wire.AgentRunError):
        return " ".join(exc.message.split())
    words = f"{type(exc).__name__}: {exc}"
    is_known = any(isinstance(exc, error_class) for error_class, _ in _KINDS)
    return words if is_known else f"the reply cannot be read: {words}"


def _message(body: object) -> str | None:
    """Find the message in an error body, which each provider nests in its own way."""
    if isinstance(body, list) and body:
        return _message(body[0])
    if isinstance(body, Mapping):
        for name in ("error", "message", "detail", "msg"):
            if found := _message(body.get(name)):
                return found
        return None
    return body if isinstance(body, str) else None
