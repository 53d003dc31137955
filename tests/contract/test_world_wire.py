"""The world's search endpoints speak the wire formats of Serper and Brave, over a real socket."""

import html
import json
import re

import httpx
import pytest

from research_eval.world import WorldTransport, serve_world

pytestmark = [pytest.mark.sockets, pytest.mark.anyio]

SERPER = "https://google.serper.dev/search"
BRAVE = "https://api.search.brave.com/res/v1/web/search"
QUESTION = "What does a visiting yacht pay per metre and night at Skerravoe?"
DUES = "https://www.skerravoe.example/harbour/dues-2025"


@pytest.fixture(scope="module")
def base():
    with serve_world() as server:
        yield server.base_url


@pytest.fixture
async def client(base):
    async with httpx.AsyncClient(transport=WorldTransport(base), timeout=60) as client:
        yield client


async def serper(client, body, key="k"):
    headers = {"X-API-KEY": key} if key else {}
    return await client.post(SERPER, json=body, headers=headers)


async def brave(client, key="k", **params):
    headers = {"X-Subscription-Token": key} if key else {}
    return await client.get(BRAVE, params=params, headers=headers)


async def test_serper_answers_with_its_top_keys_and_ranked_results(client):
    reply = await serper(client, {"q": QUESTION, "num": 4, "gl": "uk"})
    body = reply.json()

    assert reply.status_code == 200
    assert body["searchParameters"] == {
        "q": QUESTION,
        "type": "search",
        "num": 4,
        "engine": "google",
        "gl": "uk",
    }
    assert body["credits"] == 1
    assert [hit["position"] for hit in body["organic"]] == [1, 2, 3, 4]
    assert body["organic"][0]["link"] == DUES
    assert body["organic"][0]["date"] == "Dec 3, 2024"
    assert all({"title", "link", "snippet"} <= set(hit) for hit in body["organic"])


@pytest.mark.parametrize(
    ("body", "key", "status", "message"),
    [
        ({"q": "x"}, None, 403, "Unauthorized."),
        ({"q": " "}, "k", 400, "Missing query parameter"),
        ({}, "k", 400, "Missing query parameter"),
        (["x"], "k", 400, "Missing query parameter"),
        ({"q": None}, "k", 400, "Missing query parameter"),
    ],
)
async def test_serper_refuses_as_the_real_one_does(client, body, key, status, message):
    reply = await serper(client, body, key)

    assert reply.status_code == status
    assert reply.json()["message"] == message


async def test_serper_survives_a_body_that_is_no_json(client):
    reply = await client.post(SERPER, content=b"\xff{", headers={"X-API-KEY": "k"})

    assert reply.status_code == 400
    assert (await client.get(SERPER, headers={"X-API-KEY": "k"})).status_code == 404


async def test_serper_has_no_results_for_no_terms_and_marks_pdfs(client):
    nothing = (await serper(client, {"q": "¿?"})).json()
    pdf = (
        await serper(client, {"q": "BATHOS-2 manual revision C depth rating", "num": "3"})
    ).json()

    assert nothing["organic"] == []
    assert pdf["organic"][0]["title"] == "[PDF] BATHOS-2 manual, revision C"
    assert len(pdf["organic"]) == 3


async def test_brave_answers_with_its_blocks_and_decorated_descriptions(client):
    reply = await brave(client, q="harbour dues visiting yacht", count=3)
    body = reply.json()

    assert reply.status_code == 200
    assert body["type"] == "search"
    assert body["query"]["original"] == "harbour dues visiting yacht"
    assert body["query"]["more_results_available"] is True
    assert [entry["index"] for entry in body["mixed"]["main"]] == [0, 1, 2]
    first = body["web"]["results"][0]
    assert first["url"] == DUES
    assert first["age"] == "Dec 3, 2024"
    assert first["meta_url"]["hostname"] == "www.skerravoe.example"
    assert "<strong>" in first["description"]
    assert reply.headers["x-ratelimit-limit"] == "50, 0"


async def test_brave_escapes_what_it_shows(client):
    body = (await brave(client, q="Quillvane retry first_pause", count=5)).json()
    described = next(
        hit["description"] for hit in body["web"]["results"] if "4.2/retry" in hit["url"]
    )

    assert "&quot;" in described
    assert '"' not in re.sub(r"</?strong>", "", described)
    assert '"4s"' in html.unescape(re.sub(r"</?strong>", "", described))


async def test_brave_leaves_decoration_out_when_asked(client):
    body = (await brave(client, q="harbour dues", text_decorations="false")).json()

    assert "<strong>" not in json.dumps(body)


async def test_brave_pages_through_the_same_order(client):
    whole = (await brave(client, q="Skerravoe council", count=6)).json()["web"]["results"]
    second = (await brave(client, q="Skerravoe council", count=3, offset=1)).json()["web"][
        "results"
    ]

    assert second == whole[3:]


async def test_brave_leaves_the_blocks_out_when_nothing_is_found(client):
    body = (await brave(client, q="¿?")).json()

    assert "web" not in body
    assert "mixed" not in body
    assert body["query"]["more_results_available"] is False


@pytest.mark.parametrize(
    ("params", "key", "where"),
    [
        ({"q": "x"}, None, ["header", "x-subscription-token"]),
        ({}, "k", ["query", "q"]),
        ({"q": "x" * 401}, "k", ["query", "q"]),
        ({"q": "x " * 51}, "k", ["query", "q"]),
    ],
)
async def test_brave_refuses_as_the_real_one_does(client, params, key, where):
    reply = await brave(client, key, **params)
    error = reply.json()["error"]

    assert reply.status_code == 422
    assert error["code"] == "VALIDATION"
    assert error["meta"]["errors"][0]["loc"] == where


async def test_both_engines_find_the_same_pages(client):
    query = {"q": "湊瀬灯台の高さ"}
    one = [hit["link"] for hit in (await serper(client, {**query, "num": 5})).json()["organic"]]
    other = [hit["url"] for hit in (await brave(client, count=5, **query)).json()["web"]["results"]]

    assert one == other
    assert one[0].isascii()


async def test_the_endpoints_answer_at_the_servers_own_address_too(client, base):
    reply = await client.post(f"{base}/search", json={"q": "harbour"}, headers={"X-API-KEY": "k"})
    other = await client.get(
        f"{base}/res/v1/web/search", params={"q": "harbour"}, headers={"X-Subscription-Token": "k"}
    )

    assert reply.json()["organic"]
    assert other.json()["web"]["results"]
