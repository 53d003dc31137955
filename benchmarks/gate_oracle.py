"""The renderer as oracle: what a reader can click in an answer that the gate lets pass.

    python benchmarks/gate_oracle.py                          labelled cases and generated answers
    python benchmarks/gate_oracle.py --answers 20000 --seed 7
    python benchmarks/gate_oracle.py --reports FILE.jsonl...  real answers, in `article`, `text` or `answer`
    python benchmarks/gate_oracle.py --fuzz 15 --seed 7       15 minutes of mutated labelled cases

An answer is rendered by cmark-gfm, its HTML is parsed, and its links are resolved as a browser does.
For each link the gate is asked with a ledger that holds every reading of every citation but not that
link: if the answer passes, a reader could open a page that nobody opened. Such a link is a finding,
unless it is one of the exceptions that docs/gate.md lists; they are counted. http and https are not
told apart here, since a URL without a scheme is both. Exits 1 on a finding.
"""

import argparse
import html
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import ada_url
import cmarkgfm
from cmarkgfm.cmark import Options
from mutation import mutate_text
from selectolax.lexbor import LexborHTMLParser

from research_eval.gate import Gate, load_gate
from research_eval.gate.character import INVISIBLE_EDGE
from research_eval.ledger import SourceRegistry, url_key
from research_eval.schema import Citation

DATASET = Path(__file__).parent.parent / "datasets" / "gate"
HERE = "https://answer.invalid/"
"""The page that shows the answer: a link that stays on it leads to no source."""

_ATTRIBUTES = (("a", "href"), ("area", "href"), ("a", "xlink:href"), ("form", "action"))
_MARKS = re.compile(r"^[^\w]*(?:\^?\[\^?\d|\[oai_citation|:contentReference|\[cite|\^\d)")
_ESCAPES = re.compile(r"^\\+(?:[nrt\"]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})")
_EXTENSION = re.compile(r"\.[A-Za-z]{2,5}$")
_CUT_BY_RENDERER = re.compile(r"\*? |&[A-Za-z0-9]+(?:;|$)|<\d|\.?<!--|[ \t|]|\]?\w?\]\(")
_CAN_BE = re.compile(
    r"https?://(?:[^/?#@]*@)?(?:[\w.-]+\.[\w-]*\w\.?|localhost|\[[\d:a-f.]+\])(?::\d+)?(?:[/?#]|$)",
    re.ASCII,
)
"""A link whose host some name server could know: none with `&`, `(` or `<` in it."""
_LOCAL = re.compile(r"http://(?:localhost|127\.|0\.0\.0\.0|\[::)")


class Finding(NamedTuple):
    """A link that leads to a page which nobody opened, in an answer that passes."""

    source: str
    link: str
    text: str


class Tail(NamedTuple):
    """What a link has beyond the reading of a citation that was opened."""

    link: str
    reading: str
    tail: str
    before: str


EXCEPTIONS: tuple[tuple[str, str, Callable[[Tail], bool]], ...] = (
    ("punctuation", "the sentence's punctuation, which some renderers link",
     lambda one: bool(re.fullmatch(r"[!-/:-@\[-`{-~]+", one.tail)) and "/" not in one.tail),
    ("emphasis", "words behind the mark that closes an emphasis around the URL, and no path",
     lambda one: one.tail[:1] in "*_~" and one.before[-1:] == one.tail[:1] and not re.search(r"[/?=&#]", one.tail)),
    ("reference mark", "`[1]`, `[^2]` and the marks of chat products behind a URL",
     lambda one: bool(_MARKS.match(one.tail))),
    ("other script", "words or punctuation beyond ASCII, which nothing separates from the URL",
     lambda one: bool(re.match(r"[^A-Za-z0-9/]*[^\x00-\x7f]|[(\[][^A-Za-z]*[^\x00-\x7f]", one.tail))),
    ("next URL", "a list of URLs without spaces, which a renderer makes one link of",
     lambda one: bool(re.search(r"(?i)https?(?:[:\uff1a/]|$)", one.tail))),
    ("quoted", "the quotation mark or bracket that was opened before the URL, in JSON, CSV or markup",
     lambda one: bool(re.fullmatch(r"[\"'`][/\"'`>)\]}]*", one.tail)) or (one.tail[:1] in "\"'`)]}>\\" and not re.match(r"[\"'`)\]}>]+[\w/=&#%~+-]*[/=&#%~+-]", one.tail))),
    ("behind an extension", "words behind `.html`, `.pdf`: no title follows an extension",
     lambda one: bool(_EXTENSION.search(one.reading)) and one.tail[:1] in "('"),
    ("escaped text", "breaks and delimiters as JSON and program text write them",
     lambda one: bool(_ESCAPES.match(one.tail))),
    ("separated field", "fields of CSV and of tables without spaces",
     lambda one: one.tail[:1] in ",;|" and (one.before[-1:] in ',;|"\n' or one.before.rpartition("\n")[2].lstrip()[:1] == "|")),
    ("chat label", "`<URL|label>`, as chats write links",
     lambda one: one.tail[:1] == "|" and one.before.endswith("<")),
    ("host's possessive", "`https://example.org's`: no such domain can exist",
     lambda one: one.tail[:2] in ("'s", "\u2019s") and "/" not in one.reading[8:]),
    ("BBCode", "a closing tag of BBCode",
     lambda one: one.tail.lstrip("*_").startswith(("[/", "]"))),
)  # fmt: skip
"""What a renderer may link beyond an opened page: name, reason and rule."""


