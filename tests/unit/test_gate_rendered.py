"""Which forms of text are citations, mentions or names: each row of the table in docs/gate.md."""

import pytest

from research_eval.gate import extract_citations
from research_eval.gate.code import CodeMap

TABLE = [
    # clickable without a scheme
    ("www.b.example/x", ["http://www.b.example/x"]),
    ("`www.b.example/x`", []),
    ("```\nget www.b.example/x\n```", []),
    ("b.example/x and xwww.b.example", []),
    ("[r](//b.example/x)", ["https://b.example/x"]),
    ('<a href="\\\\b.example\\x">r</a>', ["https://b.example\\x"]),
    ("[r](http:b.example/x)", ["http://b.example/x"]),
    ("[r](www.b.example/x) [s](/x) [t](#x)", []),
    ("<base href='//b.example/y/'> [r](x)", ["https://b.example/y/", "https://b.example/y/x"]),
    # templates
    ("`https://b.example/{id}`", []),
    ("https://b.example/{id}", ["https://b.example/{id}"]),
    ("https://b.example/r/<x>", ["https://b.example/r/"]),
    ("https://b.example/a%statement.pdf", ["https://b.example/a%statement.pdf"]),
    ("\\`https://b.example/{id}\\`", ["https://b.example/{id}"]),
    ("http://localhost:<port>/v1 http://localhost:$PORT http://127.0.0.1:PORT/x", []),
    # what a renderer links beyond the place where the sentence might end
    ("https://b.example/wiki/Moody's fell", ["https://b.example/wiki/Moody's"]),
    ("(see https://b.example/Mercury)_(planet)", ["https://b.example/Mercury)_(planet"]),
    ("https://b.example/Java(programming language)", ["https://b.example/Java(programming"]),
    ("https://b.example/a？id=7", ["https://b.example/a？id=7"]),
    ('https://b.example/a"b', ['https://b.example/a"b']),
    ("**https://b.example/a**b", ["https://b.example/a**b"]),
    ("https://b.example/a，/../c", ["https://b.example/a，/../c"]),
    ("https://b.example:443,x@c.example/y", ["https://b.example:443,x@c.example/y"]),
    ("https://b.example/a&lt;b/c", ["https://b.example/a&lt;b/c"]),
    ("> []: t](www.b.example/a)b", ["http://www.b.example/a)b"]),
    (
        "x <a href='https://b.example/'>/a</a'b href='https://b.example/'>/c",
        ["https://b.example/", "https://b.example/", "https://b.example/'>/c"],
    ),
    ("x href='https://b.example/a'>/c", ["https://b.example/a", "https://b.example/a'>/c"]),
    (
        '<a href="x\n\nhttps://b.example/a <a href="https://b.example/a**b**">t</a>',
        ["https://b.example/a", "https://b.example/a**b**"],
    ),
    # what is the sentence's
    ("https://b.example/a&lt;/p&gt; x", ["https://b.example/a"]),
    ("https://b.example/a，2024年", ["https://b.example/a"]),
    ("https://b.example/a.pdf(accessed May 2025)", ["https://b.example/a.pdf"]),
    ("https://b.example's table", ["https://b.example"]),
    ("见https://b.example/a.html,第二节", ["https://b.example/a.html"]),
    ("https://b.example/a²", ["https://b.example/a"]),
    ("https://b.example/km²", ["https://b.example/km²"]),
    ("https://b.example/a……等。", ["https://b.example/a"]),
    ("[url]https://b.example/a[/url]", ["https://b.example/a"]),
    ("https://b.example/a[cite_start]", ["https://b.example/a"]),
    ("<https://b.example/a|label>", ["https://b.example/a"]),
    ("x='https://b.example/a'/>", ["https://b.example/a"]),
    # labels
    ("[https://b.example](https://b.example/a)", ["https://b.example/a"]),
    ("[https://b.example/…/c](https://b.example/a/c)", ["https://b.example/a/c"]),
    ("[https://c.example](https://b.example/a)", ["https://c.example", "https://b.example/a"]),
    ("[1] https://b.example/x/...: https://b.example/x/y", ["https://b.example/x/y"]),
    (
        "[https://b.example/a](https://www.google.com/url?q=https%3A%2F%2Fb.example%2Fa)",
        ["https://b.example/a"],
    ),
    (
        "[a](https://www.google.com/url?q=https%3A%2F%2Fb.example%2Fa)",
        ["https://www.google.com/url?q=https%3A%2F%2Fb.example%2Fa"],
    ),
    # names
    ('<svg xmlns="http://b.example/ns"></svg>', []),
    ('```\n{"@context": "https://b.example"}\n```', []),
    ('xmlns="http://b.example/ns"', ["http://b.example/ns"]),
    # what no renderer links
    ("https：//b.example https:// b.example hxxps://b.example", []),
]


@pytest.mark.parametrize(("text", "urls"), TABLE, ids=[text[:40] for text, _ in TABLE])
def test_a_form_of_text_is_read_as_the_table_says(text: str, urls: list[str]) -> None:
    assert [one.url for one in extract_citations(text)] == urls


@pytest.mark.parametrize(
    ("text", "is_code"),
    [
        ("`X`", True),
        ("``a ` X``", True),
        ("```\nX\n```", True),
        ("~~~\nX", True),
        ("\\`X`", False),
        ("`a\nX`", False),
        ("<a title='`'> X `", False),
        ("<!--\n```\n-->\nX\n```", False),
        ("<div>\n```\n\nX\n", False),
        ("- a\n  ```\nX", False),
        ("| `a | X` |", False),
        ("```\na\n```\nX", False),
    ],
)
def test_only_what_is_code_beyond_doubt_is_code(text: str, is_code: bool) -> None:
    assert CodeMap(text).holds(text.index("X")) is is_code
