"""Laws of the gate: nothing fabricated passes, nothing honest fails, whatever the spelling."""

import string
from urllib.parse import quote

from hypothesis import assume, example, given, strategies as st

from research_eval.gate import CitationGate, SeedGate, extract_citations
from research_eval.ledger import SourceRegistry, url_key

GATE = CitationGate()
HOSTS = ("river.example.org", "a.example", "192.0.2.7", "[2001:db8::7]", "river.example.org:8080")
LETTERS = string.ascii_letters + string.digits
RAW = "éñßøłżабвгдαβγआकखगकमसरتابحג"
words = st.text(LETTERS, min_size=1, max_size=8)
segments = st.one_of(
    words,
    st.builds("{}-{}".format, words, words),
    st.builds("{}_{}".format, words, words),
    st.builds("{}_({})".format, words, words),
    st.builds("{},{}".format, words, words),
    st.builds("{}'{}".format, words, words),
    st.builds("{}.html".format, words),
    st.builds("{}%20{}".format, words, words),
    st.builds("{}{}{}".format, words, st.text(RAW, min_size=1, max_size=4), words),
)
queries = st.lists(st.builds("{}={}".format, words, words), max_size=3).map("&".join)


@st.composite
def urls(draw: st.DrawFn) -> str:
    path = "/".join(draw(st.lists(segments, min_size=1, max_size=4)))
    query = draw(queries)
    scheme = draw(st.sampled_from(["https", "http"]))
    host = draw(st.sampled_from(HOSTS))
    return f"{scheme}://{host}/{path}" + (f"?{query}" if query else "")


WRAPPERS = (
    "{}",
    "See {}.",
    "({}).",
    "[text]({})",
    "[text](<{}>)",
    '[text]({} "title")',
    "![alt]({})",
    "<{}>",
    "**{}**",
    "_see {} here_",
    "~~{}~~",
    "`{}`",
    "```\n{}\n```",
    "| a |{}|",
    "- {}\n- x",
    "> {}",
    '"{}"',
    "“{}”",
    "「{}」",
    "详见{}。",
    "({}),",
    "{}[1]",
    "{}【3†source】",
    "x[^1]\n\n[^1]: {}.",
    "[a]: {}\n",
    '{{"url": "{}"}}',
    "<p>{}</p>",
    '<a href="{}">x</a>',
    "url = {{{}}},",
    "{} — so",
    "\u200e{}\u200e",
    "{}\u00a0!",
    "{}; {}",
)
wrappers = st.sampled_from(WRAPPERS)


def _wrapped(wrapper: str, url: str) -> str:
    return wrapper.format(*[url] * wrapper.count("{}"))


@given(urls(), wrappers)
def test_what_was_opened_passes_in_every_wrapping(url: str, wrapper: str) -> None:
    assert GATE.check(_wrapped(wrapper, url), SourceRegistry.from_urls([url], [])).passed


@given(urls(), wrappers)
def test_an_encoded_page_passes_when_cited_raw(url: str, wrapper: str) -> None:
    encoded = quote(url, safe="/:?=&%()',._-[]~")

    assert GATE.check(_wrapped(wrapper, url), SourceRegistry.from_urls([encoded], [])).passed


@given(urls(), wrappers, st.data())
def test_a_beginning_of_the_url_is_never_enough(
    url: str, wrapper: str, data: st.DataObject
) -> None:
    """A page whose address lacks the last characters was opened, the cited one was not."""
    host_end = url.index("/", 8)
    cut = data.draw(st.integers(host_end, len(url) - 1))
    opened = url[:cut]
    assume(url_key(opened) != url_key(url))

    assert not GATE.check(
        _wrapped(wrapper, url), SourceRegistry.from_urls([opened], [opened + "x"])
    ).passed


@given(urls(), wrappers, st.data())
def test_a_changed_letter_is_another_page(url: str, wrapper: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(8, len(url) - 1))
    assume(url[at].isalnum() and url[at].isascii() and url[at - 2 : at].find("%") < 0)
    other = url[:at] + data.draw(st.sampled_from(LETTERS)) + url[at + 1 :]
    assume(url_key(other) != url_key(url))

    assert not GATE.check(_wrapped(wrapper, other), SourceRegistry.from_urls([url], [])).passed


@given(urls(), urls(), wrappers, wrappers)
def test_one_good_citation_carries_no_other(good: str, bad: str, one: str, two: str) -> None:
    assume(url_key(good) != url_key(bad))
    text = f"{_wrapped(one, good)}\n\n{_wrapped(two, bad)}"

    verdict = GATE.check(text, SourceRegistry.from_urls([good], []))

    assert not verdict.passed
    assert all(violation.kind == "unknown_url" for violation in verdict.violations)


@given(urls(), wrappers)
def test_the_url_that_was_wrapped_is_found(url: str, wrapper: str) -> None:
    text = _wrapped(wrapper, url)

    assert {citation.url for citation in extract_citations(text)} == {url}


@given(
    st.lists(urls(), min_size=1, max_size=5),
    st.sampled_from([" ", "\n", ", ", "; ", " | ", "、", ","]),
)
def test_lists_are_taken_apart(found: list[str], separator: str) -> None:
    assume(separator != "," or not any("," in url for url in found))
    text = f"x {separator.join(found)}"

    assert [citation.url for citation in extract_citations(text)] == found


@given(urls(), wrappers)
def test_a_larger_ledger_never_blocks_what_passed(url: str, wrapper: str) -> None:
    text = _wrapped(wrapper, url)
    more = SourceRegistry.from_urls([url, "https://a.example/other", url + "x"], [url[:-1]])

    assert GATE.check(text, more).passed


MARKUP = st.text(
    st.sampled_from("https://a.b/c?d=e&#;()[]{}<>\"'`|*_~\\!., \n\u200b\u00e9日を。—%2F:@1^"),
    max_size=80,
)


@given(st.one_of(MARKUP, st.text(max_size=60)))
@example("https://a.b[1](https://")
@example("](<https://\n](https://(")
def test_any_text_has_sound_citations(text: str) -> None:
    last = 0
    for citation in extract_citations(text):
        assert last <= citation.start < citation.end <= len(text)
        assert citation.url[:4].lower() == "http"
        assert citation.form == "bare" or not citation.readings
        last = citation.end


@given(MARKUP)
def test_an_empty_ledger_lets_no_text_pass(text: str) -> None:
    assert not GATE.check(text, SourceRegistry.from_urls([], [])).passed
    assert not SeedGate().check(text, SourceRegistry.from_urls([], [])).passed


@given(MARKUP)
def test_a_text_passes_when_all_it_cites_was_opened(text: str) -> None:
    text = f"{text}https://a.example/x{text}"
    cited = [citation.url for citation in extract_citations(text)]
    assume(cited)

    assert GATE.check(text, SourceRegistry.from_urls(cited, [])).passed
