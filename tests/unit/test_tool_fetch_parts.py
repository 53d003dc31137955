"""Small parts of fetching: robots.txt, conditional requests, style sheets, feeds, sniffing, tables."""

import gzip
import zlib

import httpx
import pytest

from research_eval.tool.fetch.conditional import ConditionalTransport, PageCache
from research_eval.tool.fetch.dom import parse
from research_eval.tool.fetch.feed import read_feed
from research_eval.tool.fetch.link import LinkResolver
from research_eval.tool.fetch.markdown import to_markdown
from research_eval.tool.fetch.phrases import phrase_pattern
from research_eval.tool.fetch.reader import read_here
from research_eval.tool.fetch.robots import parse_robots
from research_eval.tool.fetch.sanitise import sanitise
from research_eval.tool.fetch.sniff import kind_of
from research_eval.tool.fetch.unpack import Unpacker, UnpackError
from tests.cost import costs_less_than


def markdown(html: str) -> str:
    return to_markdown(parse(html).root, LinkResolver("https://a.example/dir/page"))


@pytest.mark.parametrize(
    ("rules", "path", "is_open"),
    [
        ("User-agent: *\nDisallow: /", "/x", False),
        ("User-agent: *\nDisallow:", "/x", True),
        ("User-agent: other\nDisallow: /", "/x", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: Research-Eval\nAllow: /", "/x", True),
        ("User-agent: a\nUser-agent: research-eval/1.0\nDisallow: /p", "/page", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nAllow: /p\nDisallow: /p", "/p", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf?x", True),
        ("User-agent: *\nDisallow: /~joe", "/%7Ejoe/x", False),
        ("User-agent: *\nDisallow: /a%2Fb", "/a/b", True),
        ("User-agent: *\nDisallow: /ä", "/%C3%A4", False),
        ("# nothing\n\nDisallow: /", "/x", True),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("\ufeffUser-agent: *\r\nDisallow: /x # why\r\n", "/x", False),
        ("", "/", True),
        ("User-agent: *\nDisallow: /a*b*c", "/a1b2c3", False),
        ("User-agent: *\nDisallow: /x$", "/xy", True),
        ("User-agent: *\nDisallow: /x$", "/x", False),
    ],
)
def test_robots_txt_is_read_by_the_standard(rules, path, is_open):
    assert parse_robots(rules.encode(), "research-eval").allows(path) is is_open


@pytest.mark.anyio
async def test_a_page_that_has_not_changed_is_not_sent_twice():
    seen = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers.get("if-none-match"))
        if seen[-1] == '"7"':
            return httpx.Response(304)
        return httpx.Response(
            200,
            headers={"etag": '"7"', "content-type": "text/html"},
            stream=httpx.ByteStream(b"<p>whole"),
        )

    transport = ConditionalTransport(httpx.MockTransport(answer), PageCache())
    async with httpx.AsyncClient(transport=transport) as http:
        bodies = [(await http.get("https://a.example/")).content for _ in range(2)]

    assert bodies == [b"<p>whole", b"<p>whole"]
    assert seen == [None, '"7"']


@pytest.mark.anyio
@pytest.mark.parametrize("headers", [{}, {"etag": '"1"', "cache-control": "no-store"}])
async def test_an_answer_that_cannot_be_confirmed_is_not_kept(headers):
    seen = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append("if-none-match" in request.headers)
        return httpx.Response(200, headers=headers, stream=httpx.ByteStream(b"x"))

    async with httpx.AsyncClient(
        transport=ConditionalTransport(httpx.MockTransport(answer), PageCache(max_bytes=0))
    ) as http:
        await http.get("https://a.example/")
        await http.get("https://a.example/")

    assert seen == [False, False]


