"""Laws of the world: any request has a reply, any spelling one key, any source a page."""

import pypdfium2
from hypothesis import given, strategies as st

from research_eval.world import load_world
from research_eval.world.address import address, ascii_url, split_url
from research_eval.world.markup import to_html, to_text
from research_eval.world.pdf import write_pdf
from research_eval.world.reply import Request

WORLD = load_world()
URLS = [ascii_url(page.url) for page in WORLD.library.pages]
texts = st.text(st.characters(codec="utf-8"), max_size=80)
hosts = texts | st.sampled_from(
    [*WORLD.library.hosts, "127.0.0.1", "google.serper.dev", "api.search.brave.com"]
)
targets = texts.map("/".__add__) | st.sampled_from(
    ["/", "/search", "/res/v1/web/search?q=a", "/_world/https/a/"]
)


@given(
    st.builds(
        Request,
        method=st.sampled_from(["GET", "HEAD", "POST", "PUT"]),
        scheme=st.sampled_from(["http", "https"]),
        host=hosts,
        target=targets,
        headers=st.dictionaries(
            st.sampled_from(["x-api-key", "x-subscription-token"]), texts, max_size=2
        ),
        body=st.binary(max_size=60),
    )
)
def test_any_request_has_the_same_reply_twice(request):
    reply = WORLD.answer(request)

    assert 200 <= reply.status < 600
    assert reply == WORLD.answer(request)


@given(st.sampled_from(URLS), st.data())
def test_a_page_is_found_under_any_order_of_its_query_and_any_encoding(url, data):
    scheme, host, target = split_url(url)
    path, mark, query = target.partition("?")
    letters = [
        f"%{ord(c):02x}"
        if c.isalpha() and data.draw(st.booleans()) and path[max(0, n - 2) : n].count("%") == 0
        else c
        for n, c in enumerate(path)
    ]
    pairs = data.draw(st.permutations(query.split("&")))
    respelt = f"{scheme}://{host.upper()}:443{''.join(letters)}{mark}{'&'.join(pairs)}#part"

    assert WORLD.page(respelt) is WORLD.page(url)


@given(texts.map(lambda text: text.translate(dict.fromkeys(map(ord, "#?%\\")))), texts)
def test_an_encoded_iri_keeps_its_key(path, value):
    value = value.translate(dict.fromkeys(map(ord, "#%&=")))
    url = f"https://a.example/{path}?k={value}"

    assert address(*split_url(ascii_url(url))[1:]) == address(*split_url(url)[1:])
    assert ascii_url(url).isascii()


@given(st.text(st.sampled_from("ab\n#|-`*[]()<>! .1"), max_size=120))
def test_any_source_becomes_a_page_that_closes_its_tags(source):
    html = to_html(source)

    assert isinstance(to_text(source), str)
    for tag in ("ul", "ol", "table", "blockquote", "pre"):
        assert html.count(f"<{tag}>") == html.count(f"</{tag}>") or "<" in source


@given(
    st.lists(
        st.text(st.sampled_from("ab ()\\%é€"), min_size=1, max_size=40), min_size=1, max_size=4
    )
)
def test_every_pdf_can_be_read(lines):
    document = pypdfium2.PdfDocument(write_pdf("t", "\n".join(lines)))
    text = "".join(page.get_textpage().get_text_range() for page in document)

    assert "".join(text.split()) == "".join("".join(lines).split())
