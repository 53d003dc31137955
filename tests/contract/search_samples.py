"""Answers of every search API in their real shapes, with invented content."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

__all__ = ["ERRORS", "SAMPLES", "Refused", "Sample"]


class Sample(NamedTuple):
    """One provider's good answers."""

    full: bytes
    """Two results, the first with everything that the API can say of one."""
    title: str
    snippet: str
    date: str | None
    age: str | None
    empty: bytes
    """What it answers when it finds nothing."""
    content_type: str = "application/json"


class Refused(NamedTuple):
    """One refusal, and what it means."""

    provider: str
    status: int
    body: Any
    kind: str
    headers: Mapping[str, str] = MappingProxyType({})
    wait_s: float | None = None


def dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


FIRST, SECOND = "https://harbour.example/tides", "https://moon.example/pull?x=1"

SAMPLES: dict[str, Sample] = {
    "serper": Sample(
        dump(
            {
                "searchParameters": {"q": "tides", "type": "search", "engine": "google"},
                "answerBox": {
                    "snippet": "Twice a day.",
                    "snippetHighlighted": ["Twice"],
                    "title": "Tide",
                },
                "knowledgeGraph": {"title": "Tide", "type": "Phenomenon"},
                "organic": [
                    {
                        "title": "Tide tables",
                        "link": FIRST,
                        "snippet": "High water at noon.",
                        "date": "Mar 16, 2024",
                        "attributes": {"Posted": "Mar 16"},
                        "sitelinks": [{"title": "x", "link": FIRST + "/x"}],
                        "position": 1,
                    },
                    {"title": "[PDF] The moon's pull", "link": SECOND, "position": 3},
                ],
                "peopleAlsoAsk": [{"question": "Why?", "snippet": "Moon.", "title": ""}],
                "credits": 1,
            }
        ),
        "Tide tables",
        "High water at noon.",
        "Mar 16, 2024",
        None,
        dump({"searchParameters": {"q": "zxqv"}, "organic": [], "credits": 1}),
    ),
    "brave": Sample(
        dump(
            {
                "type": "search",
                "query": {"original": "tides", "more_results_available": True, "city": ""},
                "mixed": {
                    "type": "mixed",
                    "main": [
                        {"type": "web", "index": 0, "all": False},
                        {"type": "videos", "all": True},
                        {"type": "web", "index": 1, "all": False},
                    ],
                },
                "web": {
                    "type": "search",
                    "results": [
                        {
                            "title": "Tide tables &amp; charts",
                            "url": FIRST,
                            "description": "<strong>High</strong> water &quot;at noon&quot;.",
                            "age": "3 days ago",
                            "page_age": "2026-03-01T10:00:00",
                            "profile": {"name": "Harbour"},
                            "language": "en",
                            "family_friendly": True,
                            "meta_url": {"hostname": "harbour.example"},
                        },
                        {
                            "title": "The moon&#x27;s pull",
                            "url": SECOND,
                            "description": "It pulls.",
                        },
                    ],
                },
            }
        ),
        "Tide tables & charts",
        'High water "at noon".',
        "2026-03-01T10:00:00",
        "3 days ago",
        dump({"type": "search", "query": {"original": "zxqv"}}),
    ),
    "tavily": Sample(
        dump(
            {
                "query": "tides",
                "follow_up_questions": None,
                "answer": None,
                "images": ["https://img.example/a.png"],
                "results": [
                    {
                        "title": "Tide tables",
                        "url": FIRST,
                        "content": "High water\n at noon.",
                        "score": 0.93,
                        "raw_content": None,
                        "published_date": "Mon, 02 Mar 2026",
                    },
                    {
                        "title": "The moon's pull",
                        "url": SECOND,
                        "content": "",
                        "score": 0.5,
                        "raw_content": None,
                    },
                ],
                "response_time": 1.2,
                "request_id": "r",
            }
        ),
        "Tide tables",
        "High water at noon.",
        "Mon, 02 Mar 2026",
        None,
        dump({"query": "zxqv", "answer": "", "images": [], "results": [], "response_time": 0.4}),
    ),
    "exa": Sample(
        dump(
            {
                "requestId": "r",
                "resolvedSearchType": "neural",
                "results": [
                    {
                        "id": FIRST,
                        "title": "Tide tables",
                        "url": FIRST,
                        "publishedDate": "2026-03-01T00:00:00.000Z",
                        "author": None,
                        "highlights": ["High water at noon.", "Low at six."],
                        "highlightScores": [0.5, 0.4],
                    },
                    {"id": SECOND, "title": None, "url": SECOND, "text": "It pulls."},
                ],
                "costDollars": {"total": 0.005},
            }
        ),
        "Tide tables",
        "High water at noon. … Low at six.",
        "2026-03-01T00:00:00.000Z",
        None,
        dump({"requestId": "r", "results": []}),
    ),
    "perplexity": Sample(
        dump(
            {
                "results": [
                    {
                        "title": "Tide tables",
                        "url": FIRST,
                        "snippet": "High water\n at noon.",
                        "date": "2026-03-01",
                        "last_updated": "2026-03-02",
                    },
                    {"title": "The moon's pull", "url": SECOND, "snippet": "", "date": None},
                ],
                "id": "r",
            }
        ),
        "Tide tables",
        "High water at noon.",
        "2026-03-01",
        None,
        dump({"results": [], "id": "r"}),
    ),
    "firecrawl": Sample(
        dump(
            {
                "success": True,
                "data": {
                    "web": [
                        {
                            "url": FIRST,
                            "title": "Tide tables",
                            "description": "High water at noon.",
                            "position": 1,
                        },
                        {"url": SECOND, "title": "The moon's pull", "position": 2},
                    ]
                },
                "creditsUsed": 2,
            }
        ),
        "Tide tables",
        "High water at noon.",
        None,
        None,
        dump({"success": True, "data": {}, "creditsUsed": 0}),
    ),
    "jina": Sample(
        dump(
            {
                "code": 200,
                "status": 20000,
                "data": [
                    {
                        "title": "Tide tables",
                        "url": FIRST,
                        "description": "High water at noon.",
                        "date": "Mar 1, 2026",
                        "content": "",
                        "usage": {"tokens": 1000},
                    },
                    {"title": "The moon's pull", "url": SECOND, "description": ""},
                ],
                "meta": {"usage": {"tokens": 10000}},
            }
        ),
        "Tide tables",
        "High water at noon.",
        "Mar 1, 2026",
        None,
        dump({"code": 200, "status": 20000, "data": [], "meta": {}}),
    ),
    "serpapi": Sample(
        dump(
            {
                "search_metadata": {"id": "r", "status": "Success"},
                "search_parameters": {"engine": "google", "q": "tides"},
                "search_information": {"organic_results_state": "Results for exact spelling"},
                "organic_results": [
                    {
                        "position": 1,
                        "title": "Tide tables",
                        "link": FIRST,
                        "displayed_link": "harbour.example",
                        "snippet": "High water at noon.",
                        "date": "Mar 1, 2026",
                    },
                    {"position": 2, "title": "The moon's pull", "link": SECOND},
                ],
            }
        ),
        "Tide tables",
        "High water at noon.",
        "Mar 1, 2026",
        None,
        dump(
            {
                "search_metadata": {"id": "r", "status": "Success"},
                "search_information": {"organic_results_state": "Fully empty"},
                "error": "Google hasn't returned any results for this query.",
            }
        ),
    ),
    "google_cse": Sample(
        b"\xef\xbb\xbf"
        + dump(
            {
                "kind": "customsearch#search",
                "queries": {"request": [{"totalResults": "2"}]},
                "searchInformation": {"totalResults": "2"},
                "items": [
                    {
                        "kind": "customsearch#result",
                        "title": "Tide tables",
                        "htmlTitle": "<b>Tide</b> tables",
                        "link": FIRST,
                        "displayLink": "harbour.example",
                        "snippet": "High water at noon.",
                    },
                    {"kind": "customsearch#result", "title": "The moon's pull", "link": SECOND},
                ],
            }
        ),
        "Tide tables",
        "High water at noon.",
        None,
        None,
        dump({"kind": "customsearch#search", "searchInformation": {"totalResults": "0"}}),
    ),
    "bing": Sample(
        dump(
            {
                "_type": "SearchResponse",
                "queryContext": {"originalQuery": "tides"},
                "webPages": {
                    "totalEstimatedMatches": 2,
                    "value": [
                        {
                            "id": "#0",
                            "name": "Tide tables",
                            "url": FIRST,
                            "datePublished": "2026-03-01T00:00:00.0000000",
                            "datePublishedDisplayText": "Mar 1, 2026",
                            "snippet": "High water at noon.",
                        },
                        {
                            "id": "#1",
                            "name": "The moon's pull",
                            "url": SECOND,
                            "snippet": "It pulls.",
                        },
                    ],
                },
                "rankingResponse": {},
            }
        ),
        "Tide tables",
        "High water at noon.",
        "2026-03-01T00:00:00.0000000",
        "Mar 1, 2026",
        dump(
            {
                "_type": "SearchResponse",
                "queryContext": {"originalQuery": "zxqv"},
                "rankingResponse": {},
            }
        ),
    ),
    "searxng": Sample(
        dump(
            {
                "query": "tides",
                "number_of_results": 0,
                "results": [
                    {
                        "url": FIRST,
                        "title": "Tide tables",
                        "content": "High water at noon.",
                        "engine": "mojeek",
                        "engines": ["mojeek", "bing"],
                        "positions": [1],
                        "score": 2.0,
                        "category": "general",
                        "parsed_url": ["https", "harbour.example", "/tides", "", "", ""],
                        "publishedDate": "2026-03-01T00:00:00",
                    },
                    {"url": SECOND, "title": "The moon's pull", "content": "", "engine": "bing"},
                ],
                "answers": [],
                "unresponsive_engines": [["google", "CAPTCHA"]],
            }
        ),
        "Tide tables",
        "High water at noon.",
        "2026-03-01T00:00:00",
        None,
        dump({"query": "zxqv", "results": [], "unresponsive_engines": []}),
    ),
    "duckduckgo": Sample(
        b"""<html><body><div id="links">
<div class="result results_links web-result result--ad"><h2 class="result__title"><a class="result__a" href="https://shop.example/">Buy tides</a></h2></div>
<div class="result results_links web-result"><h2 class="result__title"><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fharbour.example%2Ftides&amp;rut=0a">Tide <b>tables</b></a></h2><a class="result__snippet" href="#">High water <b>at noon</b>.</a></div>
<div class="result results_links web-result"><h2 class="result__title"><a class="result__a" href="https://moon.example/pull?x=1">The moon's pull</a></h2></div>
</div></body></html>""",
        "Tide tables",
        "High water at noon.",
        None,
        None,
        b'<html><body><div class="no-results">No results.</div></body></html>',
        "text/html; charset=utf-8",
    ),
}


