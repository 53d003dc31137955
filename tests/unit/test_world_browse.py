"""People can read the world in a browser: everything is listed, linked and escaped."""

import re

from research_eval.world.address import ascii_url
from research_eval.world.browse import browse, local_path
from research_eval.world.library import Library, load_library
from research_eval.world.page import Host, Page
from research_eval.world.reply import Request
from research_eval.world.site import World, load_world

WORLD = load_world()


def get(target, world=WORLD):
    return world.answer(Request("GET", "http", "127.0.0.1:8765", target, {}))


def test_the_list_links_every_page_and_every_link_works():
    listing = get("/").body.decode()
    links = re.findall(r'<a href="([^"]+)"', listing)

    assert len(links) == len(load_library().pages)
    for link in links:
        if "2024-raw" not in link:
            assert get(link.replace("&amp;", "&")).status in {200, 301, 302, 403, 404, 410, 429}, (
                link
            )


def test_links_inside_pages_stay_on_this_server():
    body = get(local_path("https://www.skerravoe.example/")).body.decode()

    assert 'href="https://www.skerravoe.example' not in body
    assert 'href="/_world/https/www.skerravoe.example/harbour/dues-2025"' in body
    assert 'href="/_world/HTTPS/WWW.Skerravoe.Example:443' in body
    assert get("/_world/HTTPS/WWW.Skerravoe.Example:443/harbour/tide-gauge").status == 200


def test_redirects_stay_on_this_server():
    reply = get(local_path("https://go.shortlane.example/h7K"))

    assert (
        dict(reply.headers)["Location"]
        == "/_world/https/saltpan-observatory.example/bulletins/2024/03"
    )


def test_an_iri_is_linked_in_its_encoded_form():
    assert local_path("https://水守資料館.example/利用案内").isascii()
    assert ascii_url("https://水守資料館.example/利用案内").partition("://")[2] in local_path(
        "https://水守資料館.example/利用案内"
    )


def test_what_is_not_there_is_said_in_plain_text():
    for target in (
        "/nothing",
        "/_world/",
        "/_world/https/nowhere.example/",
        "/_world/ftp/a.example/",
        "/_world/https/x",
    ):
        reply = get(target)
        assert reply.status == 404
        assert dict(reply.headers)["Content-Type"].startswith("text/plain")


def test_the_list_escapes_titles_and_addresses():
    page = Page(url="https://a.example/<i>", title="<script>alert(1)</script>")
    world = World(Library({"a.example": Host(name="A<b>", style="plain")}, (page,)))

    listing = browse(Request("GET", "http", "localhost:1", "/", {}), world).body.decode()

    assert "<script>" not in listing
    assert "A<b>" not in listing
    assert "<i>" not in listing
