"""Articles, lists, threads and documentation: what must be read and what must be left out."""

from collections.abc import Iterator

import chrome
from entry import WALLS, Entry, Prose


def _article(
    name: str, shell: object, main: str, *, must: list[str], title: str, **labels: object
) -> Entry:
    head = str(labels.pop("head", ""))
    extra = list(labels.pop("must_not_contain", []))  # type: ignore[call-overload]
    page = shell(main, title=title, head=head)  # type: ignore[operator]
    labels.setdefault("title", title)
    return Entry(
        name,
        page.encode(),
        must_contain=must,
        encoding="utf-8",
        flags_forbidden=list(WALLS),
        must_not_contain=[*chrome.FURNITURE, "MUST STAY OUT", *extra],
        **labels,  # type: ignore[arg-type]
    )


def _paragraphs(name: str, count: int = 5) -> tuple[list[str], str]:
    texts = Prose(name).paragraphs(count)
    return texts, "".join(f"<p>{text}</p>" for text in texts)


def entries() -> Iterator[Entry]:
    """Yield the labelled pages."""
    yield from _plain_articles()
    yield from _odd_articles()
    yield from _collections()
    yield from _documentation()
    yield from _details()


def _plain_articles() -> Iterator[Entry]:
    for name, shell in (
        ("article_semantic", chrome.semantic),
        ("article_classes", chrome.classes),
        ("article_anonymous", chrome.anonymous),
        ("article_layout_table", chrome.tables),
    ):
        texts, html = _paragraphs(name, 6)
        labels = {"must_not_contain": ["Valley map"]} if shell is not chrome.tables else {}
        yield _article(
            name,
            shell,
            f"<h1>The year of the kite</h1>{html}",
            must=[texts[0], texts[3], texts[-1]],
            title="The year of the kite - Field Notes",
            must_match=[r"(?m)^# The year of the kite$"],
            **labels,
        )
    texts, html = _paragraphs("article_og", 4)
    yield Entry(
        "article_og_title",
        chrome.semantic(
            f"<article><h1>Kiln fever</h1>{html}</article>",
            title="Kiln fever &amp; other news | Field Notes",
            head='<meta property="og:title" content="Kiln &amp; fever"><link rel="canonical" href="/kiln">',
        ).encode(),
        must_contain=[texts[0], texts[-1]],
        must_not_contain=chrome.FURNITURE,
        title="Kiln & fever",
        encoding="utf-8",
        flags_forbidden=list(WALLS),
    )
    prose = Prose("brs").paragraphs(5)
    yield _article(
        "article_br_paragraphs",
        chrome.tables,
        "<h2>Minutes</h2>" + "<br><br>".join(prose),
        must=prose,
        title="Minutes of the guild",
        must_match=[r"(?m)^## Minutes$"],
    )
    texts, html = _paragraphs("form", 5)
    yield _article(
        "article_in_form",
        chrome.anonymous,
        f'<form id="aspnetForm" method="post"><input type="hidden" name="s" value="x">{html}</form>',
        must=texts,
        title="Everything in a form",
    )


