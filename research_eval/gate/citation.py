"""Citations: an answer in, every http(s) URL that it cites out.

Explicit destinations are found first; what is left is searched for bare URLs, each of which may have
several readings. Every step reads a stretch of text once, so the cost is linear in its length.
"""

import re
from collections.abc import Iterable, Iterator
from operator import attrgetter

from research_eval.gate.character import ENDING, TITLE_MARK
from research_eval.gate.code import CodeMap
from research_eval.gate.destination import Destination, find_destinations
from research_eval.gate.escape import decode_entities
from research_eval.gate.label import without_labels
from research_eval.gate.rendered import rendered_end, rendered_url
from research_eval.gate.run import (
    HOST,
    MIN_SCHEME_CHARS,
    SCHEME,
    Run,
    RunReader,
    scheme_finder,
    with_hosts,
)
from research_eval.gate.template import (
    find_namespaces,
    is_in_tag,
    is_template,
    leads_nowhere,
)
from research_eval.gate.trim import Surroundings, Trimmed, trim
from research_eval.schema import Citation

__all__ = ["extract_citations"]

MAX_TABLE_CHARS = 1000
"""How far before a row the header of its table is looked for."""

MAX_SPACES = 9
"""How many spaces may stand before a line break that cuts a URL."""

LOOK_AROUND = 200
"""How many characters before and after a bare URL are looked at."""

_START = attrgetter("start")
_SURROGATE = re.compile("[\ud800-\udfff]")
_AUTOLINK = re.compile(r"([^\x00-\x20<>]+)>|([^\x00-\x1f<>]{1,500})>")
_WRAPPED_AUTOLINK = re.compile(r"([^\x00-\x20<>]+(?:[ \t]*\n[ \t]*[^\x00-\x20<>]+){1,3})>")
_PLAIN = re.compile(
    r"([hH][tT][tT][pP][sS]?://[A-Za-z0-9.-]*[A-Za-z0-9](?::[0-9]+)?"
    r"(?:[/?#](?:[A-Za-z0-9/.?=&%+#:@!_~-]*[A-Za-z0-9/=])?)?)"
    r"(\*{0,3}[.,;:!?]?)[)\]]{0,2}[.,;:]?(?=[\"`|]?(?:[ \t\r\n]|$))"
)
"""A URL in plain ASCII without brackets, commas or quotes, and the sentence's end after it."""

_PLAIN_AUTOLINK = re.compile(r"([hH][tT][tT][pP][sS]?://[^\x00-\x20<>&|]+)>")
_NEEDS_A_LOOK = frozenset("<+_~='$\u2018")
_WRAP_IN_BRACKET = re.compile(
    r"[ \t]{0,8}\r?\n[ \t]{0,8}((?:[/?#&][\w%]|[\w.%-]{1,80}=)(?:(?!https?://)[^\s()<>]){0,500})\)"
)
"""The rest of a URL that a line break cuts, up to the bracket that was opened before it."""

_TITLE_MARK = re.compile(f"[{TITLE_MARK}]")
_REST_OF_TITLE = re.compile(rf"(?:[{TITLE_MARK}][^{ENDING}]{{0,40}}){{1,4}}")
_REFERENCE_BEFORE = re.compile(r"&#?[A-Za-z0-9]{1,32};$")
_STANDS_FOR_MORE = ("*", ".")
_OTHER_SCHEME = re.compile(r"(?<![A-Za-z0-9.-])(?:git|svn|hg|bzr|ssh|web|pip|sparse|dav)\+$")
_HEADER = re.compile(
    r"(?:^|,)\"?(?:url|uri|link|source|href|website|address)\"?(?:,|$)", re.IGNORECASE
)
_GLUED_LABEL = re.compile(r"!?\[[^\[\]]*\]\($")
_WRAP = re.compile(r"[ \t]{0,8}\r?\n[ \t>]*(?![-+]\s|\d{1,9}[.)]\s)([^\s<>\"'`|()\[\]{}*]+)")


def extract_citations(text: str) -> tuple[Citation, ...]:
    """Return the citations of `text`, in order.

    A URL that a link shows as its own text counts once.
    """
    if not text.isascii() and _SURROGATE.search(text):
        text = _SURROGATE.sub("\ufffd", text)
    explicit = [_explicit(one) for one in find_destinations(text)]
    bare = [*_Scanner(text, explicit).citations()]
    if not bare:
        return tuple(explicit)
    if not explicit and "..." not in text and "\u2026" not in text:
        return tuple(bare)
    return tuple(without_labels(text, sorted(explicit + bare, key=_START)))


def _explicit(found: Destination) -> Citation:
    start, end, url, form, is_relative = found
    if is_relative:
        other = f"http{url.removeprefix('https')}"
        return Citation(url=url, start=start, end=end, form=form, readings=(other,))
    return Citation(url=url, start=start, end=end, form=form)


