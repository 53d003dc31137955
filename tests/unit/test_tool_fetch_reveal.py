"""What a reader sees although the markup has it elsewhere is read; what is out of sight is not."""

import json
import random

import pytest
from hypothesis import given, strategies as st

from research_eval.tool.fetch import extract
from research_eval.tool.fetch.boilerplate import words_of
from research_eval.tool.fetch.dom import Element
from research_eval.tool.fetch.html import read_html
from tests.cost import costs_less_than

LONG = "The tide mill of Skerravoe ground barley for the whole parish until the war. " * 5
OTHER = "Its wheel turned only while the ebb ran out through the narrow sluice below. " * 5


def read(html: str, content_type: str = "text/html"):
    return extract(html.encode(), url="https://a.example/page", content_type=content_type)


def content(html: str, content_type: str = "text/html") -> str:
    return read(html, content_type).content


def boundary(number: str, inside: str = "<p>Loading…</p>", prefix: str = "") -> str:
    return f'<!--$?--><template id="{prefix}B:{number}"></template>{inside}<!--/$-->'


def piece(number: str, inside: str, prefix: str = "") -> str:
    return f'<div hidden id="{prefix}S:{number}">{inside}</div>'


@pytest.mark.parametrize("prefix", ["", "app-"])
def test_a_streamed_piece_stands_where_its_boundary_is(prefix):
    text = content(
        f"<body><div><h1>Mill</h1>{boundary('0', prefix=prefix)}<p>After: {OTHER}</p></div>"
        + piece("0", f"<section><p>{LONG}</p></section>", prefix)
    )

    assert "Loading" not in text
    assert text.index("Skerravoe") < text.index("After:")


def test_pieces_in_pieces_are_read_and_each_once():
    text = content(
        f"<body><div>{boundary('0')}</div>"
        + piece("0", f"<p>{LONG}</p>{boundary('1')}<template id='P:2'></template>")
        + piece("1", f"<p>Inner. {OTHER}</p>{boundary('0', 'again')}")
        + piece("2", "<p>A segment without a fallback of its own, placed by its mark.</p>")
    )

    assert text.count("Inner.") == 1
    assert "A segment without" in text
    assert "Loading" not in text


def test_a_boundary_whose_piece_never_came_keeps_what_it_shows():
    assert "Loading the list" in content(
        f"<body><p>{LONG}</p>{boundary('7', '<p>Loading the list</p>')}"
    )


def test_nested_boundaries_end_at_their_own_comment():
    inside = f"<p>one</p>{boundary('5', '<p>two</p>')}<p>three</p>"
    text = content(
        f"<body><div>{boundary('0', inside)}<p>{OTHER}</p></div>" + piece("0", f"<p>{LONG}</p>")
    )

    assert not {"one", "two", "three"} & set(text.split())
    assert "ebb ran out" in text


def test_a_hidden_element_that_no_boundary_asks_for_stays_hidden():
    text = content(f"<body><p>{LONG}</p>{piece('0', f'<p>{OTHER}</p>')}")

    assert "ebb ran out" not in text


def test_other_extractors_are_given_the_pieces_too():
    pytest.importorskip("trafilatura")
    html = f"<body><div>{boundary('0')}</div>" + piece("0", f"<main><p>{LONG}</p></main>")
    page = extract(
        html.encode(), url="https://a.example/", content_type="text/html", extractor="trafilatura"
    )

    assert "Skerravoe" in page.content
    assert "Loading" not in page.content


def pushed(*parts: str) -> str:
    calls = "".join(f"<script>self.__next_f.push({json.dumps([1, p])})</script>" for p in parts)
    return f"<title>Mill</title><body><div id='__next'></div><script>x()</script>{calls}"