def brave_error(status: int, code: str, meta: Any = None, detail: str = "Nothing more.") -> Any:
    return {
        "type": "ErrorResponse",
        "error": {"id": "x", "status": status, "code": code, "detail": detail, "meta": meta or {}},
        "time": 1,
    }


RATE = {
    "x-ratelimit-limit": "20, 0",
    "x-ratelimit-remaining": "0, 0",
    "x-ratelimit-reset": "1, 2500000",
}

ERRORS: list[Refused] = [
    Refused("serper", 403, {"message": "Unauthorized.", "statusCode": 403}, "auth"),
    Refused("serper", 400, {"message": "Not enough credits", "statusCode": 400}, "quota"),
    Refused("serper", 400, {"message": "Missing query parameter"}, "bad_query"),
    Refused(
        "serper", 429, {"message": "Too many requests"}, "rate_limited", {"retry-after": "4"}, 4.0
    ),
    Refused("serper", 200, {"message": "Not enough credits", "statusCode": 400}, "quota"),
    Refused("serper", 500, {"message": "Internal server error"}, "server"),
    Refused(
        "brave",
        429,
        brave_error(429, "RATE_LIMITED", {"quota_limit": 0, "quota_current": 9}),
        "rate_limited",
        RATE,
        1.0,
    ),
    Refused(
        "brave", 429, brave_error(429, "RATE_LIMITED"), "rate_limited", {"retry-after": "2"}, 2.0
    ),
    Refused(
        "brave",
        429,
        brave_error(429, "RATE_LIMITED", {"quota_limit": 2000, "quota_current": 2000}),
        "quota",
        RATE,
    ),
    Refused("brave", 429, brave_error(429, "QUOTA_LIMITED"), "quota"),
    Refused(
        "brave",
        422,
        brave_error(422, "SUBSCRIPTION_TOKEN_INVALID", {"component": "authentication"}),
        "auth",
    ),
    Refused(
        "brave",
        422,
        brave_error(422, "VALIDATION", {"errors": [{"loc": ["header", "x-subscription-token"]}]}),
        "auth",
    ),
    Refused(
        "brave",
        422,
        brave_error(
            422,
            "VALIDATION",
            {"errors": [{"loc": ["query", "q"]}]},
            "Unable to validate request parameter(s)",
        ),
        "bad_query",
    ),
    Refused(
        "brave",
        401,
        {
            "type": "ErrorResponse",
            "errors": [{"code": "UNAUTHORIZED", "detail": "Subscription token is missing"}],
        },
        "auth",
    ),
    Refused("brave", 200, brave_error(503, "SERVER_ERROR"), "server"),
    Refused("brave", 503, "<html>busy</html>", "server"),
    Refused(
        "tavily", 401, {"detail": {"error": "Unauthorized: missing or invalid API key."}}, "auth"
    ),
    Refused("tavily", 400, {"detail": {"error": "Invalid topic."}}, "bad_query"),
    Refused(
        "tavily",
        422,
        {
            "detail": [
                {
                    "type": "string_type",
                    "loc": ["body", "query"],
                    "msg": "Input should be a valid string",
                }
            ]
        },
        "bad_query",
    ),
    Refused(
        "tavily",
        429,
        {"detail": {"error": "Your request has been blocked due to excessive requests."}},
        "rate_limited",
    ),
    Refused(
        "tavily", 432, {"detail": {"error": "This exceeds the plan's set usage limit."}}, "quota"
    ),
    Refused("tavily", 433, {"detail": {"error": "This exceeds the pay-as-you-go limit."}}, "quota"),
    Refused("tavily", 500, {"detail": {"error": "Internal Server Error"}}, "server"),
    Refused(
        "exa",
        402,
        {
            "requestId": "r",
            "error": "You have exceeded your credits limit.",
            "tag": "NO_MORE_CREDITS",
        },
        "quota",
    ),
    Refused("exa", 429, {"error": "You've exceeded your Exa rate limit"}, "rate_limited"),
    Refused("exa", 401, {"error": "x-api-key header is invalid", "tag": "INVALID_API_KEY"}, "auth"),
    Refused(
        "exa",
        400,
        {"error": "numResults must be positive", "tag": "INVALID_REQUEST_BODY"},
        "bad_query",
    ),
    Refused(
        "exa",
        200,
        {"error": "You have exceeded your credits limit.", "tag": "NO_MORE_CREDITS"},
        "quota",
    ),
    Refused(
        "google_cse",
        400,
        {
            "error": {
                "code": 400,
                "message": "API key not valid.",
                "status": "INVALID_ARGUMENT",
                "details": [{"reason": "API_KEY_INVALID"}],
            }
        },
        "auth",
    ),
    Refused(
        "google_cse",
        429,
        {
            "error": {
                "code": 429,
                "message": "Quota exceeded for quota metric 'Queries'",
                "status": "RESOURCE_EXHAUSTED",
            }
        },
        "quota",
    ),
    Refused(
        "google_cse",
        403,
        {
            "error": {
                "code": 403,
                "message": "User Rate Limit Exceeded",
                "errors": [{"reason": "userRateLimitExceeded"}],
            }
        },
        "rate_limited",
    ),
    Refused(
        "google_cse",
        400,
        {"error": {"code": 400, "message": "Request contains an invalid argument."}},
        "bad_query",
    ),
    Refused(
        "bing",
        401,
        {"error": {"code": "401", "message": "Access denied due to invalid subscription key."}},
        "auth",
    ),
    Refused(
        "bing",
        403,
        {"error": {"code": "403", "message": "Out of call volume quota. Replenished in 3 days."}},
        "quota",
    ),
    Refused(
        "bing",
        429,
        {"error": {"code": "429", "message": "Rate limit is exceeded. Try again in 1 seconds."}},
        "rate_limited",
        {"retry-after": "1"},
        1.0,
    ),
    Refused("searxng", 403, "<h1>Forbidden</h1>", "auth"),
    Refused("searxng", 429, "Too Many Requests", "rate_limited"),
    Refused(
        "searxng",
        200,
        {
            "results": [],
            "unresponsive_engines": [["google", "CAPTCHA"], ["brave", "too many requests"]],
        },
        "rate_limited",
    ),
    Refused(
        "searxng", 200, {"results": [], "unresponsive_engines": [["google", "timeout"]]}, "server"
    ),
    Refused(
        "duckduckgo",
        202,
        '<form id="challenge-form" action="//duckduckgo.com/anomaly.js"></form>',
        "rate_limited",
    ),
    Refused("duckduckgo", 403, "", "rate_limited"),
    Refused("duckduckgo", 200, "<html><body><h1>Welcome</h1></body></html>", "malformed"),
    Refused("serper", 400, {"message": "Invalid query: how do payment credits work"}, "bad_query"),
    Refused("serper", 400, {"message": "Query 'no more credits' is too long"}, "bad_query"),
    Refused("serper", 503, {"message": "Not enough credits"}, "server"),
    Refused("tavily", 401, {"detail": {"error": "No credits for this quota"}}, "auth"),
    Refused("exa", 400, {"error": "Something", "tag": "NO_MORE_CREDITS"}, "quota"),
    Refused(
        "google_cse",
        429,
        {
            "error": {
                "code": 429,
                "message": "Quota exceeded for quota metric 'Queries' and limit "
                "'Queries per minute per user' of service 'customsearch.googleapis.com'",
                "status": "RESOURCE_EXHAUSTED",
                "details": [{"reason": "RATE_LIMIT_EXCEEDED"}],
            }
        },
        "rate_limited",
    ),
    Refused(
        "google_cse", 429, {"error": {"message": "Queries per minute per user"}}, "rate_limited"
    ),
    Refused(
        "google_cse",
        429,
        {
            "error": {
                "message": "Quota exceeded for 'Queries' and limit 'Queries per day'",
                "details": [{"reason": "RATE_LIMIT_EXCEEDED"}],
            }
        },
        "quota",
    ),
]