def _odd_articles() -> Iterator[Entry]:
    texts, html = _paragraphs("pullquote", 5)
    yield _article(
        "article_pull_quote",
        chrome.semantic,
        f"<article><h1>Rope</h1>{html}<aside class='pullquote'><p>Ropes remember every knot, said the warden.</p></aside></article>",
        must=[*texts, "Ropes remember every knot"],
        title="Rope",
    )
    texts, html = _paragraphs("inner related", 6)
    links = "".join(
        f'<li><a href="/r{n}">Wandering piece number {n} about salt</a></li>' for n in range(6)
    )
    yield _article(
        "article_inner_related",
        chrome.semantic,
        f'<article><h1>Salt</h1>{html}<div class="c-read"><h3>Read more</h3><ul>{links}</ul></div>'
        '<div class="share-buttons"><a href="https://post.example/?u=1">Post it</a> <a href="https://pin.example/?u=1">Pin it</a></div></article>',
        must=texts,
        title="Salt",
        must_not_contain=["Wandering piece", "Pin it"],
    )
    texts, html = _paragraphs("comments", 6)
    yield _article(
        "article_comments",
        chrome.classes,
        f"<h1>Tides</h1>{html}<div class='social-share'><a href='https://s.example'>Spread the word</a></div>",
        must=texts,
        title="Tides",
        must_not_contain=["Spread the word"],
    )
    texts, html = _paragraphs("outside heading", 5)
    page = chrome.semantic(
        html,
        title="The depot at night | Field Notes",
        before="<div class='hero-banner'><h1>The depot at night</h1></div>",
    )
    yield Entry(
        "article_heading_outside",
        page.encode(),
        must_contain=[*texts, "# The depot at night"],
        encoding="utf-8",
        title="The depot at night | Field Notes",
        flags_forbidden=list(WALLS),
        must_not_contain=chrome.FURNITURE,
    )
    texts, html = _paragraphs("footnotes", 5)
    notes = "".join(
        f'<li id="n{n}">Depot ledger, folio {n}. <a href="https://archive.example/folio/{n}">Scan</a> <a href="#r{n}">↩</a></li>'
        for n in range(1, 4)
    )
    yield _article(
        "article_footnotes",
        chrome.semantic,
        f'<article><h1>Ledgers</h1>{html}<p>The count was 812<sup><a href="#n1">[1]</a></sup>.</p><section class="footnotes"><h2>References</h2><ol>{notes}</ol></section></article>',
        must=[*texts, "The count was 812[1]."],
        title="Ledgers",
        must_match=[
            r"(?m)^2\. Depot ledger, folio 2\. \[Scan\]\(https://archive\.example/folio/2\)"
        ],
    )
    texts, html = _paragraphs("lazy", 4)
    yield _article(
        "article_lazy_image",
        chrome.semantic,
        f'<article><h1>Lens</h1>{html}<figure><img src="data:image/gif;base64,R0lGOD" data-src="/img/lens.jpg" alt="A lens on a green cloth"><figcaption>Ground in 1911.</figcaption></figure></article>',
        must=[*texts, "Ground in 1911."],
        title="Lens",
        must_match=[r"!\[A lens on a green cloth\]\(https://fieldnotes\.example/img/lens\.jpg\)"],
        must_not_match=[r"base64"],
    )
    texts, html = _paragraphs("see also", 5)
    yield _article(
        "article_see_also",
        chrome.semantic,
        f'<article><h1>Mills</h1>{html}<h2>See also</h2><ul><li><a href="/wiki/Weir">Weir</a></li><li><a href="/wiki/Sluice_(gate)">Sluice (gate)</a></li></ul></article>',
        must=texts,
        title="Mills",
        must_match=[
            r"\[Weir\]\(https://fieldnotes\.example/wiki/Weir\)",
            r"\[Sluice \(gate\)\]\(https://fieldnotes\.example/wiki/Sluice_\(gate\)\)",
        ],
    )


def _collections() -> Iterator[Entry]:
    cards = "".join(
        f'<article class="card"><h2><a href="/n/{n}">Note {n}: {Prose(f"card{n}").sentence()[:40]}</a></h2><p>{Prose(f"blurb{n}").sentence()}</p></article>'
        for n in range(1, 9)
    )
    blurbs = [Prose(f"blurb{n}").sentence() for n in range(1, 9)]
    yield _article(
        "listing_blog",
        chrome.semantic,
        f"<h1>All notes</h1>{cards}",
        must=blurbs,
        title="All notes",
        must_match=[r"(?m)^## \[Note 3: [^\]]+\]\(https://fieldnotes\.example/n/3\)"],
    )
    rows = "".join(
        f'<li class="res"><a href="/p/{n}">Pulley no. {n}</a> <span class="price">{n * 7} crowns</span></li>'
        for n in range(1, 15)
    )
    yield _article(
        "listing_products",
        chrome.classes,
        f"<h1>Pulleys</h1><ul class='grid'>{rows}</ul>",
        must=["98 crowns"],
        title="Pulleys",
        must_match=[r"- \[Pulley no\. 14\]\(https://fieldnotes\.example/p/14\) 98 crowns"],
    )
    posts = [Prose(f"post{n}").paragraph(3) for n in range(6)]
    thread = "".join(
        f'<div class="post" id="post-{n}"><div class="author">member{n}</div><div class="body"><p>{text}</p></div></div>'
        for n, text in enumerate(posts)
    )
    yield _article(
        "forum_thread",
        chrome.classes,
        f"<h1>How do you store ropes?</h1>{thread}",
        must=[*posts, "member4"],
        title="How do you store ropes?",
    )
    replies = "".join(f'<div class="comment"><p>{text}</p></div>' for text in posts)
    yield _article(
        "forum_comments",
        chrome.semantic,
        f"<h1>Ask: kiln bricks?</h1><p>Which bricks last longest in a glass kiln?</p><div class='comments'>{replies}</div>",
        must=posts,
        title="Kiln bricks",
    )
    specs = "".join(
        f"<tr><th>{name}</th><td>{value}</td></tr>"
        for name, value in (("Weight", "2.4 kg"), ("Sheave", "ash wood"), ("Load", "180 kg"))
    )
    text = Prose("product").paragraph()
    yield _article(
        "product_page",
        chrome.semantic,
        f"<h1>Pulley no. 9</h1><p class='price'>63 crowns</p><p>{text}</p><table class='specs'><tbody>{specs}</tbody></table><button>Into the basket</button>",
        must=[text, "63 crowns"],
        title="Pulley no. 9",
        must_match=[r"\| Load \| 180 kg \|"],
        must_not_contain=["Into the basket"],
    )