@pytest.mark.parametrize(
    ("style", "marks", "is_hidden"),
    [
        (".a{display:none}", "class=a", True),
        (".a{display:none}.a{display:block}", "class=a", False),
        (".a.b{display:none}", "class=a", False),
        (".a.b{display:none}", "class='b a'", True),
        ("#i{visibility:hidden}", "id=i", True),
        ("p.a{display:none}", "class=a", True),
        ("div.a{display:none}", "class=a", False),
        ("@media print{.a{display:none}}", "class=a", False),
        ("@import 'x';.a{display:none}", "class=a", True),
        (".x .a{display:none}", "class=a", False),
        ("/* .a{} */.b,.a{left:-9999px}", "class=a", True),
        (".a{opacity:0}", "class=a", False),
        (".a{display:none}.a.open{display:block}", "class='a open'", False),
        (".a{display:none", "class=a", False),
    ],
)
def test_a_page_s_own_rules_hide_what_they_hide_in_a_browser(style, marks, is_hidden):
    text = markdown(f"<style>{style}</style><p {marks}>words</p>")

    assert (text == "") is is_hidden


@pytest.mark.parametrize(
    "marks",
    [
        "style='display:block'",
        "class='hidden md:block'",
        "class='d-none d-md-block'",
        "hidden='until-found'",
        "style='opacity:0;transform:translateY(50px)'",
        "style='opacity:0.5'",
        "style='font-size:10px'",
        "style='height:0'",
        "style='color:#fff;background:#000'",
        "style='left:-10px'",
        "style='margin-left:-15px'",
        "aria-hidden=false",
    ],
)
def test_what_can_be_seen_is_kept(marks):
    assert markdown(f"<p {marks}>words</p>") == "words"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("a <b>bold</b>  <i>word</i>", "a bold word"),
        ("<p>a<br>b<br><br>c", "a\nb\n\nc"),
        ("<h2>a <a href=/x>b</a></h2>", "## a [b](https://a.example/x)"),
        ("<a href=x><img alt=pic src=p.png></a>", "[pic](https://a.example/dir/x)"),
        ("<a href=x></a>y", "y"),
        ("<a href=/a>x <p>y</p> z</a>", "[x](https://a.example/a)\n\ny\n\nz"),
        ("<code>a`b</code>", "``a`b``"),
        ("<code></code>x", "x"),
        ("<pre>a\n  b</pre>", "```\na\n  b\n```"),
        ("<q>x</q> <del>y</del>", "“x” ~~y~~"),
        ("<a href='/a)b'>x</a>", "[x](<https://a.example/a)b>)"),
        ("<a href=/a>x [1</a>", "[x \\[1](https://a.example/a)"),
        ("<ol><li value=7>a<li>b</ol>", "7. a\n8. b"),
        ("<li>alone", "- alone"),
        ("<ul><li><p>a</p><p>b</p></li></ul>", "- a\n\n  b"),
        ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n- b"),
        ("<table><tr><td>only</td></tr></table>", "only"),
        ("<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>", "a b\n\nc d"),
        ("<img alt=x>", "![x]"),
        ("<code><a href=/x>f</a></code>", "`f`"),
        ("<sup>th</sup>", "th"),
        ("x<sup>-2</sup>", "x⁻²"),
        ("<pre></pre>x", "x"),
        ("<dl><dt>a<dd>b</dl>", "a\n: b"),
    ],
)
def test_markdown_of_small_pieces(html, expected):
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("body", "content_type", "url", "kind"),
    [
        (b"<?xml version='1.0'?><!-- x --><html>", "", "", "html"),
        (b"<rss version='2.0'>", "text/xml", "", "feed"),
        (b"<svg xmlns='x'>", "image/svg+xml", "", "xml"),
        (b'{"a":1}', "", "", "json"),
        (b"a,b", "", "https://a.example/x.csv?y", "csv"),
        (b"# a", "text/plain", "https://a.example/readme.md", "markdown"),
        (b"words", "", "", "text"),
        (b"<p>x", "text/plain", "", "text"),
        (b"<root>", "application/octet-stream", "", "text"),
        ("words".encode("utf-16"), "text/plain", "", "text"),
        (b"\x00\x01\x02\x03" * 30, "text/html", "", "text/html"),
        (b"ID3\x03", "text/html", "", "MP3 audio"),
        (b"PK\x03\x04xl/workbook", "", "", "Microsoft Excel workbook"),
        (b"words", "image/png", "", "image/png"),
        (b"x%PDF-1.7", "text/html", "", "pdf"),
        (b"<html>%PDF-", "text/html", "", "html"),
        (b"<!--" * 900, "text/html", "", "html"),
        (b"<!---->" * 500, "", "", "text"),
        (b"", "", "", "text"),
    ],
)
def test_a_document_is_told_by_its_first_bytes(body, content_type, url, kind):
    assert kind_of(body, content_type=content_type, url=url)[0] == kind


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(b"abc", mtime=0)),
        ("deflate", zlib.compress(b"abc")),
        ("deflate", zlib.compress(b"abc")[2:-4]),
        ("", b"abc"),
        ("identity", b"abc"),
        ("X-GZip", gzip.compress(b"a", mtime=0) + gzip.compress(b"bc", mtime=0)),
        ("gzip", gzip.compress(b"abc", mtime=0) + b"junk"),
    ],
)
def test_what_was_asked_for_is_unpacked(coding, body):
    for step in (1, 4, 1000):
        unpacker = Unpacker(coding, 100)
        for place in range(0, len(body), step):
            unpacker.feed(body[place : place + step])

        assert bytes(unpacker.body) == b"abc"