def test_text_that_only_the_payload_of_next_js_holds_is_read():
    body = ["$", "p", None, {"children": "$5"}]
    link = ["$", "a", None, {"href": "/map", "children": ["See the ", "map"]}]
    lazy = ["$", "$L7", None, {"children": [["$", "h2", None, {"children": "Wheel"}], link]}]
    main = ["$", "main", None, {"className": "m", "children": [body, lazy, "$$5 a day"]}]
    row = json.dumps({"b": "build-id", "f": [[["", {}], main]]})
    stream = f"5:T{len(LONG.encode()):x},{LONG}0:{row}\n7:I[1,[],'x']\n"
    page = read(pushed(stream[:200], stream[200:]))

    assert page.flags == ()
    assert page.content.startswith("The tide mill of Skerravoe")
    assert "## Wheel" in page.content
    assert "[See the map](https://a.example/map)" in page.content
    assert "$5 a day" in page.content
    assert "build-id" not in page.content


def test_hidden_elements_of_the_payload_stay_hidden():
    main = ["$", "main", None, {"children": [["$", "p", None, {"children": LONG}]]}]
    trap = ["$", "p", None, {"hidden": True, "children": OTHER}]
    row = json.dumps([main, trap])

    assert "ebb ran out" not in content(pushed(f"0:{row}\n"))


def test_a_page_with_a_text_is_not_read_from_its_payload():
    row = json.dumps(["$", "p", None, {"children": OTHER}])
    text = content(f"<main><p>{LONG}</p></main>" + pushed(f"0:{row}\n"))

    assert "ebb ran out" not in text


@given(st.recursive(st.none() | st.text() | st.integers(), lambda x: st.lists(x, max_size=5)))
def test_no_payload_breaks_a_page(value):
    read(pushed("0:" + json.dumps(["$", "div", None, {"children": value}]) + "\n", "1:$"))
    read(pushed(json.dumps(value)))


def test_a_declarative_shadow_tree_is_read_with_its_slots():
    text = content(
        "<body><mill-card><template shadowrootmode='open'><style>p{}</style>"
        f"<h2><slot name='t'>No title</slot></h2><p>{LONG}</p><slot></slot></template>"
        f"<span slot='t'>Skerravoe Mill</span><p>{OTHER}</p><p slot='unknown'>Nowhere shown</p>"
        "</mill-card>"
    )

    assert text.startswith("## Skerravoe Mill")
    assert text.index("ground barley") < text.index("ebb ran out")
    assert "No title" not in text
    assert "Nowhere shown" not in text


def test_a_plain_template_is_still_out_of_sight():
    assert "ebb" not in content(f"<body><p>{LONG}</p><template><p>{OTHER}</p></template>")


def test_shadow_trees_in_shadow_trees_are_read():
    inner = f"<in-ner><template shadowrootmode=open><p>{OTHER}</p></template></in-ner>"
    outer = f"<out-er><template shadowrootmode=open><p>{LONG}</p>{inner}</template></out-er>"

    assert "ebb ran out" in content(f"<body>{outer}")


XHTML = 'xmlns="http://www.w3.org/1999/xhtml"'


@pytest.mark.parametrize(
    "name", ["script", "title", "style", "textarea", "iframe", "noscript", "p"]
)
@pytest.mark.parametrize("content_type", ["application/xhtml+xml", "application/xml"])
def test_a_self_closed_element_of_xhtml_swallows_nothing(name, content_type):
    where = f"<{name} class='a>b' />"
    html = f"<?xml version='1.0'?><html {XHTML}><head/><body>{where}<p>{LONG}</p></body></html>"

    assert "ground barley" in content(html, content_type)


def test_prefixes_and_cdata_of_xhtml_are_read_as_xml_means_them():
    html = (
        '<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:title>Mill</h:title></h:head>'
        f"<h:body><h:p>{LONG}</h:p><h:p>one<h:br></h:br>two <![CDATA[a<b & c]]></h:p></h:body></h:html>"
    )
    page = read(html, "application/xhtml+xml")

    assert page.title == "Mill"
    assert "war.\n\none" in page.content
    assert "a<b & c" in page.content


def test_the_same_bytes_as_html_are_read_as_browsers_read_html():
    html = f"<!doctype html><html {XHTML}><body><script src='a.js'/><p>{LONG}</p></body></html>"

    assert "ground barley" not in content(html)


PANEL = f"<div id='p' role='tabpanel' HIDING><p>{OTHER}</p></div>"


