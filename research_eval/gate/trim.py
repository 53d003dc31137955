"""Trimming: a run in, the URL that it holds and its other readings out.

Certain cuts come first: what a bracket, a quotation mark or an emphasis opened before the URL must
close after it. Then the soft cuts, which leave the whole run as another reading. Then the sentence's
own punctuation at the end.
"""

import re
from typing import NamedTuple

from research_eval.gate.character import UNSPACED_LETTER
from research_eval.gate.extension import after_extension
from research_eval.gate.glue import find_glue

__all__ = ["Surroundings", "Trimmed", "trim"]

_UNTOUCHED = re.compile(
    r"[hH][tT][tT][pP][sS]?://[A-Za-z0-9.-]*[A-Za-z0-9](?::[0-9]+)?"
    r"(?:[/?#](?:[A-Za-z0-9/.?=&%+#:@!,;-]*[A-Za-z0-9/=&#%+])?)?"
)
_HOST = re.compile(r"https?://[^/?#]*", re.IGNORECASE)
_DEFANGED = re.compile(r"https?://(?:[^/?#]*@)?+[^/?#@]*[\[({](?:\.|dot)[\])}]", re.IGNORECASE)
_REAL_HOST = re.compile(
    r"https?://(?:[^/?#]*@)?+(?:\[[0-9a-f:.%]+\]|[^/?#*$]*[^\W_][^/?#*$]*)", re.IGNORECASE
)
_BRACKET = re.compile(r"[()\[\]{}]")
_CLOSER = {"(": ")", "[": "]", "{": "}"}
_MARKS = re.compile(
    r"(?:\[\^?\d{1,3}(?: ?[-\u2013,] ?\^?\d{1,3}){0,9}\]|\[\^\d{1,3}\^\]|\^\[\d{1,3}\]\^?|\^\d{1,3}\^)+"
)
_AFTER_MARKS = re.compile(r"[.,;:!?)\]}'*_\u2026-]{0,20}$|[^\x00-\x7f][^/?#=&]*$")
_PRODUCT_MARK = re.compile(
    r"\[oai_citation:\d{1,4}$|:contentReference\[oaicite:\d{1,4}\](?:\{index=\d{1,4}\})?"
    r"|\[cite(?:_start|_end)\]|\[cite:"
)
"""What ChatGPT and Gemini leave behind a URL."""

_BBCODE = re.compile(r"\[/(?:url|img|b|i|u|quote|link|code|list|size|color)\]", re.IGNORECASE)
_GLUED_BEHIND_ASCII = re.compile(
    f"(?<=[A-Za-z0-9])[,;)\\]](?=[{UNSPACED_LETTER}][^A-Za-z0-9/?=&#]*$)"
    f"|(?<=[A-Za-z0-9])[(\\[](?=[^()\\[\\]]*[{UNSPACED_LETTER}][^()\\[\\]]*[)\\]]?$)"
)
"""ASCII punctuation, or a bracket with a remark, where words of an unspaced script follow."""

_NOTE = re.compile(
    "[,;()\\[\\]\u2014\u2015\u2e3a\u2e3b\u2026\u00b9\u00b2\u00b3\u2070-\u2079\u2460-\u2473\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]"
)
"""A character without which `_before_notes` finds nothing."""

_WIDE_ELLIPSIS = re.compile("\u2026{2}")
_PORT_AND_WORDS = re.compile(
    r"https?://[^/?#@]*?:[0-9]{1,5}(?=[,;|][^/?#@]*(?:[/?#]|$))", re.IGNORECASE
)

_UNCLOSED_MARK = re.compile(r"\[\^?\d{1,3}$")
_PROSE_DASH = re.compile("[\u2014\u2015\u2e3a\u2e3b](?=[^/_%=#?&]*$)")
_EMOJI = re.compile(
    "[\u2611\u26a0\u2705\u2713\u2714\u2717\u2718\u2728\u274c\u2753-\u2757\u2764\u27a1\u2b05-\u2b07\u2b50"
    "\U0001f300-\U0001faff](?=[^/_%=#?&A-Za-z0-9\u00c0-\u052f]*$)"
)
_NOTE_DIGITS = re.compile("[\u00b9\u2070\u2074-\u2079\u2460-\u2473]+(?=[.,;:!?]{0,3}$)")
_SMALL_NOTE = re.compile(
    "(?<![/_ -][mM])(?<![/_ -][kcdKCD][mM])[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+(?=[.,;:!?]{0,3}$)"
)
"""A mark of a footnote, no power of a unit such as `m\u00b2`."""
_TITLES = re.compile(r"/wiki/|/item/", re.IGNORECASE)
_POSSESSIVE = re.compile("['\u2019]s$")
_ELLIPSIS = re.compile(r"[/=&?#_-](?:\u2026|\.\.\.?)[.,;:!?]?$")
_STRIPPED = frozenset(
    ".,;:!?'*\u2019\u2026\u2013\u2014\u2015\u00b7\u203d\u203c\u2049\u0387\u055d\u0f0d\u00a1\u00bf\\"
)
_OPENING_MARKS = frozenset("*_~='\u2018")
_MARKERS = frozenset("_~=$")
MAX_TRIMMED_CHARS = 4096
"""A longer stretch without a delimiter is one URL; only its plain end is trimmed."""

