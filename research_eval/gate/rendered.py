"""What a renderer links beyond the place where the gate ends a bare URL.

GFM ends an autolink at white space or `<` alone. Where the gate ends earlier, what follows is the
sentence's in most cases: punctuation, a reference mark, a quotation mark that was opened before.
Where it is none of these, a reader would open the longer URL, and that one counts.
"""

import re

from research_eval.gate.escape import decode_markdown
from research_eval.gate.extension import AFTER_EXTENSION, EXTENSION
from research_eval.gate.template import TAGS

__all__ = ["rendered_end", "rendered_url"]

MAX_TAIL_CHARS = 300
"""How much of what follows is looked at."""

_ESCAPED_TAG = rf"&lt;(?:/[A-Za-z][A-Za-z0-9]*(?:&gt;|$)|(?:{'|'.join(sorted(TAGS))})/?&gt;|br\s)"
_STOP = re.compile(rf"[\x00-\x20<]|{_ESCAPED_TAG}|(?i:https?:[/\\&])")
_BREAK = re.compile(r"[\x00-\x20<]")
_AT_REST = frozenset(" \n\t\r<")
_PUNCTUATION = r"!-/:-@\[-`{-~"
_HARMLESS = re.compile(rf"[{_PUNCTUATION}]*$")
_FOREIGN = re.compile(
    r"[!-.:-@\[-`{-~]*(?![\u2018-\u201f\u00ab\u00bb\u2039\u203a])[^\x00-\x7f]|[(\[][^()\[\]A-Za-z]*[^\x00-\x7f]"
)
"""Words of another script, or punctuation beyond ASCII, perhaps with punctuation before them."""

_WIDE_SEPARATOR = re.compile("[\uff1f\uff0f\uff5e\uff03\uff06\uff1d\uff05][A-Za-z0-9]")
_UPWARDS = re.compile(r"[/\\](?:\.|%2e){2}(?![^/\\?#])", re.IGNORECASE)
"""What leads a browser to another page, whatever stands before it."""

_WIDE_DOT = re.compile("[\u3002\uff0e\uff61][A-Za-z0-9]")
_MARK = re.compile(
    r"[.,;:!?)\]}*_]{0,6}(?:\^?\[\^?\d{1,3}[\]^,\u2013-]|\^\d|\[\^?\d{1,3}$|\[oai_citation|:contentReference|\[cite|\]\[)"
)
"""A mark that refers to a source, or the second half of a link of Org mode."""

_ESCAPED = re.compile(r"\\+(?:[nrt\"]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})")
"""A break or delimiter as JSON and program text write it."""