@pytest.mark.parametrize("hiding", ["hidden", "aria-hidden='true'", "style='display:none'"])
def test_a_panel_that_a_tab_opens_is_read(hiding):
    tab = "<div role='tablist'><button role='tab' aria-controls='p'>Wheel</button></div>"

    assert "ebb ran out" in content(
        f"<body><main><p>{LONG}</p>{tab}{PANEL.replace('HIDING', hiding)}"
    )


def test_an_answer_under_a_heading_that_opens_it_is_read_with_its_question():
    text = content(
        f"<body><main><p>{LONG}</p><h3><button aria-expanded='false' aria-controls='p'>How did the "
        f"wheel turn?</button></h3><div id='p' hidden><p>{OTHER}</p></div></main>"
    )

    assert "### How did the wheel turn?\n\nIts wheel turned" in text


@pytest.mark.parametrize(
    "opener",
    [
        "",
        "<button role='tab' aria-controls='another'>Wheel</button>",
        "<div hidden><button role='tab' aria-controls='p'>Wheel</button></div>",
        "<button aria-expanded='false' aria-controls='p'>Menu</button>",
    ],
)
def test_a_panel_that_nothing_in_sight_opens_stays_hidden(opener):
    html = f"<body><main><p>{LONG}</p>{opener}{PANEL.replace('HIDING', 'hidden')}</main>"

    assert "ebb ran out" not in content(html)


def test_cells_that_are_made_of_other_elements_stay_apart():
    rows = "".join(
        f"<div role=row><span role=cell>{a}</span><span role=cell>{b}</span></div>"
        for a, b in [("Year", "Bushels"), (1866, 1204)]
    )

    assert "| 1866 | 1204 |" in content(f"<body><p>{LONG}</p><div role=table>{rows}</div>")
    assert "18661204" not in content(f"<body><p>{LONG}</p><div>{rows}</div>")


def words(name: str) -> set[str]:
    return set(words_of(Element("div", {"class": name}, None)))


def test_words_of_names_are_those_that_a_person_wrote():
    assert words("site-footer relatedPosts sidebar2 ad") >= {"footer", "related", "sidebar", "ad"}
    for name in (
        "elementor-element-ad3e790",
        "Card_root__adK3q",
        "sc-adBanner",
        "css-1ad2nav",
        "cf-ad3nav9",
        "swiper-pagination-position-inside",
    ):
        assert not words(name) & {"ad", "nav", "pagination", "banner"}, name


@pytest.mark.parametrize("seed", range(40))
def test_no_hash_in_a_class_name_costs_a_paragraph(seed):
    rng = random.Random(seed)
    digits = "".join(rng.choice("0123456789abcdef") for _ in range(6))
    name = rng.choice(["elementor-element-ad{0}", "Box_ad{0}", "css-{0}ad", "w-node-_{0}-ad{0}"])
    html = f"<body><main><p>{LONG}</p><div class='{name.format(digits + '7')}'><p>{OTHER}</p></div>"

    assert "ebb ran out" in content(html)


def test_both_posts_of_a_forum_are_read():
    posts = "".join(
        f"<div class='post'><span>{who}</span><div class='post-body'><p>{text}</p></div></div>"
        for who, text in (("ann", OTHER), ("bob", LONG * 3))
    )
    text = content(f"<body><div class='thread'>{posts}</div>")

    assert "ebb ran out" in text
    assert "ground barley" in text


def test_a_large_page_that_gave_little_says_so():
    page = read(f"<body><script>{'x' * 100_000}</script><p>{LONG}</p>")

    assert page.flags == ("low_yield",)
    assert page.evidence == "ok"
    assert read(f"<body><p>{LONG}</p>").flags == ()


@pytest.mark.parametrize(
    "unit",
    [
        "<!--$?--><template id=B:0></template>",
        "<template shadowrootmode=open>",
        "<a role=tab aria-controls=p>",
        "<div hidden id=S:1>",
        "<div class=ad{0}nav-x>",
    ],
)
def test_the_cost_of_hidden_parts_grows_with_their_number_alone(unit):
    def work(size: int) -> None:
        read_html("<body>" + "".join(unit.format(n) for n in range(size)), url="https://a.example/")

    assert costs_less_than(10, lambda: work(4000), lambda: work(1000))