@pytest.mark.parametrize("coding", ["br", "gzip, gzip", "compress", "zstd", "deflate, gzip"])
def test_other_codings_are_refused(coding):
    with pytest.raises(UnpackError, match="not asked for"):
        Unpacker(coding, 100).check()


def test_a_deep_document_is_flattened_and_keeps_its_text():
    html = "<div>" * 5000 + "bottom" + "</div>" * 5000 + "<p>after</p>"

    assert sanitise(html).count("<div>") == 512
    assert (
        read_here(
            html.encode(), url="https://a.example/", content_type="text/html", headers={}
        ).content
        == "bottom\n\nafter"
    )


def test_absurd_attributes_and_options_are_left_out():
    assert sanitise("<p " + "a=1 " * 2000 + ">x") == "<p>x"
    assert sanitise("<select>" + "<option>x" * 3000 + "</select>").count("<option>") == 1000


def test_a_feed_that_is_cut_gives_what_came_before():
    feed = read_feed(
        "<rss><channel><title>t</title><item><title>a</title><link>/1</link></item><item><title>b",
        url="https://a.example/feed",
    )

    assert feed is not None
    assert feed.content == "# t\n\n## [a](https://a.example/1)\n\n## …"


def test_a_document_that_is_no_feed_is_none():
    assert read_feed("<rss><channel>", url="https://a.example/") is None


def test_every_section_of_phrases_compiles():
    for section in (
        "bot_wall",
        "bot_markers",
        "captcha_widgets",
        "consent",
        "consent_title",
        "login",
        "login_title",
        "needs_script",
        "paywall",
        "soft_404",
        "soft_404_sure",
    ):
        assert not phrase_pattern(section).search("The ropewalk opens in May.")


def test_a_formula_takes_no_tex_from_a_formula_inside_it():
    note = '<annotation encoding="application/x-tex">x^2</annotation>'

    assert markdown(f"<p><math><mi>x</mi>{note}</math></p>").strip() == "$x^2$"
    assert "$x^2$" in markdown(f"<math><mtext>so <b>bold</b></mtext><math>{note}</math></math>")
    assert "bold" in markdown(f"<math><mtext>so <b>bold</b></mtext><math>{note}</math></math>")


def test_formulas_in_formulas_do_not_multiply_the_cost():
    """Each of them once searched all that lies in it for its TeX."""

    def read(nested):
        page = parse("<table><tr><td><math>" * nested + "<td><b>x</b>" * 4_000).root
        return lambda: to_markdown(page, LinkResolver("https://a.example/"))

    assert costs_less_than(12, read(120), read(1))