def rendered_links(text: str) -> list[str]:
    """Return where the links of the rendered `text` lead, beyond the page that shows it."""
    rendered = cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE)
    tree = LexborHTMLParser(rendered)
    base = tree.css_first("base[href]")
    root = _joined(base.attributes.get("href") or "", HERE) if base else None
    found: dict[str, None] = {}
    for tag, attribute in _ATTRIBUTES:
        for node in tree.css(tag):
            value = node.attributes.get(attribute)
            url = None if value is None else _joined(value, root or HERE)
            if url is not None and not url.startswith(HERE) and _CAN_BE.match(url):
                found[url] = None
    return list(found)


def _joined(value: str, base: str) -> str | None:
    try:
        return ada_url.join_url(base, value)
    except ValueError:
        return None


def check(gate: Gate, text: str, source: str, counts: Counter[str]) -> Iterator[Finding]:
    """Yield the links of `text` that lead nowhere opened though the answer could pass `gate`."""
    citations = gate.check(text, SourceRegistry.from_urls([], [])).citations
    readings = {url for one in citations for url in (one.url, *one.readings)}
    for link in rendered_links(text):
        counts["links"] += 1
        rest = link[link.index(":") :]
        names = {url_key(link), url_key(f"http{rest}"), url_key(f"https{rest}")}
        kept = [
            url
            for url in readings
            if _CAN_BE.match(url_key(url).value)  # else no trial can have opened it
            and not names & {url_key(url), url_key(_joined(url, HERE) or url)}
        ]
        if not citations or not gate.check(text, SourceRegistry.from_urls(kept, [])).passed:
            continue
        name = _exception(text, link, citations)
        counts[name or "findings"] += 1
        if name is None:
            yield Finding(source, link, text)


def _exception(text: str, link: str, citations: Iterable[Citation]) -> str | None:
    if _LOCAL.match(link):
        return "this machine"
    if "%5C/%5C/" in link:
        return "escape"
    if re.match(r"https?://[^/?#]*https?(?:[:/]|$)", link, re.IGNORECASE):
        return "next URL"
    if re.search(
        rf"(?:git|svn|hg|bzr|ssh|web|pip|sparse|dav)\+{re.escape(link.removesuffix('/'))}", text
    ):
        return "other scheme"
    for one in citations:
        for reading in (one.url, *one.readings):
            name = _difference(text, link, one, reading)
            if name is not None:
                return name
    is_title = re.search(r"/(?:\.\.\.|\u2026)", text) and any(
        one.url.startswith(unquote(link)) for one in citations
    )
    return "shortened title" if is_title else None


def _difference(text: str, link: str, one: Citation, reading: str) -> str | None:
    """Return the exception that lets `reading` stand for `link`."""
    encoded = re.sub(r"[\t\n]", "%20", reading.replace("\\", "%5C"))
    meant, plain = _meant(_joined(encoded, HERE) or reading), _meant(link)
    if "\n" in text[one.start : one.end] and _meant(reading).startswith(plain.removesuffix("/")):
        return "line break"
    if plain[8:] and plain.removeprefix("http://").removesuffix("/") in _ascii_dots(meant[8:]):
        return (
            "escape" if meant.removesuffix("/") == plain.removesuffix("/") else "inside another URL"
        )
    if meant.endswith("/") and not reading.endswith("/"):
        meant, plain = meant[:-1], plain.removesuffix("/")
    if meant.removesuffix("/") == plain.removesuffix("/"):
        return "escape"
    if "/" not in plain[8:].removesuffix("/"):
        plain = plain.removesuffix("/")
    if meant.startswith(plain) or (one.form == "markdown" and meant.startswith(plain.rstrip("\\"))):
        return _shortened(text, one, meant[len(plain) :])
    is_wrapped = "google." in link and meant in plain
    return "export's wrapper" if is_wrapped else _beyond(text, one, meant, plain)


def _ascii_dots(url: str) -> str:
    """Return `url` with the dots of other scripts as browsers read them."""
    return re.sub("[\u3002\uff0e\uff61]", ".", url)


