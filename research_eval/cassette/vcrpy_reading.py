"""A cassette of vcrpy or of a relative in, in any layout that they wrote, its exchanges out.

Layouts: vcrpy of today; vcrpy before 6 for httpx (`status_code`, `content`); pydantic-ai's tests
(`parsed_body`); Betamax and VCR for Ruby (`http_interactions`, `base64_string`); go-vcr (`url`,
body and status as text).
"""

import base64
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import yaml

from research_eval.cassette.file import MAX_BYTES
from research_eval.cassette.foreign import ForeignExchange, NotKept, RefusedError, settled
from research_eval.errors import CassetteCorruptError
from research_eval.schema.outside import read_json

__all__ = ["exchanges_in", "read_vcrpy"]

_MAX_NODES = 1_000_000
_STATUS = re.compile(r"([1-9]\d\d)(?:\s+(.*))?", re.DOTALL)
_NO_BODY = frozenset({204, 205, 304})
_BODY_FIELDS = ("body", "parsed_body", "content")


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # one of two classes
    """Plain data alone: no code, no dates, and the strings of Python 2 and of Ruby."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {
        sign: [entry for entry in entries if not entry[0].endswith(":timestamp")]
        for sign, entries in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def _text_of(loader: Any, node: Any) -> Any:  # noqa: ANN401  # PyYAML has no types for nodes
    return loader.construct_scalar(node)


def _list_of(loader: Any, node: Any) -> Any:  # noqa: ANN401  # PyYAML has no types for nodes
    return loader.construct_sequence(node, deep=True)


for _tag in ("python/str", "python/unicode"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", _text_of)
_Loader.add_constructor("tag:yaml.org,2002:python/tuple", _list_of)
_Loader.add_constructor("!binary", yaml.SafeLoader.construct_yaml_binary)


def read_vcrpy(path: Path) -> Iterator[ForeignExchange | NotKept]:
    """Yield the exchanges of a cassette, YAML or JSON, without running code from it.

    Raises:
        CassetteCorruptError: If it cannot be read, or is no cassette.
    """
    text = _read_bounded(path)
    try:
        values = read_json(text) if text.lstrip()[:1] == "{" else yaml.load(text, Loader=_Loader)  # noqa: S506  # a safe one
    except (yaml.YAMLError, ValueError, RecursionError, TypeError, AttributeError) as exc:
        words = " ".join(str(exc).split())[:200]
        raise CassetteCorruptError(f"{path}: no vcrpy cassette: {words}") from exc
    names = ("interactions", "http_interactions")
    found = [values[name] for name in names if name in values] if isinstance(values, dict) else []
    if not found or not isinstance(found[0], list):
        raise CassetteCorruptError(f"{path}: no vcrpy cassette: it has no list `interactions`")
    return exchanges_in(found[0])


def exchanges_in(interactions: Iterable[Any]) -> Iterator[ForeignExchange | NotKept]:
    """Yield what each interaction holds, or why it cannot be taken over."""
    for number, interaction in enumerate(interactions, start=1):
        where = f"interaction {number}"
        try:
            yield _exchange(interaction)
        except RefusedError as exc:
            yield NotKept(where, str(exc), is_refused=True)


def _read_bounded(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(MAX_BYTES + 1)
    except (OSError, UnicodeDecodeError) as exc:
        raise CassetteCorruptError(f"{path}: no vcrpy cassette: {exc}") from exc
    if len(text) > MAX_BYTES:
        raise CassetteCorruptError(f"{path}: larger than {MAX_BYTES} characters")
    return text


def _exchange(interaction: Any) -> ForeignExchange:  # noqa: ANN401  # from a file
    interaction = _table(interaction, "it is no interaction")
    request = _table(interaction.get("request"), "it has no request")
    response = _table(interaction.get("response"), "it has no response")
    uri = request.get("uri", request.get("url"))
    method = request.get("method", "GET")
    if not isinstance(uri, str) or not isinstance(method, str):
        raise RefusedError("its request has no method and uri")
    status, reason = _status(response)
    headers = _pairs(response.get("headers"))
    body = _body_in(response, "response")
    if body is None:
        if status not in _NO_BODY and method.upper() != "HEAD":
            raise RefusedError(f"its response has none of the fields {', '.join(_BODY_FIELDS)}")
        body = b""
    headers, body = settled(method, status, headers, body)
    recorded_at = interaction.get("recorded_at")
    return ForeignExchange(
        method=method.upper(),
        uri=uri,
        request_headers=_pairs(request.get("headers")),
        request_body=_body_in(request, "request") or b"",
        status=status,
        reason=reason,
        headers=headers,
        body=body,
        recorded_at=recorded_at if isinstance(recorded_at, str) else None,
    )


def _table(value: Any, otherwise: str) -> dict[str, Any]:  # noqa: ANN401  # from a file
    if not isinstance(value, dict):
        raise RefusedError(otherwise)
    return value


def _status(response: dict[str, Any]) -> tuple[int, str]:
    status: object = response.get("status", response.get("status_code"))
    reason: object = ""
    if isinstance(status, dict):
        reason = status.get("message")
        status = status.get("code")
    if isinstance(status, int | str):
        found = _STATUS.fullmatch(str(status)[:1000].strip())
        if found is not None:
            words = reason if isinstance(reason, str) and reason else found[2] or ""
            return int(found[1]), words
    raise RefusedError("its status is no number from 100 to 999")


def _pairs(headers: Any) -> list[tuple[str, str]]:  # noqa: ANN401  # from a file
    """Return headers as pairs; vcrpy keeps a list for each name, older ones a text or pairs."""
    if headers is None:
        return []
    if isinstance(headers, dict):
        pairs = [
            (name, value)
            for name, values in headers.items()
            for value in (values if isinstance(values, list | tuple) else [values])
        ]
    elif isinstance(headers, list) and all(isinstance(p, list) and len(p) == 2 for p in headers):
        pairs = [(name, value) for name, value in headers]
    else:
        raise RefusedError("its headers are no table")
    return [(_header_text(name), _header_text(value)) for name, value in pairs]


def _header_text(value: Any) -> str:  # noqa: ANN401  # from a file
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    raise RefusedError("a header is no text")


def _body_in(part: dict[str, Any], side: str) -> bytes | None:
    """Return the body of a request or response; `None` if it has no field for one."""
    if "parsed_body" in part:
        return _json_bytes(part["parsed_body"], side)
    for name in ("body", "content"):
        if name in part:
            return _bytes(part[name], side)
    return None


def _bytes(body: Any, side: str) -> bytes:  # noqa: ANN401  # from a file
    if isinstance(body, dict):
        if "base64_string" in body:
            return _from_base64(body["base64_string"], side)
        if "string" not in body and body:
            raise RefusedError(f"the {side}'s body has no field `string` or `base64_string`")
        body = body.get("string")
    if hasattr(body, "read"):  # while vcrpy records
        body = body.read()
    if body is None:
        return b""
    if isinstance(body, bytes | bytearray):
        return bytes(body)
    if not isinstance(body, str):
        raise RefusedError(f"the {side}'s body is no text and no bytes")
    try:
        return body.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise RefusedError(f"the {side}'s body holds half a character, a lone surrogate") from None


def _from_base64(value: Any, side: str) -> bytes:  # noqa: ANN401  # from a file
    try:
        return base64.b64decode("".join(str(value).split()), validate=True)
    except ValueError:
        raise RefusedError(f"the {side}'s body is no base64") from None


def _json_bytes(value: Any, side: str) -> bytes:  # noqa: ANN401  # from a file
    """Return a body that was kept as a value; how its bytes were spelled is not known."""
    if not _is_bounded(value):
        raise RefusedError(f"the {side}'s body is too large or deep")
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-8")
    except (TypeError, ValueError, RecursionError):  # half a character is a ValueError, too
        raise RefusedError(f"the {side}'s body is no JSON") from None


def _is_bounded(value: object) -> bool:
    """Say whether a value stays small though parts of it may be aliases of each other."""
    nodes, rest = 0, [value]
    while rest and nodes <= _MAX_NODES:
        node = rest.pop()
        nodes += 1
        if isinstance(node, dict):
            rest += node.values()
        elif isinstance(node, list):
            rest += node
    return nodes <= _MAX_NODES