class _Scanner:
    """Finds the URLs of one text that no form delimits."""

    def __init__(self, text: str, explicit: list[Citation]) -> None:
        self._text = text
        self._taken = [(one.start, one.end) for one in explicit]
        self._code = CodeMap(text)
        self._taken += [span for span in find_namespaces(text) if self._is_name(span)]
        self._taken.sort()
        self._runs = RunReader(text)
        self._next_scheme = scheme_finder(text)
        if "www." in text:
            self._next_scheme = with_hosts(text, self._next_scheme)
        self._position = 0
        self._limit = len(text)
        """Where the next explicit destination begins."""

    def citations(self) -> Iterator[Citation]:
        """Yield bare URLs and autolinks, in order."""
        taken = iter([*self._taken, (len(self._text), len(self._text))])
        zone = next(taken)
        while (start := self._next_scheme(self._position)) >= 0:
            while zone[1] <= start:
                zone = next(taken)
            if zone[0] <= start:
                self._position = zone[1]
                continue
            if self._text.startswith("www.", start):
                self._position = start + len("www.")
                yield from self._hosts(start, zone[0])
                continue
            plain = self._plain(start, zone[0])
            if plain is not None:
                yield plain
                continue
            self._position = start + MIN_SCHEME_CHARS
            yield from self._read(start, zone[0])

    def _is_name(self, span: tuple[int, int]) -> bool:
        """Whether nothing of the name at `span` can be clicked."""
        return is_in_tag(self._text, span) or self._code.holds(span[0])

    def _plain(self, start: int, limit: int) -> Citation | None:
        """Return the citation at `start` where nothing about it needs a closer look."""
        before = self._text[start - 1 : start]
        if before in _NEEDS_A_LOOK:
            return self._plain_autolink(start, limit) if self._opens_autolink(start) else None
        match = _PLAIN.match(self._text, start, limit)
        if match is None:
            return None
        if before == "(" and _WRAP_IN_BRACKET.match(self._text, match.end(), limit):
            return None
        url, tail = match.group(1, 2)
        if url.find("://", 8) > 0 or _is_doubtful(url, tail):
            return None
        if before == "*":
            if tail[:1] != "*":
                return None
            tail = ""
        end = self._position = match.end(1)
        readings = tuple(url + tail[: length + 1] for length in range(len(tail))) if tail else ()
        if "\n" in self._text[match.end() : match.end() + MAX_SPACES]:
            wrapped = _WRAP.match(self._text, match.end(), limit)
            if wrapped is not None:
                readings = (*readings, _joined(self._text[start : match.end()], wrapped))
        return Citation(url=url, start=start, end=end, readings=readings)

    def _hosts(self, start: int, limit: int) -> Iterator[Citation]:
        """Yield what begins with `www.`: a renderer links it as `http:`, and a reader as either."""
        if self._code.holds(start):
            return
        self._limit = limit
        run = self._runs.read(start, limit, scheme="http://")
        self._position = max(self._position, run.end)
        for one in self._bare(run, is_limited=run.end == limit < len(self._text)):
            if one.start != start:
                yield one
            elif HOST.match(one.url):
                both = (*one.readings, *(f"https{url[4:]}" for url in (one.url, *one.readings)))
                yield one.model_copy(update={"readings": both})

    def _opens_autolink(self, start: int) -> bool:
        return self._text[start - 1 : start] == "<" and self._text[start - 2 : start - 1] != "\\"

    def _plain_autolink(self, start: int, limit: int) -> Citation | None:
        match = _PLAIN_AUTOLINK.match(self._text, start, limit)
        if match is None:
            return None
        end = self._position = match.end(1)
        return Citation(url=match[1], start=start, end=end, form="autolink")

    def _read(self, start: int, limit: int) -> Iterator[Citation]:
        if self._opens_autolink(start):
            autolink = self._autolink(start, limit)
            if autolink is not None:
                self._position = autolink.end
                yield autolink
                return
        self._limit = limit
        run = self._runs.read(start, limit)
        self._position = max(self._position, run.end)
        yield from self._bare(run, is_limited=run.end == limit < len(self._text))

    def _autolink(self, start: int, limit: int) -> Citation | None:
        wrapped = _WRAPPED_AUTOLINK.match(self._text, start, limit)
        match = wrapped or _AUTOLINK.match(self._text, start, limit)
        if match is None:
            return None
        written = match[1] or match[2]
        if match[1] is None and ("|" in written or SCHEME.search(written, 8)):
            return None
        url = decode_entities(re.sub(r"[ \t]*\n[ \t]*", "", written))
        if not SCHEME.match(url):
            return None
        place = {"start": start, "end": start + len(written)}
        shown, bar, _ = url.partition("|")  # a chat's `<URL|label>`
        if bar:
            return Citation(url=shown, readings=(url,), form="autolink", **place)
        return Citation(url=url, form="autolink", **place)

    def _bare(self, run: Run, *, is_limited: bool) -> Iterator[Citation]:
        """Yield the URLs of a run: the one that begins it, and those that begin after its end."""
        first = 0
        schemes = SCHEME.finditer(run.text, 1)
        following = next(schemes, None)
        while True:
            inside = following
            while inside is not None and _is_nested(run.text, inside.start()):
                inside = next(schemes, None)
            last = inside.start() if inside else len(run.text)
            piece = _Piece(run, first, last, before_url=inside is not None or is_limited)
            citation, used = self._judge(piece)
            if citation is not None:
                self._position = max(self._position, citation.end)
                yield citation
                while inside is not None and run.place(inside.start()) < citation.end:
                    inside = next(schemes, None)
            if inside is None and used >= len(piece.text):
                return
            if used < len(piece.text):
                schemes = SCHEME.finditer(run.text, first + max(used, 7))
                inside = next(schemes, None)
            if inside is None:
                return
            first, following = inside.start(), next(schemes, None)

    def _judge(self, piece: "_Piece") -> tuple[Citation | None, int]:
        """Return the citation that `piece` holds, if any, and how much of the piece it takes."""
        start, end = piece.run.place(piece.first), piece.run.place(piece.first + len(piece.text))
        before = self._text[max(0, start - LOOK_AROUND) : start].rpartition("\n")[2]
        if before.endswith("+") and _OTHER_SCHEME.search(before):
            return None, len(piece.text)
        wrap = None
        if before.endswith("(") and not piece.before_url:
            wrap = _WRAP_IN_BRACKET.match(self._text, end, self._limit)
        if wrap is not None:
            url = piece.text + wrap[1]
            return Citation(url=url, start=start, end=wrap.end(1)), len(piece.text)
        after = self._text[end : end + LOOK_AROUND]
        around = Surroundings(before, after, piece.before_url, self._is_field(before, start))
        trimmed = trim(piece.text, around)
        if trimmed is None:
            return None, len(piece.text)
        url = piece.text[: trimmed.end]
        if self._is_no_page(piece, url, after):
            return None, len(piece.text)
        finish = piece.run.place(piece.first + trimmed.end)
        longer = rendered_end(self._text, start, finish, self._limit, is_field=around.is_field)
        if longer is not None:
            whole, taken = rendered_url(url, self._text[finish:longer])
            finish += taken
            return Citation(url=whole, start=start, end=finish), len(piece.text)
        citation = Citation(
            url=url,
            start=start,
            end=finish,
            readings=_readings(piece, trimmed, _beyond(piece.text, after)),
        )
        return citation, trimmed.end

    def _is_no_page(self, piece: "_Piece", url: str, after: str) -> bool:
        if leads_nowhere(piece.text, after if len(piece.text) == len(url) + 1 else ""):
            return True
        return is_template(piece.text, after) and self._code.holds(piece.run.place(piece.first))

    def _is_field(self, before: str, start: int) -> bool:
        """Whether the URL at `start` is a field of a separated line."""
        if before.endswith((",", ";")):
            return not _REFERENCE_BEFORE.search(before)
        return not before and start > 0 and _follows_header(self._text, start)