def _shortened(text: str, one: Citation, rest: str) -> str | None:
    """Return why a renderer links less than the reading, which has `rest` besides."""
    if not re.search(r"[A-Za-z0-9]", rest) or _CUT_BY_RENDERER.match(rest):
        return "cut by renderer"
    if one.form in {"html", "latex"}:
        return "label" if one.form == "html" else "LaTeX"
    return "line break" if "\n" in text[one.start : one.end + 300] else None


def _beyond(text: str, one: Citation, meant: str, plain: str) -> str | None:
    """Return why a renderer may link more than the reading `meant`."""
    if one.form == "latex" and plain.startswith(meant[:12]):
        return "LaTeX"
    is_host = "/" not in meant[8:]
    behind = text[one.end : one.end + 2]
    if is_host and "xn--" in plain and not text[one.start : one.end + 3].isascii():
        return "other script"
    if not plain.startswith(meant):
        return None
    if is_host and re.match(r"[^\x00-\x7f](?![A-Za-z0-9])", behind):
        return "other script"
    tail = Tail(
        plain,
        meant,
        plain[len(meant) :].removesuffix("/"),
        text[max(0, one.start - 300) : one.start],
    )
    return next((name for name, _, rule in EXCEPTIONS if rule(tail)), None)


def _meant(url: str) -> str:
    """Return `url` without escapes: GFM takes those of HTML and Markdown in a bare URL as they are."""
    plain = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", html.unescape(unquote(url)))
    return INVISIBLE_EDGE.sub("", plain)


