"""Laws of fetching that hold for every text and every document."""

from hypothesis import given, strategies as st

from research_eval.tool.fetch.decode import decode
from research_eval.tool.fetch.plain import read_plain
from research_eval.tool.fetch.reader import read_here
from research_eval.tool.fetch.robots import parse_robots
from research_eval.tool.fetch.sanitise import sanitise
from research_eval.tool.fetch.settings import FetchSettings
from research_eval.tool.fetch.slice import boundary_after, boundary_at
from research_eval.tool.fetch.ssrf_guard import SsrfGuardError, check_url
from research_eval.tool.fetch.unpack import Unpacker

CLUSTERS = [
    "a",
    " ",
    "é",
    "e\u0301",
    "👩\u200d🚀",
    "🇳🇴",
    "👍🏽",
    "각",
    "\u1100\u1161\u11a8",
    "क्षि",
    "\r\n",
    "字",
    "🏴\U000e0067\U000e0062\U000e007f",
]
VISIBLE = st.text(alphabet=st.characters(exclude_categories=["C"]), max_size=20)
TAGS = [
    "<div>",
    "</div>",
    "<p>",
    "<b>",
    "</b>",
    "<table><tr><td>",
    "</table>",
    "<a href='/x'>",
    "</a>",
    "<pre>",
    "</pre>",
    "<ul><li>",
    "</ul>",
    "words ",
    "é",
    "<h2>",
    "</h2>",
    "<br>",
    "<code>",
    "</code>",
    "<style>",
    "<!--",
    "-->",
]


@given(st.lists(st.sampled_from(CLUSTERS), max_size=60), st.integers(1, 20))
def test_slices_add_up_and_split_no_cluster(clusters, length):
    text = "".join(clusters)
    edges = {0}
    for cluster in clusters:
        edges.add(max(edges) + len(cluster))
    place, parts = 0, []
    while place < len(text):
        end = boundary_at(text, place + length)
        if end <= place:
            end = boundary_after(text, place + length)
        parts.append(text[place:end])
        assert end in edges
        place = end

    assert "".join(parts) == text


@given(st.text(), st.integers(-5, 300))
def test_a_boundary_lies_inside_the_text_and_never_behind_the_index(text, index):
    assert 0 <= boundary_at(text, index) <= max(0, min(index, len(text)))


@given(
    st.binary(max_size=400),
    st.sampled_from(
        [
            "",
            "text/html",
            "text/html; charset=euc-jp",
            "text/plain; charset=big5",
            "x; charset=utf-16le",
        ]
    ),
)
def test_any_bytes_become_text_that_can_be_written_down(body, content_type):
    decoded = decode(body, content_type=content_type, is_html=True)

    decoded.text.encode("utf-8")


@given(st.lists(st.sampled_from(TAGS), max_size=40))
def test_any_markup_is_read_and_read_the_same_again(pieces):
    body = "".join(pieces).encode()
    first = read_here(body, url="https://a.example/", content_type="text/html", headers={})

    assert first == read_here(body, url="https://a.example/", content_type="text/html", headers={})
    assert first.citable == (first.evidence == "ok")


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=40))
def test_a_url_that_passes_the_guard_passes_it_again(tail):
    try:
        url = check_url(f"https://a.example/{tail}", FetchSettings())
    except SsrfGuardError:
        return

    assert check_url(str(url), FetchSettings()) == url
    assert url.host == "a.example"


@given(st.lists(st.sampled_from(["<div>", "</div>", "<b>", "<p>", "x"]), max_size=60))
def test_an_ordinary_document_is_left_as_it_is(pieces):
    html = "".join(pieces)

    assert sanitise(html) == html


@given(st.binary(max_size=2000), st.integers(1, 500), st.integers(1, 3000))
def test_unpacking_in_pieces_gives_the_beginning_of_the_body(body, size, limit):
    import gzip

    packed = gzip.compress(body)
    unpacker = Unpacker("gzip", limit)
    for place in range(0, len(packed), size):
        unpacker.feed(packed[place : place + size])

    assert bytes(unpacker.body) == body[:limit]
    assert unpacker.is_full == (len(body) > limit)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | VISIBLE,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(VISIBLE, inner, max_size=4),
    )
)
def test_json_on_one_line_keeps_its_values(value):
    import json

    text = json.dumps(value) + " " * 400
    shown, _ = read_plain(text, "json")

    assert json.loads(shown) == json.loads(
        read_plain(json.dumps(value, indent=1, ensure_ascii=False), "json")[0]
    )


@given(st.binary(max_size=300), st.text(max_size=40))
def test_any_robots_txt_gives_an_answer(body, path):
    assert parse_robots(body, "research-eval").allows("/" + path) in {True, False}
