"""Each page is served as its source says: status, headers, bytes."""

import json
from html import unescape

import pytest

from research_eval.world import load_world
from research_eval.world.address import ascii_url, split_url
from research_eval.world.markup import to_text
from research_eval.world.reply import Request

WORLD = load_world()


def get(url, method="GET"):
    scheme, host, target = split_url(ascii_url(url))
    return WORLD.answer(Request(method, scheme, host, target, {}))


def header(reply, name):
    return {key.lower(): value for key, value in reply.headers}.get(name)


@pytest.mark.parametrize(
    "page", [p for p in WORLD.library.pages if p.serve == "page"], ids=lambda p: p.url
)
def test_a_page_holds_its_text_in_its_encoding(page):
    reply = get(page.url)
    text = unescape(reply.body.decode(page.encoding))

    assert reply.status == 200
    assert page.title in text
    first = to_text(page.body).split("\n")[0].split("  ")[0]
    assert first.split(" ")[0] in text


@pytest.mark.parametrize(
    ("url", "status", "words"),
    [
        ("https://harrowdispatch.example/2025/01/ferry-record-year", 404, "not found"),
        ("https://ferrytimes.example/timetables/skerra-2019", 410, "not found"),
        ("https://archive.harrowmere.example/letters/pennyfeather.html", 403, "no permission"),
        ("https://data.tidewatch.example/stations/nether-soke/annual", 429, "too many requests"),
        ("https://www.harrowmere.example/library/opening-hours-winter", 200, "not found"),
        ("https://ferrytimes.example/app/skerra-sound", 200, '<div id="root"></div>'),
        ("https://harrowdispatch.example/2025/02/interview-mayor-harrowmere", 200, "Accept all"),
        ("https://forum.quillvane.example/t/cluster-licence-price/1302", 200, "logged in"),
        ("https://peakwright.example/mats/tundra-mat", 200, "you are human"),
        ("https://www.skerravoe.example/no/such/page", 404, "not found"),
        ("https://no-such-host.example/", 502, "no such host"),
    ],
)
def test_what_stands_in_a_pages_place_tells_nothing_of_it(url, status, words):
    reply = get(url)
    page = WORLD.page(url)

    assert reply.status == status
    assert words in reply.body.decode()
    if page is not None and page.snippet:
        assert page.snippet not in reply.body.decode()
    assert WORLD.text(url) is None


def test_a_rate_limit_says_how_long_to_wait():
    assert (
        header(get("https://data.tidewatch.example/stations/nether-soke/annual"), "retry-after")
        == "3600"
    )


@pytest.mark.parametrize(
    ("url", "status", "location"),
    [
        (
            "https://www.skerravoe.example/allotments",
            301,
            "https://www.skerravoe.example/allotments/",
        ),
        (
            "https://go.shortlane.example/h7K",
            302,
            "https://saltpan-observatory.example/bulletins/2024/03",
        ),
        (
            "http://tarncliff-railway.example/history/",
            301,
            "https://tarncliff-railway.example/history/",
        ),
        (
            "http://www.minatose.example/観光/湊瀬灯台",
            301,
            ascii_url("https://www.minatose.example/観光/湊瀬灯台"),
        ),
    ],
)
def test_redirects_lead_where_they_say(url, status, location):
    reply = get(url)

    assert (reply.status, header(reply, "location")) == (status, location)


def test_a_loop_of_redirects_ends_nowhere():
    assert WORLD.destination("https://go.shortlane.example/loop-a") is None
    assert WORLD.text("https://go.shortlane.example/loop-a") is None


def test_a_short_link_reads_as_the_page_it_leads_to():
    assert "118.6" in WORLD.text("https://go.shortlane.example/h7K")


def test_an_oversized_page_is_larger_than_any_limit_and_always_the_same():
    url = "https://saltpan-observatory.example/logs/2024-raw.html"

    one, two = get(url), get(url)

    assert len(one.body) > 10_000_000
    assert one == two


def test_encodings_are_declared_where_the_page_says():
    sjis_meta = get("https://toukei.minatose.example/jinkou/r5.html")
    sjis_header = get("https://toukei.minatose.example/gyogyou/ika.html")

    assert header(sjis_meta, "content-type") == "text/html"
    assert b"charset=shift_jis" in sjis_meta.body
    assert header(sjis_header, "content-type") == "text/html; charset=shift_jis"
    assert b"charset" not in sjis_header.body


def test_canonical_links_stand_in_the_head():
    copy = get("https://mirror.paperloft.example/copies/harrowmere-market-charter").body.decode()

    assert (
        '<link rel="canonical" href="https://archive.harrowmere.example/charters/1342.html">'
        in copy
    )


def test_hidden_and_visible_instructions_are_both_served():
    assert 'style="display:none"' in get("https://peakwright.example/stoves/ember-3").body.decode()
    lodge = get("https://peakwright.example/tents/lodge-4").body.decode()
    assert "<!-- assistant:" in lodge
    assert "Important for AI systems" in lodge


def test_only_reading_is_allowed():
    assert get("https://www.skerravoe.example/", method="POST").status == 405


def test_product_data_is_json_whatever_the_title():
    body = get("https://peakwright.example/stoves/ember-3").body.decode()
    data = body.partition('ld+json">')[2].partition("</script>")[0]

    assert json.loads(data)["name"] == "Ember 3 stove"
