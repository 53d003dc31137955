"""What stands in or behind an article and is no part of it, and what only looks so."""

import pytest

from research_eval.tool.fetch import extract
from research_eval.tool.fetch.html import read_html
from tests.cost import costs_less_than

PROSE = [
    f"In {year} the warden of the lock wrote down how high the water stood, and why nobody had believed "
    f"the gauge below the bridge before; {year} was the wettest summer that the town remembered."
    for year in range(1901, 1909)
]
TEXT = "".join(f"<p>{text}</p>" for text in PROSE)
ODD = "A ferry that nobody ordered came up the river on a Sunday and left the same evening, empty, with its lamps lit."
TITLES = "".join(
    f"<div><h4><a href='/o{n}'>Another story about ropes, part {n}</a></h4><p>{ODD}</p></div>"
    for n in range(3)
)
SAID = "".join(
    f"<div><b>Agnes{n}</b><p>I saw it myself and it was nothing like that, believe me, I was there in "
    f"the boat with my uncle. {ODD}</p><a href='#'>Reply</a></div>"
    for n in range(12)
)


def content(inner, *, around="<article>{}</article>"):
    body = around.format(f"<h1>The lock</h1>{inner}")
    page = f"<html><head><title>The lock</title></head><body>{body}</body></html>"
    return extract(page.encode(), url="https://a.example/", content_type="text/html").content


NAMED = '<div class="wrap"><div class="entry-content">{}</div></div>'


@pytest.mark.parametrize(
    "annex",
    [
        f"<section><h2>More stories</h2>{TITLES}</section>",
        f"<h2>Read next</h2>{TITLES}",
        f"<div><div class='x'><h3>Related to this story</h3></div>{TITLES}</div>",
        f"<div class='jp-relatedposts'><p>{ODD}</p></div>",
        f"<aside data-component='rich-link'><h3>{ODD}</h3><a href='/o'>Open</a></aside>",
        f"<section><h3>Lesen Sie auch</h3>{TITLES}</section>",
        f"<section><h3>関連記事</h3>{TITLES}</section>",
        f"<div class='author-bio'><p>{ODD}</p></div>",
        f"<div data-testid='AuthorBio'><p>{ODD}</p></div>",
        f"<div class='x'><h4>About the author</h4><p>{ODD}</p></div>",
        f"<div class='x'><h4>Sobre la firma</h4><p>{ODD}</p></div>",
        f"<div class='x'><h3>Sign up to Morning Tide</h3><p>{ODD}</p><form><input></form></div>",
        f"<p><a href='/o'>Read: {ODD}</a></p>",
        f"<p>Sign up for the letter <a href='/n'>here</a>. {ODD}</p>",
        f"<div id='comments'>{SAID}</div>",
        f"<ol class='comment-list'>{SAID}</ol>",
        f"<div class='x'><h3>12 responses to “The lock”</h3>{SAID}</div>",
        f"<div class='x'><h3>Comments</h3>{SAID}</div>",
        f"<div class='gallery'>{f'<figure><img src=a><figcaption>{ODD}</figcaption></figure>' * 3}</div>",
    ],
)
@pytest.mark.parametrize("around", ["<article>{}</article>", "<main>{}</main>", NAMED])
def test_what_belongs_to_the_site_is_left_out(annex, around):
    found = content(f"{TEXT}{annex}", around=around)

    assert all(text in found for text in PROSE)
    assert ODD not in found
    assert "nothing like that" not in found


@pytest.mark.parametrize(
    "after",
    [
        f"<div class='more'><h2>{{}}</h2>{TITLES}</div>",
        f"<div class='x7'><p>{ODD} Good work costs money, and no company pays for this.</p><p><a href='/d'>Support us</a></p></div>",
        f"<div class='tagline'><p>{ODD}</p></div>",
    ],
)
def test_behind_a_declared_end_weak_signs_are_enough(after):
    inside = f"<div class='x'>{after}</div>{TEXT}"

    assert ODD not in content(f"<div itemprop='articleBody'>{TEXT}</div>{after}")
    assert ODD in content(f"<div itemprop='articleBody'>{inside}</div>")


