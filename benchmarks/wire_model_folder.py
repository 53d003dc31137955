"""Read recorded answers of model APIs, in the forms that public repositories keep them in."""

import base64
import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

PROVIDER_OF_FOLDER = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "gemini": "google",
    "groq": "groq",
    "mistral": "mistral",
    "ollama": "ollama",
    "openai_chat": "openai",
    "openai_compatible": "openai",
    "openai_responses": "openai-responses",
    "openrouter": "openrouter",
}
MODEL_PATHS = (
    "/chat/completions",
    "/responses",
    "/messages",
    "generatecontent",
    "/api/chat",
    "/converse",
    ":complete",
)
DROPPED_HEADERS = {"content-encoding", "content-length", "transfer-encoding", "connection"}


class CassetteLoader(yaml.SafeLoader):
    """Reads YAML with the tag that Ruby gives to bytes."""


CassetteLoader.add_constructor(
    "!binary", lambda loader, node: base64.b64decode(loader.construct_scalar(node))
)


class Recorded(NamedTuple):
    """One answer of a model API."""

    where: str
    provider: str
    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_stream(self) -> bool:
        """Whether the answer is a stream of events."""
        return self.headers.get("content-type", "").startswith("text/event-stream")


def recorded_answers(folder: Path) -> Iterator[Recorded]:
    """Yield every answer under `folder`, in the order of names."""
    for path in sorted(folder.rglob("*")):
        kind = path.parent.name
        if not path.is_file() or kind not in PROVIDER_OF_FOLDER:
            continue
        name = f"{kind}/{path.name}"
        if path.name == "errors_quoted.json":
            yield from _quoted(path, name, kind)
        elif path.suffix in {".yaml", ".yml"}:
            yield from _recorded(path, name, kind)
        elif path.suffix in {".json", ".txt"}:
            yield _plain(path, name, kind)


def _quoted(path: Path, name: str, kind: str) -> Iterator[Recorded]:
    for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
        if "body" in case:
            body = json.dumps(case["body"]).encode()
            headers = {"content-type": "application/json"} | _lower(case.get("headers", {}))
            yield Recorded(name, PROVIDER_OF_FOLDER[kind], "", case["status"], headers, body)


def _plain(path: Path, name: str, kind: str) -> Recorded:
    text = path.read_text(encoding="utf-8")
    provider = PROVIDER_OF_FOLDER[kind]
    if provider == "openai" and ('"object": "response"' in text or '"type":"response.' in text):
        provider = "openai-responses"
    if path.suffix == ".json":
        status = _status_of(json.loads(text))
        return Recorded(
            name, provider, "", status, {"content-type": "application/json"}, text.encode()
        )
    events = {"content-type": "text/event-stream"}
    body = text if "data:" in text[:400] else _as_events(text, provider)
    return Recorded(name, provider, "", 200, events, body.encode())


def _as_events(text: str, provider: str) -> str:
    """Return lines of bare JSON as server-sent events, as the API sends them."""
    events = []
    for line in filter(None, map(str.strip, text.splitlines())):
        kind = json.loads(line).get("type", "") if line.startswith("{") else ""
        name = f"event: {kind}\n" if provider in {"anthropic", "openai-responses"} and kind else ""
        events.append(f"{name}data: {line}\n\n")
    closing = "" if provider in {"anthropic", "google", "openai-responses"} else "data: [DONE]\n\n"
    return "".join(events) + closing


def _status_of(body: Any) -> int:
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return 200
    code = error.get("code")
    return code if isinstance(code, int) and 400 <= code < 600 else 400


def _recorded(path: Path, name: str, kind: str) -> Iterator[Recorded]:
    cassette = yaml.load(path.read_text(encoding="utf-8"), Loader=CassetteLoader)  # a safe loader
    for interaction in cassette.get("interactions") or cassette.get("http_interactions") or []:
        request, response = interaction["request"], interaction["response"]
        url = str(request.get("uri") or request.get("url"))
        status = response.get("status", response.get("code", 200))
        status = status.get("code", 200) if isinstance(status, dict) else status
        if not isinstance(status, int):
            status = int(response.get("code") or str(status).split()[0])
        headers = {
            k: v for k, v in _lower(response.get("headers")).items() if k not in DROPPED_HEADERS
        }
        body = _body(response)
        if body.startswith(b"\x1f\x8b"):
            body = gzip.decompress(body)
        if not headers.get("content-type"):
            stream = body.lstrip()[:6] in {b"event:", b"data: "}
            headers["content-type"] = "text/event-stream" if stream else "application/json"
        yield Recorded(name, _provider(kind, url), url, status, headers, body)


def _provider(kind: str, url: str) -> str:
    """Return who speaks the format of `url`: some folders hold an API's older or newer form."""
    provider = PROVIDER_OF_FOLDER[kind]
    if provider == "openai" and url.split("?", maxsplit=1)[0].endswith("/responses"):
        return "openai-responses"
    if provider == "openai-responses" and url.endswith("/chat/completions"):
        return "openai"
    return provider


def _body(response: Mapping[str, Any]) -> bytes:
    if "parsed_body" in response:
        return json.dumps(response["parsed_body"]).encode()
    body = response.get("body", b"")
    if isinstance(body, dict):
        if "base64_string" in body:
            return base64.b64decode(body["base64_string"])
        body = body.get("string", b"")
    return body if isinstance(body, bytes) else str(body or "").encode()


def _lower(headers: Mapping[str, Any] | None) -> dict[str, str]:
    return {
        name.lower(): ", ".join(value) if isinstance(value, list) else str(value)
        for name, value in (headers or {}).items()
    }