def _is_doubtful(url: str, tail: str) -> bool:
    """Whether the end of a plain URL needs a closer look."""
    is_entity = tail == ";" and "&" in url
    stands_for_more = url[-1] == "/" and tail[:1] in _STANDS_FOR_MORE
    return is_entity or stands_for_more or ("%" in url and is_template(url, ""))


def _beyond(stretch: str, after: str) -> Iterator[str]:
    """Yield the URL with what follows its end, where that might be a part of it.

    That is the next line, where a break cuts the URL, or the full-width punctuation of a title.
    """
    wrap = _WRAP.match(after)
    if wrap is not None:
        yield _joined(stretch, wrap)
    rest = _REST_OF_TITLE.match(after)
    if rest is not None:
        for mark in _TITLE_MARK.finditer(rest[0]):
            yield stretch + rest[0][: mark.end()]
        yield stretch + rest[0]


def _joined(stretch: str, wrap: re.Match[str]) -> str:
    return stretch + wrap[1].rstrip(".,;:!?")


def _follows_header(text: str, start: int) -> bool:
    """Whether the lines before `start` are a table whose header names a column of URLs."""
    commas = text[start : start + LOOK_AROUND].partition("\n")[0].count(",")
    for line in reversed(text[max(0, start - MAX_TABLE_CHARS) : start - 1].split("\n")):
        if not commas or line.count(",") != commas:
            return False
        if _HEADER.search(line):
            return True
        if not line.startswith("http"):
            return False
    return False


def _is_nested(run: str, index: int) -> bool:
    """Whether the URL that begins at `index` of a run belongs to the one before it."""
    return run[index - 1] in "/=?&#:%+@$~^"


class _Piece:
    """The part of a run that may hold one URL."""

    def __init__(self, run: Run, first: int, last: int, *, before_url: bool) -> None:
        self.run = run
        self.first = first
        self.before_url = before_url
        self.text = run.text[first:last]
        label = _GLUED_LABEL.search(self.text) if before_url else None
        if label:
            self.text = self.text[: label.start()]


def _readings(piece: _Piece, trimmed: Trimmed, beyond: Iterable[str]) -> tuple[str, ...]:
    url = piece.text[: trimmed.end]
    readings = [piece.text[:end] for end in trimmed.others]
    if piece.run.is_decoded:
        readings.append(piece.run.written(piece.first, piece.first + trimmed.end))
    readings.extend(beyond)
    return tuple(reading for reading in dict.fromkeys(readings) if reading != url)
