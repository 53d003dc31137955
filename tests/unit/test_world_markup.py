"""The small Markdown of page sources becomes HTML for visitors and plain text for the index."""

import pytest

from research_eval.world.markup import to_html, to_text


@pytest.mark.parametrize(
    ("source", "html", "text"),
    [
        ("# A & B", "<h1>A &amp; B</h1>", "A & B"),
        ("one\ntwo", "<p>one two</p>", "one two"),
        ("灯台は\n白い", "<p>灯台は白い</p>", "灯台は白い"),
        ("a **b** `c<d>`", "<p>a <strong>b</strong> <code>c&lt;d&gt;</code></p>", "a b c<d>"),
        ("[x](/wiki/H_(r))", '<p><a href="/wiki/H_(r)">x</a></p>', "x"),
        ("[x](/a?b=1&c=2)", '<p><a href="/a?b=1&amp;c=2">x</a></p>', "x"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>", "a\nb"),
        ("1. a\n2. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>", "a\nb"),
        ("> said\n> so", "<blockquote><p>said so</p></blockquote>", "said so"),
        ("```toml\n[a]\n\nb = 1\n```", "<pre><code>[a]\n\nb = 1</code></pre>", "[a]\n\nb = 1"),
        ('<div hidden="">psst</div>', '<div hidden="">psst</div>', ""),
        ("<!-- note -->", "<!-- note -->", ""),
        ("| --- |", "", ""),
        ("a <b>", "<p>a &lt;b&gt;</p>", "a <b>"),
    ],
)
def test_each_block_is_read(source, html, text):
    assert to_html(source) == html
    assert to_text(source) == text


def test_a_table_keeps_its_cells_apart():
    source = "| Year | mm |\n| --- | --- |\n| 2014 | 1,016 |"

    assert "<th>Year</th><th>mm</th>" in to_html(source)
    assert "<td>2014</td><td>1,016</td>" in to_html(source)
    assert to_text(source) == "Year  mm\n2014  1,016"
