"""Search endpoints over the page index that speak the wire formats of Serper and Brave."""

import html
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from research_eval.world.address import split_url
from research_eval.world.index import Found, PageIndex, tokens
from research_eval.world.reply import Reply, Request

__all__ = ["answer_brave", "answer_serper"]

_WORD = re.compile(r"\w+")
_BRAVE_LIMITS = (
    ("X-RateLimit-Limit", "50, 0"),
    ("X-RateLimit-Policy", "50;w=1, 0;w=2592000"),
    ("X-RateLimit-Remaining", "49, 0"),
    ("X-RateLimit-Reset", "1, 1209600"),
)


def answer_serper(request: Request, index: PageIndex) -> Reply:
    """Answer `POST /search` as Serper does."""
    if request.method != "POST":
        return _json(404, {"message": "Not Found", "statusCode": 404})
    if not request.headers.get("x-api-key"):
        return _json(403, {"message": "Unauthorized.", "statusCode": 403})
    asked = _object(request.body)
    query = str(asked.get("q") or "").strip()
    if not query:
        return _json(400, {"message": "Missing query parameter", "statusCode": 400})
    size, page = _whole(asked.get("num"), 10, 1, 100), _whole(asked.get("page"), 1, 1, 10)
    found = index.search(query, size, size * (page - 1))
    organic = [_organic(hit, position) for position, hit in enumerate(found, start=1)]
    echo = {"q": query, "type": "search", "num": size, "engine": "google"}
    echo |= {key: asked[key] for key in ("gl", "hl", "page") if key in asked}
    return _json(200, {"searchParameters": echo, "organic": organic, "credits": 1})


def _organic(hit: Found, position: int) -> dict[str, Any]:
    entry = {"title": hit.title, "link": hit.url, "snippet": hit.snippet}
    if hit.date:
        entry["date"] = hit.date
    return {**entry, "position": position}


def answer_brave(request: Request, index: PageIndex) -> Reply:
    """Answer `GET /res/v1/web/search` as Brave does."""
    if not request.headers.get("x-subscription-token"):
        return _brave_error(
            "Unable to validate request parameter(s)", ["header", "x-subscription-token"]
        )
    asked = parse_qs(request.target.partition("?")[2])
    query = asked.get("q", [""])[0].strip()
    if not query or len(query) > 400 or len(query.split()) > 50:
        return _brave_error("Unable to validate request parameter(s)", ["query", "q"])
    count = _whole(asked.get("count", [None])[0], 20, 1, 20)
    offset = _whole(asked.get("offset", [None])[0], 0, 0, 9)
    found = index.search(query, count + 1, count * offset)
    decorated = asked.get("text_decorations", ["true"])[0].lower() not in {"0", "false"}
    terms = set(tokens(query)) if decorated else set()
    return _json(
        200, _brave_body(query, found[:count], terms, more=len(found) > count), _BRAVE_LIMITS
    )


def _brave_body(query: str, found: list[Found], terms: set[str], *, more: bool) -> dict[str, Any]:
    body: dict[str, Any] = {
        "type": "search",
        "query": {"original": query, "more_results_available": more},
    }
    if found:
        main = [{"type": "web", "index": number, "all": False} for number in range(len(found))]
        body["mixed"] = {"type": "mixed", "main": main, "top": [], "side": []}
        results = [_brave_result(hit, terms) for hit in found]
        body["web"] = {"type": "search", "results": results, "family_friendly": True}
    return body


def _brave_result(hit: Found, terms: set[str]) -> dict[str, Any]:
    scheme, host, target = split_url(hit.url)
    result: dict[str, Any] = {
        "type": "search_result",
        "subtype": "generic",
        "title": html.escape(hit.title, quote=True),
        "url": hit.url,
        "description": _decorated(hit.snippet, terms),
        "language": hit.language,
        "family_friendly": True,
        "is_source_local": False,
        "is_source_both": False,
        "profile": {"name": host, "long_name": host, "url": hit.url},
        "meta_url": {
            "scheme": scheme,
            "netloc": host,
            "hostname": host,
            "path": target.replace("/", "\u203a "),
        },
    }
    return {**result, "age": hit.date} if hit.date else result


def _decorated(text: str, terms: set[str]) -> str:
    """Return `text` as HTML with the words of the query set in bold."""

    def mark(word: re.Match[str]) -> str:
        is_hit = bool(terms) and not terms.isdisjoint(tokens(word[0]))
        return f"<strong>{word[0]}</strong>" if is_hit else word[0]

    pieces = re.split(r"(\W+)", text)
    return "".join(
        html.escape(piece) if n % 2 else _WORD.sub(mark, piece) for n, piece in enumerate(pieces)
    )


def _brave_error(detail: str, where: list[str]) -> Reply:
    meta = {"errors": [{"type": "missing", "loc": where, "msg": "Field required"}]}
    error = {"id": "world", "status": 422, "code": "VALIDATION", "detail": detail, "meta": meta}
    return _json(422, {"type": "ErrorResponse", "error": error, "time": 0})


def _object(body: bytes) -> Mapping[str, Any]:
    """Return the JSON object in `body`; an array stands for its first query, rubbish for none."""
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, dict) else {}


def _whole(value: object, default: int, low: int, high: int) -> int:
    """Return `value` as a whole number within the limits, or the default."""
    try:
        return min(high, max(low, int(str(value))))
    except ValueError:
        return default


def _json(status: int, body: object, headers: tuple[tuple[str, str], ...] = ()) -> Reply:
    data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return Reply(status, (("Content-Type", "application/json; charset=utf-8"), *headers), data)