ERRORS += [
    Refused(
        "perplexity",
        401,
        {"error": {"message": "Invalid API key provided", "type": "invalid_api_key", "code": 401}},
        "auth",
    ),
    Refused(
        "perplexity",
        429,
        {"error": {"message": "Request rate limit exceeded", "type": "rate_limit", "code": 429}},
        "rate_limited",
        {"retry-after": "3"},
        3.0,
    ),
    Refused("firecrawl", 401, {"success": False, "error": "Unauthorized: Invalid token"}, "auth"),
    Refused("firecrawl", 402, {"success": False, "error": "Insufficient credits"}, "quota"),
    Refused(
        "firecrawl", 400, {"success": False, "error": "Bad Request", "details": []}, "bad_query"
    ),
    Refused(
        "jina",
        401,
        {"data": None, "code": 401, "name": "AuthenticationRequiredError", "status": 40103},
        "auth",
    ),
    Refused(
        "jina",
        402,
        {"data": None, "code": 402, "name": "InsufficientBalanceError", "message": "Recharge."},
        "quota",
    ),
    Refused(
        "jina",
        422,
        {"data": None, "code": 422, "message": "No search results available for query x"},
        "empty",
    ),
    Refused("serpapi", 401, {"error": "Invalid API key."}, "auth"),
    Refused("serpapi", 429, {"error": "Your account has run out of searches."}, "quota"),
    Refused("serpapi", 400, {"error": "Missing query `q` parameter."}, "bad_query"),
    Refused(
        "serpapi",
        503,
        {"search_metadata": {"status": "Error"}, "error": "The search did not end."},
        "server",
    ),
]