MAX_KEPT_TAILS = 5
"""Readings that keep this much of the punctuation at the end."""


class Surroundings(NamedTuple):
    """What stands around a run."""

    before: str
    """The line before it, or its last 200 characters."""
    after: str
    """The text after it, up to 200 characters."""
    before_url: bool = False
    """Whether it was ended by the beginning of another URL."""
    is_field: bool = False
    """Whether it is a field of a line separated by commas or semicolons."""


class Trimmed(NamedTuple):
    """The URL of a run."""

    end: int
    """How many characters of the run it takes."""
    others: tuple[int, ...] = ()
    """Ends of other readings."""


def trim(run: str, around: Surroundings) -> Trimmed | None:
    """Return where the URL of `run` ends, or `None` where there is no host."""
    is_marked = around.is_field or around.before_url or around.before[-1:] in _OPENING_MARKS
    if not is_marked and _UNTOUCHED.fullmatch(run):
        return Trimmed(len(run))
    if len(run) > MAX_TRIMMED_CHARS:
        return Trimmed(len(run.rstrip(".,;:!?'*)]"))) if _REAL_HOST.match(run) else None
    certain = _certain_end(run, around)
    soft = _soft_end(run[:certain], around)
    opened = around.before[-3:]
    end = _stripped_end(run, soft, around)
    if not _REAL_HOST.match(run, 0, end) or _DEFANGED.match(run):
        return None
    possessive = _possessive_end(run, end, soft, around)
    others = [end] if possessive != end else []
    if soft < certain:
        others.append(_stripped_end(run, certain, around))
    if not opened.endswith(("*", "~", "=")):
        others.extend(_kept_tails(run, end, soft))
    kept = dict.fromkeys(other for other in others if other > possessive)
    return Trimmed(possessive, tuple(kept))


def _kept_tails(run: str, end: int, soft: int) -> range:
    """Return the ends that keep some of what was stripped, up to a lonely bracket."""
    bracket = _BRACKET.search(run, end, soft)
    last = bracket.start() if bracket else soft
    return range(end + 1, min(last, end + MAX_KEPT_TAILS) + 1)


def _certain_end(run: str, around: Surroundings) -> int:
    end = len(run)
    if _BRACKET.search(run):
        end = _closing_bracket(run, around.before)
        tag = _BBCODE.search(run, 0, end)
        end = tag.start() if tag else end
    port = _PORT_AND_WORDS.match(run, 0, end)
    end = port.end() if port else end
    opened = around.before[-3:]
    for marker in ("**", "~~", "=="):
        if opened.endswith(marker):
            end = min(end, run.find(marker) % (len(run) + 1))
    if opened.endswith(("'", "\u2018")):
        quote = re.search("['\u2019](?![\\w%-]|/(?!$))", run[:end])
        end = quote.start() if quote else end
    return end


def _closing_bracket(run: str, before: str) -> int:
    """Return where a bracket closes that was opened before the URL; the run's length, if none does."""
    expected = _open_brackets(before)
    host = _HOST.match(run)
    stack: list[str] = []
    for match in _BRACKET.finditer(run, host.end() if host and "]" in host[0] else 0):
        bracket = match[0]
        if bracket in _CLOSER:
            stack.append(_CLOSER[bracket])
        elif bracket in stack[-8:]:
            while stack.pop() != bracket:
                pass
        elif bracket in expected:
            return match.start()
    return len(run)


def _open_brackets(before: str) -> set[str]:
    stack: list[str] = []
    for match in _BRACKET.finditer(before):
        bracket = match[0]
        if bracket in _CLOSER:
            stack.append(_CLOSER[bracket])
        elif stack and stack[-1] == bracket:
            stack.pop()
    return set(stack)