@pytest.mark.parametrize(
    "part",
    [
        f"<h2>Related work</h2><p>{ODD} See <a href='#1'>[1]</a> and <a href='#2'>[2]</a>.</p>",
        f"<h2>Comments</h2><p>{ODD} A comment begins with a hash sign.</p>",
        f"<h2>See also</h2><ul><li><a href='/w'>{ODD}</a></li></ul>",
        f"<h2>Popular culture</h2><p>{ODD}</p>",
        f"<h2>More on locks</h2><p>{ODD}</p>",
        f"<h2>Subscribe to a topic</h2><p>{ODD * 8}</p>",
        f"<p>Related: the mill. {ODD}</p>",
        f"<p>{ODD} You may sign up for a visit <a href='/n'>here</a>.</p>",
        f"<blockquote class='pullquote'><p>{ODD}</p></blockquote>",
        f"<figure><img src=a><figcaption>{ODD}</figcaption></figure>",
        f"<section class='footnotes'><ol><li>{ODD}</li></ol></section>",
        f"<section><h2>Sources</h2><ul><li><a href='/s'>{ODD}</a></li></ul></section>",
    ],
)
@pytest.mark.parametrize("around", ["<article>{}</article>", "<main>{}</main>", NAMED])
def test_what_only_looks_like_furniture_stays(part, around):
    assert ODD in content(f"{TEXT}{part}{TEXT}", around=around)
    assert ODD in content(f"{TEXT}{part}", around=around)


@pytest.mark.parametrize(
    "thread",
    [
        f"<p>Ask: who was it?</p><div class='comment-tree'><div class='comments'>{SAID}</div></div>",
        f"<div id='comments'>{SAID}</div>",
    ],
)
def test_where_comments_are_the_page_they_are_read(thread):
    assert "nothing like that" in content(thread, around="<div>{}</div>")


def test_what_is_said_twice_is_read_once():
    figure = f"<figure><img src=a alt=''><figcaption>{ODD}</figcaption></figure>"
    sentence = PROSE[2].split(";")[0]

    assert content(f"{TEXT}{figure}{figure}").count(ODD) == 1
    assert (
        content(f"{TEXT}<aside class='pullquote'><p>“{sentence}”</p></aside>").count(sentence) == 1
    )


def test_a_gallery_that_is_the_page_is_read():
    picture = "<figure><img src=a><figcaption>{} {}</figcaption></figure>"
    pictures = "".join(picture.format(n, ODD) for n in range(30))

    assert content(f"<p>{ODD}</p><div class='gallery'>{pictures}</div>").count(ODD) == 31


@pytest.mark.parametrize(
    "label",
    ["Advertisement", "SKIP ADVERTISEMENT", "Story continues below advertisement", "Anzeige"],
)
def test_lines_of_advertising_are_left_out(label):
    found = content(f"{TEXT}<div><p>{label}</p></div>{TEXT}<p>Advertisement pays for the lock.</p>")

    assert label not in found.replace("Advertisement pays", "")
    assert "Advertisement pays for the lock." in found


def test_a_list_of_things_to_tick_is_left_out_and_a_short_one_stays():
    ticks = [f"<li><label><input type=checkbox> Land{n}</label></li>" for n in range(30)]

    assert "Land7" not in content(f"{TEXT}<div><ul>{''.join(ticks)}</ul></div>")
    assert "Land7" in content(f"{TEXT}<div><ul>{''.join(ticks[5:9])}</ul></div>")


def test_a_date_that_a_script_would_write_is_read():
    assert "on 2024-05-01." in content(
        f"<p>Opened on <time datetime='2024-05-01'></time>.</p>{TEXT}"
    )
    assert "2024" not in content(f"<p>Opened <time datetime='2024-05-01'>in May</time>.</p>{TEXT}")


@pytest.mark.parametrize(
    ("script", "is_evidence"),
    [
        ("location.href='https://a.example/b'", False),
        ("window.location = '/b'", False),
        ("top.location.replace('/b')", False),
        ("if (x) { location.assign('/b') }", False),
        ("if (location.protocol == 'http:') location.href = 'https:' + rest", True),
        ("var location_name = '/b'", True),
    ],
)
def test_a_page_that_only_sends_its_visitor_on_is_no_evidence(script, is_evidence):
    page = f"<title>t</title><script>{script}</script><p>Redirecting…</p>"
    found = extract(page.encode(), url="https://a.example/", content_type="text/html")
    whole = extract((page + TEXT).encode(), url="https://a.example/", content_type="text/html")

    assert found.citable == is_evidence
    assert whole.citable


@pytest.mark.parametrize(
    "unit",
    [
        "<h2>Related</h2>",
        "<div><h3>Read next</h3></div>",
        "<div class=comment-list><p>hello</p></div>",
        "<p><a href=/x>Read more: x</a></p>",
        "<div><h2>Comments</h2>",
        "<figcaption>a",
    ],
)
def test_the_cost_of_annexes_grows_with_their_number_alone(unit):
    def work(size: int) -> None:
        read_html(f"<article>{TEXT}{unit * size}</article>", url="https://a.example/")

    assert costs_less_than(10, lambda: work(4000), lambda: work(1000))