def _documentation() -> Iterator[Entry]:
    text = Prose("docs").paragraph()
    yield _article(
        "docs_admonition",
        chrome.semantic,
        f'<h1>Knots</h1><p>{text}</p><aside class="admonition note"><p class="admonition-title">Note</p><p>Wet rope shrinks by a tenth.</p></aside>'
        '<h2 id="bowline">Bowline<a class="headerlink" href="#bowline">¶</a></h2><p>Use <code>knots.tie("bowline")</code>.</p>',
        must=[text, "Wet rope shrinks by a tenth.", '`knots.tie("bowline")`'],
        title="Knots",
        must_match=[r"(?m)^## Bowline$"],
    )
    code = "fn tie(rope: &Rope) -&gt; Knot {\n    let ends = rope.ends();\n\n    Knot::new(ends)\n}"
    numbered = f'<table class="rouge-table"><tbody><tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n3\n4\n5</pre></td><td class="rouge-code"><pre>{code}</pre></td></tr></tbody></table>'
    yield _article(
        "docs_numbered_code",
        chrome.semantic,
        f'<h1>Rope API</h1><p>{text}</p><div class="language-rust highlighter-rouge"><div class="highlight">{numbered}</div></div>',
        must=[
            "fn tie(rope: &Rope) -> Knot {\n    let ends = rope.ends();\n\n    Knot::new(ends)\n}"
        ],
        title="Rope API",
        must_match=[r"(?m)^```rust$"],
        must_not_match=[r"(?m)^\|? ?1$"],
    )
    lines = "".join(
        f'<div class="line"><span>{line}</span></div>'
        for line in ("set -e", "make kiln", "  make glass")
    )
    yield _article(
        "docs_code_lines",
        chrome.semantic,
        f"<h1>Build</h1><p>{text}</p><pre><code class='lang-sh'>{lines}</code></pre>",
        must=["set -e\nmake kiln\n  make glass"],
        title="Build",
        must_match=[r"(?m)^```sh$"],
    )
    yield _article(
        "docs_fence_in_code",
        chrome.semantic,
        f"<h1>Fences</h1><p>{text}</p><pre>```\ninner\n```</pre>",
        must=["````\n```\ninner\n```\n````"],
        title="Fences",
    )
    yield _article(
        "docs_definitions",
        chrome.semantic,
        f"<h1>Terms</h1><p>{text}</p><dl><dt>bight</dt><dd>A slack part of a rope.</dd><dt>fid</dt><dd>A cone of wood.</dd><dd>Also of bone.</dd></dl>",
        must=["A slack part of a rope.", "Also of bone."],
        title="Terms",
        must_match=[r"(?m)^fid\n: A cone of wood\."],
    )
    yield _article(
        "docs_questions",
        chrome.semantic,
        f"<h1>Questions</h1><p>{text}</p><details><summary>How long may a rope be?</summary><p>As long as the walk.</p></details>",
        must=["How long may a rope be?", "As long as the walk."],
        title="Questions",
    )
    toc = "".join(f'<li><a href="#s{n}">Chapter {n}</a></li>' for n in range(9))
    yield _article(
        "wiki_page",
        chrome.classes,
        f'<h1>Ropewalk</h1><table class="infobox"><tr><th>Built</th><td>1746</td></tr><tr><th>Length</th><td>310 m</td></tr></table><p>{text}</p>'
        f'<div id="toc" class="toc"><ul>{toc}</ul></div><h2><span id="H">History</span><span class="mw-editsection">[<a href="/edit">edit</a>]</span></h2><p>{Prose("wiki").paragraph()}</p>'
        '<table class="navbox"><tr><td><a href="/a">Ropes</a> <a href="/b">Sails</a> <a href="/c">Masts and yards</a></td></tr></table>',
        must=[text, Prose("wiki").paragraph()],
        title="Ropewalk",
        must_match=[r"\| Length \| 310 m \|", r"(?m)^## History$"],
        must_not_contain=["Chapter 4", "Masts and yards", "edit]"],
    )