def _soft_end(run: str, around: Surroundings) -> int:
    end = len(run)
    if around.is_field:
        end = run.find(around.before[-1:] or ",") % (len(run) + 1)
    if "^" in run or _BRACKET.search(run):
        end = min(end, _mark_start(run), _note_start(run, around.after))
    is_ascii = run.isascii()
    if not is_ascii or "'" in run:
        words = after_extension(run[:end])
        end = end if words is None else words
    if is_ascii:
        return end
    glue = find_glue(run[:end], around.after, before_url=around.before_url)
    if glue is not None:
        end = min(end, glue[0])
    return _before_notes(run, end) if _NOTE.search(run, 0, end) else end


def _before_notes(run: str, end: int) -> int:
    """Return where a dash, a picture, a footnote mark or glued words in CJK begin."""
    for pattern in (_PROSE_DASH, _EMOJI, _NOTE_DIGITS, _SMALL_NOTE, _GLUED_BEHIND_ASCII):
        match = pattern.search(run, 0, end)
        if match and run[match.start() - 1].isalnum():
            is_title = pattern is _SMALL_NOTE and _TITLES.search(run)
            end = end if is_title else match.start()
    dots = _WIDE_ELLIPSIS.search(run, 0, end)
    return dots.start() if dots else end


def _mark_start(run: str) -> int:
    product = _PRODUCT_MARK.search(run)
    if product is not None:
        return product.start()
    for marks in _MARKS.finditer(run):
        if _AFTER_MARKS.match(run, marks.end()):
            return marks.start()
    return len(run)


def _note_start(run: str, after: str) -> int:
    """Return where a bracket opens that holds words and closes only beyond the run."""
    opened = max(_unbalanced(run, len(run)), default=-1)
    if opened < 0 or run[opened] not in "([" or run[opened - 1] in "/=?&":
        return len(run)
    closer = _CLOSER[run[opened]]
    rest = re.match(r" [^\n()\[\]]*", after)
    return opened if rest and after[rest.end() : rest.end() + 1] == closer else len(run)


def _stripped_end(run: str, end: int, around: Surroundings) -> int:
    """Return the end without the sentence's punctuation, unbalanced brackets and markers."""
    if _ELLIPSIS.search(run, max(0, end - 6), end):
        return end
    unbalanced = _unbalanced(run, end) if _BRACKET.search(run, max(0, end - 64), end) else set()
    while end and not _is_wildcard(run, end, around):
        if run[end - 1] in _STRIPPED or end - 1 in unbalanced or _is_marker(run, end, around):
            end -= 1
        elif (mark := _UNCLOSED_MARK.search(run, max(0, end - 6), end)) is not None:
            end = mark.start()
        else:
            break
    return end


def _is_wildcard(run: str, end: int, around: Surroundings) -> bool:
    """Whether the end stands for every page below, where no emphasis is open."""
    return run.endswith("/*", 0, end) and "*" not in around.before and around.after[:1] != "*"


def _is_marker(run: str, end: int, around: Surroundings) -> bool:
    """Whether the last character closes what the sentence opened, or is half an arrow or dash."""
    char, before = run[end - 1], run[end - 2]
    if char == "-":
        return around.after[:1] == ">" or "-" in (before, run[end : end + 1])
    if char not in _MARKERS or char not in around.before[-40:]:
        return False
    return char in {"_", before} or around.before.endswith(char)


def _unbalanced(run: str, end: int) -> set[int]:
    """Return the brackets of `run` that have no partner in it."""
    open_at: list[int] = []
    lonely: set[int] = set()
    for match in _BRACKET.finditer(run, 0, end):
        if match[0] in _CLOSER:
            open_at.append(match.start())
        elif open_at and _CLOSER[run[open_at[-1]]] == match[0]:
            open_at.pop()
        else:
            lonely.add(match.start())
    return lonely.union(open_at)


def _possessive_end(run: str, end: int, soft: int, around: Surroundings) -> int:
    """Leave off the possessive of a host, and of a page where the sentence goes on with a word."""
    possessive = _POSSESSIVE.search(run, max(0, end - 2), end)
    if possessive is None:
        return end
    host = _HOST.match(run)
    in_host = host is not None and host.end() >= end
    goes_on = end == soft == len(run) and re.match(r"[ \n]+[^\W\d_]", around.after)
    return possessive.start() if in_host or goes_on else end