def labelled() -> Iterator[tuple[str, str]]:
    """Yield the answers of the labelled cases that may be looked at."""
    for name in ("cases", "renderer"):
        for line in (DATASET / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            case: dict[str, Any] = json.loads(line)
            if "text" in case:
                yield case["id"], case["text"]


SENTENCES = (
    "Prices rose {l}.", "({l})", "see {l}, and", "**{l}**", "*{l}* says", "_{l}_", "~~{l}~~", "\u300c{l}\u300d\u3067\u3059",
    "\u8a73\u7d30\u306f{l}\u3092\u53c2\u7167", "\u636e{l}\u7684\u8bf4\u6cd5", "\uc790\ub8cc\ub294 {l}\uc744 \ucc38\uace0", "> {l}", "- {l}\n- x", "| a | {l} |\n|---|---|\n| b | c |",
    "[{l}]", "\u201c{l}\u201d", '"{l}"', "'{l}'", "`{l}`", "{l}; {l}", "{l},{l}", "[^1]: {l}", "1. {l}\n2. y", "### {l}",
    "<p>{l}</p>", "<div>\n{l}\n</div>", '{{"url": "{l}"}}', "a {l} b", "{l}", "\u0633\u0639\u0631 {l}\u060c", "\u0938\u094d\u0930\u094b\u0924 {l}\u0964",
    "```\n{l}\n```", "\u300a{l}\u300b", "{l} \u2014 x", "{l}\u2014x", "x:{l}", "ref={l}", "\\({l}\\)", "\t{l}", "{l}\n\n---\n{l}",
)  # fmt: skip
FORMS = (
    "{u}", "[t]({u})", '[t]({u} "q")', "<{u}>", "[t](<{u}>)", "![i]({u})", "[{u}]({u})", '<a href="{u}">t</a>', "<a href='{u}'>{u}</a>",
    "[r]\n\n[r]: {u}\n\n", "{u}[1]", "{u}.[2]", "({u})", "{u}\u3002", "[t]({u}", "[t] ({u})", "\\url{{{u}}}", "<{u}|t>", "[url]{u}[/url]", "{u}\u2026", "{u}'s",
    "[r]: {u} 'x\ny'\n\n[r]", "<a href={u}>t</a>", "{u}\u200b", "[[{u}][t]]",
)  # fmt: skip
PATHS = (
    "", "/", "/a", "/a/b.html", "/wiki/X_(y)", "/wiki/X's", "/a?b=c&d=e", "/a#f", "/a.", "/a,b", "/a;b", "/a:b", "/a!b", "/a'b", '/a"b', "/a*b*", "/a_b_", "/a~b",
    "/a)b", "/a(b", "/a[b]", "/a]b", "/a{b}", "/a|b", "/a`b", "/a\\b", "/a%20b", "/a%zz", "/\u6771\u4eac", "/caf\u00e9", "/a\u2019b", "/a\u201cb", "/a\u3001b", "/a\uff1fb",
    "/a&amp;b", "/a&lt;b", "/a&quot;b", "/a\u00a0b", "/a\u200bb", "/a...", "/.../b", "/a--b", "/{x}", "/<x>", "/%s", "/a)_(b)", "/a.pdf(b", "/a$b", "/a^b", "/a=b", "/a\u2014b",
    "/a&b;", "/a**b**", "/~a", "/a@b", ":8080/a", ":80,b", "//a", "/a//", "/a?", "/a??b", "/a#", "/a/../b", "/\u00b2", "/a\u00b2", "/a\u2460", "/a\u2026b",
)  # fmt: skip
STARTS = (
    "https://h.example", "http://h.example", "https://www.h.example", "www.h.example", "//h.example", "HTTPS://H.example", "https&#58;//h.example",
    "https:\\/\\/h.example", "https:/h.example", "https://h.example:443", "https://u@h.example", "https://h\u3002example", "https://h.example.", "https://m\u00fc.example",
    "https\uff1a//h.example", "https:// h.example", "https://[::1]", "https://1.2.3.4", "http:h.example", "hxxps://h.example",
)  # fmt: skip
PIECES = (
    *STARTS, *PATHS, "(", ")", "[", "]", "<", ">", "](", "](<", ">)", "![", "]: ", "\n[r]: ", '"', "'", "`", "```\n", "|", "*", "_", "~", "~~",
    "\\", "&amp;", "&lt;", "&#x2F;", "&nbsp;", " ", "\n", "\n\n", "\t", "\u00a0", "\u3000", "\u200b", "\u00ad", ".", ",", ";", "!", "?", ":",
    "\u2026", "\u2014", "\u2019", "\u201c", "\u3002", "\uff09", "\u65e5\u672c", "\u306e", "\uc740 ", "\u00e9", "[1]", "[^2]", '<a href="', '">', "</a>",
    "<!--", "-->", "<br>", "<base href='https://h9.example/'>", "{id}", 'xmlns="', "\\url{", "a", "/b", "?c=d", "#e", "%2F", "@", "www.", "https:", "//",
)  # fmt: skip
"""What a mutation puts in."""


def generated(number: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield answers made of sentences, forms of links, paths and beginnings of URLs."""
    rng = random.Random(seed)
    for index in range(number):
        lines = []
        for _ in range(rng.choice((1, 1, 2, 3))):
            start = rng.choice(STARTS) if rng.random() < 0.5 else STARTS[0]
            url = start.replace("h.", f"h{rng.randrange(4)}.") + rng.choice(PATHS)
            if rng.random() < 0.2:
                url += rng.choice(PATHS).lstrip("/")
            link = rng.choice(FORMS).format(u=url)
            lines.append(rng.choice(SENTENCES).format(l=link))
        yield f"generated {seed}:{index}", rng.choice((" ", "\n", "\n\n")).join(lines)


def mutated(minutes: float, seed: int) -> Iterator[tuple[str, str]]:
    """Yield labelled and generated answers with pieces put in, taken out and swapped, for a time.

    A hundred follow each look at the clock, so that a seed gives the same answers on any machine, only
    more or fewer of them.
    """
    rng = random.Random(seed)
    seeds = [text for _, text in [*labelled(), *generated(400, seed)]]
    deadline, index = time.monotonic() + minutes * 60, 0
    while time.monotonic() < deadline:
        for _ in range(100):
            index += 1
            yield f"mutated {seed}:{index}", mutate_text(rng, seeds, PIECES, 4)


def reports(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the answers of JSON Lines files."""
    for name in names:
        for number, line in enumerate(Path(name).read_text(encoding="utf-8").splitlines(), start=1):
            entry: dict[str, Any] = json.loads(line)
            text = next(
                (entry[field] for field in ("article", "text", "answer") if field in entry), None
            )
            if isinstance(text, str):
                yield f"{Path(name).name}:{number}", text


def main() -> int:
    """Look, print findings and counts, return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reports", nargs="*", default=[])
    parser.add_argument("--fuzz", type=float, metavar="MINUTES", help="mutate for so long")
    parser.add_argument("--gate", default="default")
    parser.add_argument("--findings", type=int, default=20, help="how many are printed")
    options = parser.parse_args()
    work: Iterable[tuple[str, str]] = [*labelled(), *generated(options.answers, options.seed)]
    if options.reports:
        work = reports(options.reports)
    elif options.fuzz is not None:
        work = mutated(options.fuzz, options.seed)
    counts: Counter[str] = Counter()
    gate = load_gate(options.gate)
    for source, text in work:
        counts["answers"] += 1
        for finding in check(gate, text, source, counts):
            if counts["findings"] <= options.findings:
                print(
                    json.dumps(
                        {**finding._asdict(), "text": finding.text[:300]}, ensure_ascii=False
                    )
                )
    for name, number in counts.most_common():
        print(f"{name:<24}{number:>9,}")
    return 1 if counts["findings"] else 0


if __name__ == "__main__":
    sys.exit(main())