_GLUED_LABEL = re.compile(r"!?\[[^\[\]]*\]\($")
_AFTER_BRACKET = re.compile(
    r"[)\]}]+[*_~]*$|[)\]}]+[.,;:!?'\"*>)\]}|]*(?:$|[^\x00-\x7f]|[\[({]|(?<=[,;:])[A-Za-z]+$|\\+[nrt])"
)
_AFTER_QUOTE = re.compile(r"\\*[\"'`][a-z]?(?:$|[^A-Za-z0-9/_=&#%~+>-]|/?>(?![^\s<]*[/?=&#]))")
_OPENS_QUOTE = re.compile(r"([\"'`])[^\"'`]*$")
_TYPOGRAPHIC = re.compile(
    "[.,;:!?]{0,3}[\u2018-\u201f\u00ab\u00bb\u2039\u203a](?![A-Za-z0-9/_=&#%~+-])"
)
_EMPHASIS = re.compile(r"\*{1,3}|~~")
_WORD = re.compile(r"[A-Za-z0-9/_=&#%~+-]")
_GOES_ON = re.compile(r"[.,;:!?][^\s<]*/")
"""A path behind the end of an emphasis, which makes a renderer take all of it."""
_HOST_ONLY = re.compile(r"https?://[^/?#]*$", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['\u2019]s(?![A-Za-z0-9])")
_GFM_TRAILING = re.compile(r"[?!.,:*_~'\"]+$")
_BBCODE = re.compile(r"\[/[A-Za-z]{1,8}\]")
_BBCODE_OPEN = re.compile(r"\[[A-Za-z]{1,8}=[\"']?$")
_NEVER_OF_A_URL = (_FOREIGN, _MARK, _BBCODE, _ESCAPED, _GLUED_LABEL)
_NOT_A_PORT = re.compile(r"https?://[^/?#@]*:[0-9]{1,5}$", re.IGNORECASE)


def rendered_end(text: str, start: int, end: int, limit: int, *, is_field: bool) -> int | None:
    """Return where a renderer ends the URL at `start`, if that counts instead of `end`.

    Nothing beyond `limit` is looked at.
    """
    if text[end : end + 1] in _AT_REST or end >= limit:
        return None
    last = min(limit, end + MAX_TAIL_CHARS)
    stop = _STOP.search(text, end, last)
    last = stop.start() if stop else last
    if text.startswith("&lt;", end) and last > end:
        return last
    tail = _BREAK.split(decode_markdown(text[end:last]), maxsplit=1)[0]
    if not tail or _HARMLESS.match(tail):
        return None
    before = text[max(0, start - MAX_TAIL_CHARS) : start].rpartition("\n")[2]
    url = text[start:end]
    if _is_sentence(tail, before, url, is_field=is_field):
        return None
    return last


def rendered_url(url: str, tail: str) -> tuple[str, int]:
    """Return the URL that a renderer links, and how much of `tail`, behind `url`, it takes."""
    written = tail
    while True:
        trimmed = _GFM_TRAILING.sub("", written)
        whole = url + trimmed
        if trimmed.endswith(")") and whole.count(")") > whole.count("("):
            trimmed = trimmed[:-1]
        if trimmed == written:
            break
        written = trimmed
    is_escaped_tag = "&lt;" in written
    meant = written if is_escaped_tag else _BREAK.split(decode_markdown(written), maxsplit=1)[0]
    return url + meant, len(written)


def _is_sentence(tail: str, before: str, url: str, *, is_field: bool) -> bool:
    """Whether `tail`, which stands right behind `url`, is none of it."""
    if _leads_away(tail, url):
        return False
    if _HOST_ONLY.match(url) and _POSSESSIVE.match(tail):
        return True
    return (
        any(pattern.match(tail) for pattern in _NEVER_OF_A_URL)
        or (is_field and tail[0] in ",;")
        or (EXTENSION.search(url) is not None and AFTER_EXTENSION.match(tail) is not None)
        or _NOT_A_PORT.match(url) is not None
        or _is_closed(tail, before)
    )


def _leads_away(tail: str, url: str) -> bool:
    """Whether `tail` makes a browser open another page or host, whatever it looks like."""
    if _WIDE_SEPARATOR.match(tail) or _UPWARDS.search(tail):
        return True
    if _HOST_ONLY.match(url) and _WIDE_DOT.match(tail):
        return True
    return "@" in tail and _NOT_A_PORT.match(url) is not None


def _is_closed(tail: str, before: str) -> bool:
    """Whether `tail` begins by closing what was opened before the URL, and does not go on."""
    first = tail[0]
    if first in ")]}":
        is_tag = first == "]" and _BBCODE_OPEN.search(before) is not None
        return is_tag or _AFTER_BRACKET.match(tail) is not None
    if first in "|>":
        row = before.lstrip()[:1] == "|" or before.endswith(("|", "<"))
        return row if first == "|" else "<" in before
    emphasis = _EMPHASIS.match(tail)
    if emphasis is not None:
        goes_on = _WORD.match(tail, emphasis.end()) or _GOES_ON.match(tail, emphasis.end())
        return before.endswith(emphasis[0]) and not goes_on
    return _TYPOGRAPHIC.match(tail) is not None or _is_quoted(tail, before)


def _is_quoted(tail: str, before: str) -> bool:
    quote = tail.lstrip("\\")[:1]
    if quote == "`":
        return before.count("`") % 2 == 1
    opened = _OPENS_QUOTE.search(before)
    return opened is not None and opened[1] == quote and _AFTER_QUOTE.match(tail) is not None
