"""The server answers for every host over a real socket, the same each time, and closes cleanly."""

import asyncio
import socket
import threading
import urllib.request

import httpx
import pytest

from research_eval.errors import ConfigError
from research_eval.world import WorldTransport, load_world, serve_world

pytestmark = [pytest.mark.sockets, pytest.mark.anyio]


@pytest.fixture(scope="module")
def base():
    with serve_world() as server:
        yield server.base_url


def client_of(base, **settings):
    return httpx.AsyncClient(transport=WorldTransport(base), timeout=60, **settings)


async def test_every_page_answers_under_its_own_name(base):
    async with client_of(base) as client:
        for page in load_world().library.pages:
            if page.serve == "oversized":
                continue
            reply = await client.get(page.url)
            assert reply.status_code in {200, 301, 302, 403, 404, 410, 429}, page.url
            assert str(reply.url.host) == reply.request.url.host


async def test_two_askings_differ_in_no_byte(base):
    async with client_of(base) as client:
        for url in (
            "https://www.minatose.example/",
            "https://stats.lindmark.example/tables/households-2022.pdf",
        ):
            one, two = await client.get(url), await client.get(url)
            assert one.content == two.content
            assert one.headers.raw == two.headers.raw


async def test_redirects_are_followed_across_schemes_and_hosts(base):
    async with client_of(base, follow_redirects=True) as client:
        reply = await client.get("https://go.shortlane.example/h7K")
        upgraded = await client.get("http://tarncliff-railway.example/history/")

    assert str(reply.url) == "https://saltpan-observatory.example/bulletins/2024/03"
    assert "118.6" in reply.text
    assert [str(hop.url) for hop in upgraded.history] == [
        "http://tarncliff-railway.example/history/"
    ]


async def test_clients_may_share_a_transport_and_close_in_any_order(base):
    transport = WorldTransport(base)
    first, second = (httpx.AsyncClient(transport=transport, timeout=60) for _ in range(2))
    async with second.stream("GET", "https://www.skerravoe.example/") as reply:
        await first.get("https://www.skerravoe.example/")
        await first.aclose()
        assert b"Skerravoe" in await reply.aread()
    await second.aclose()


async def test_many_requests_at_once_are_all_answered(base):
    async with client_of(base) as client:
        replies = await asyncio.gather(
            *(client.get("https://hexaply.example/rules") for _ in range(40))
        )

    assert {reply.status_code for reply in replies} == {200}


async def test_a_client_that_stops_reading_an_oversized_page_harms_nobody(base):
    async with client_of(base) as client:
        url = "https://saltpan-observatory.example/logs/2024-raw.html"
        async with client.stream("GET", url) as reply:
            assert int(reply.headers["content-length"]) > 10_000_000
            async for _ in reply.aiter_raw():
                break
        assert (await client.get("https://hexaply.example/rules")).status_code == 200


async def test_head_has_the_headers_and_no_body(base):
    async with client_of(base) as client:
        head = await client.head("https://hexaply.example/rules")
        whole = await client.get("https://hexaply.example/rules")

    assert head.content == b""
    assert head.headers["content-length"] == str(len(whole.content))


@pytest.mark.parametrize("length", ["x", "-1", "99999999"])
async def test_a_senseless_body_length_is_refused(base, length):
    host, port = base.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(
            f"POST /search HTTP/1.1\r\nHost: h\r\nContent-Length: {length}\r\n\r\n".encode()
        )

        assert connection.recv(100).startswith(b"HTTP/1.1 413")


def test_other_programs_can_use_it_as_a_proxy(base):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": base}))

    with opener.open("http://hexaply.example/rules", timeout=60) as reply:
        assert reply.status == 200
        assert reply.url == "http://hexaply.example/rules"


def test_closing_leaves_no_thread_and_no_listener():
    before = threading.active_count()
    with serve_world() as server:
        port = int(server.base_url.rpartition(":")[2])
        idle = socket.create_connection(("127.0.0.1", port), timeout=60)
        idle.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert idle.recv(20).startswith(b"HTTP/1.1 200")

    with idle:
        while idle.recv(65536):
            pass
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=60)
    assert threading.active_count() <= before + 1


def test_a_port_in_use_is_an_error_in_words():
    with serve_world() as server:
        port = int(server.base_url.rpartition(":")[2])
        with (
            pytest.raises(ConfigError, match=f"cannot listen on 127.0.0.1 port {port}"),
            serve_world(port),
        ):
            pass