def _details() -> Iterator[Entry]:
    text = Prose("details").paragraph()

    def one(name: str, html: str, **labels: object) -> Entry:
        return _article(
            name, chrome.semantic, f"<h1>{name}</h1><p>{text}</p>{html}", title=name, **labels
        )  # type: ignore[arg-type]

    yield one(
        "table_spans",
        '<table><thead><tr><th>Year</th><th colspan="2">Loads</th></tr></thead><tbody><tr><td rowspan="2">1911</td><td>salt</td><td>40</td></tr>'
        "<tr><td>glass</td><td>12</td></tr></tbody></table>",
        must=[text],
        must_match=[
            r"\| Year \| Loads \|\s*\|",
            r"\| 1911 \| salt \| 40 \|",
            r"\| 1911 \| glass \| 12 \|",
        ],
    )
    yield one(
        "table_plain",
        "<table><tr><td>north</td><td>3</td></tr><tr><td>south | east</td><td>4</td></tr></table>",
        must=[text],
        must_match=[r"\| north \| 3 \|", r"south \\\| east \| 4"],
    )
    yield one(
        "table_caption",
        "<table><caption>Rainy days</caption><tr><th>Month</th><th>Days</th></tr><tr><td>May</td><td><b>9</b> <a href='/may'>note</a></td></tr></table>",
        must=[text, "Rainy days"],
        must_match=[r"\| May \| 9 \[note\]\(https://fieldnotes\.example/may\) \|"],
    )
    yield one(
        "list_nested",
        "<ul><li>ropes<ol start='4'><li>hemp</li><li>flax<ul><li>wet</li></ul></li></ol></li><li>sails</li></ul>",
        must=[text],
        must_match=[r"(?m)^- ropes\n  4\. hemp\n  5\. flax\n     - wet\n- sails"],
    )
    yield one(
        "quotation",
        "<blockquote><p>Never splice in the rain.</p><p>Never.</p><footer>The warden</footer></blockquote>",
        must=[text],
        must_match=[r"(?m)^> Never splice in the rain\.\n>\n> Never\."],
    )
    yield one(
        "superscripts",
        "<p>It weighs 10<sup>6</sup> g over 4 m<sup>2</sup> of CO<sub>2</sub>.</p>",
        must=[text, "10⁶ g", "4 m²", "CO2"],
    )
    yield one(
        "formula",
        '<p>So <math alttext="e^{i\\pi}=-1"><mi>e</mi></math> holds, and <math><semantics><mi>x</mi><annotation encoding="application/x-tex">x_1</annotation></semantics></math> too.</p>',
        must=[text, "$e^{i\\pi}=-1$", "$x_1$"],
    )
    yield one(
        "links",
        '<p><a href="//cdn.example/a.txt">net path</a> <a href="?p=2">query</a> <a href="../up">up</a> <a href="#top">anchor</a> <a href="javascript:go()">script</a> '
        '<a href="data:text/html,x">data</a> <a href="mailto:a@b.example">mail</a> <a href="/a b">space</a> <a href="https://u.example/x?q=a&amp;b=%C3%A9">query kept</a> <a href="/Bär">umlaut</a></p>',
        must=[text, "anchor script data mail"],
        must_match=[
            r"\[net path\]\(https://cdn\.example/a\.txt\)",
            r"\[query\]\(https://fieldnotes\.example/links\?p=2\)",
            r"\[up\]\(https://fieldnotes\.example/up\)",
            r"\[space\]\(https://fieldnotes\.example/a%20b\)",
            r"\[query kept\]\(https://u\.example/x\?q=a&b=%C3%A9\)",
            r"\[umlaut\]\(https://fieldnotes\.example/(B%C3%A4r|Bär)\)",
        ],
        must_not_match=[r"javascript:", r"data:text"],
    )
    yield one(
        "card_link",
        '<a href="/story"><h3>Whole card</h3><p>is one link</p></a>',
        must=[text, "is one link"],
        must_match=[r"### \[Whole card\]\(https://fieldnotes\.example/story\)"],
    )
    yield one(
        "ruby",
        "<p><ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>を学ぶ。</p>",
        must=[text, "漢字を学ぶ。"],
    )
    yield Entry(
        "base_href",
        f'<html><head><base href="https://other.example/v3/"><title>b</title></head><body><p>{text} <a href="x.html">x</a></p></body></html>'.encode(),
        must_contain=[text],
        must_match=[r"\[x\]\(https://other\.example/v3/x\.html\)"],
        title="b",
        encoding="utf-8",
        flags_forbidden=list(WALLS),
    )
