"""Citations: an answer in, every http(s) URL that it cites out.

Explicit destinations are found first; what is left is searched for bare URLs, each of which may have
several readings. Every step reads a stretch of text once, so the cost is linear in its length.
"""

import re
from collections.abc import Iterator

from research_eval.gate.destination import find_destinations
from research_eval.gate.escape import decode_entities
from research_eval.gate.run import SCHEME, Run, RunReader, find_schemes
from research_eval.gate.template import find_namespaces, is_template
from research_eval.gate.trim import Surroundings, Trimmed, trim
from research_eval.schema import Citation

__all__ = ["extract_citations"]

LOOK_AROUND = 200
"""How many characters before and after a bare URL are looked at."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_AUTOLINK = re.compile(r"([^\x00-\x20<>]+)>|([^\x00-\x1f<>]{1,500})>")
_WRAPPED_AUTOLINK = re.compile(r"([^\x00-\x20<>]+(?:[ \t]*\n[ \t]*[^\x00-\x20<>]+){1,3})>")
_OTHER_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9.-]*\+$")
_GLUED_LABEL = re.compile(r"!?\[[^\[\]]*\]\($")
_WRAP = re.compile(r"[ \t]*\r?\n[ \t>]*([^\s<>\"'`|()\[\]{}*]+)")


def extract_citations(text: str) -> tuple[Citation, ...]:
    """Return the citations of `text`, in order.

    A URL that a link shows as its own text counts once.
    """
    if not text.isascii():
        text = _SURROGATE.sub("\ufffd", text)
    explicit = [
        Citation(url=found.url, start=found.start, end=found.end, form=found.form)
        for found in find_destinations(text)
    ]
    found = [*_Scanner(text, explicit).citations()]
    if explicit:
        found = [*_without_link_texts(text, sorted([*explicit, *found], key=lambda one: one.start))]
    return tuple(found)


class _Scanner:
    """Finds the URLs of one text that no form delimits."""

    def __init__(self, text: str, explicit: list[Citation]) -> None:
        self._text = text
        self._taken = [(one.start, one.end) for one in explicit]
        self._taken += find_namespaces(text)
        self._taken.sort()
        self._runs = RunReader(text)

    def citations(self) -> Iterator[Citation]:
        """Yield bare URLs and autolinks, in order."""
        schemes = find_schemes(self._text)
        taken = iter([*self._taken, (len(self._text) + 1, 0)])
        zone = next(taken)
        position = 0
        while (match := schemes.search(self._text, position)) is not None:
            start = match.start()
            while zone[0] <= start and zone[1] <= start:
                zone = next(taken)
            if zone[0] <= start:
                position = zone[1]
                continue
            position = match.end()
            citation, position = self._read(start, match.end())
            if citation is not None:
                yield citation

    def _read(self, start: int, after_scheme: int) -> tuple[Citation | None, int]:
        before = self._text[max(0, start - LOOK_AROUND) : start].rpartition("\n")[2]
        if before.endswith("<"):
            autolink = self._autolink(start)
            if autolink is not None:
                return autolink, autolink.end
        run = self._runs.read(start)
        if before.endswith("+") and _OTHER_SCHEME.search(before):
            return None, max(run.end, after_scheme)
        return self._bare(run, before, start, after_scheme)

    def _autolink(self, start: int) -> Citation | None:
        wrapped = _WRAPPED_AUTOLINK.match(self._text, start)
        match = wrapped or _AUTOLINK.match(self._text, start)
        if match is None:
            return None
        written = match[1] or match[2]
        if match[1] is None and ("|" in written or SCHEME.search(written, 8)):
            return None
        url = decode_entities(re.sub(r"[ \t]*\n[ \t]*", "", written))
        if not SCHEME.match(url):
            return None
        return Citation(url=url, start=start, end=start + len(written), form="autolink")

    def _bare(
        self, run: Run, before: str, start: int, after_scheme: int
    ) -> tuple[Citation | None, int]:
        stretch, before_url = _before_next_url(run.text)
        label = _GLUED_LABEL.search(stretch) if before_url else None
        if label:
            stretch = stretch[: label.start()]
        end = run.place(len(stretch))
        after = self._text[end : end + LOOK_AROUND]
        around = Surroundings(before, after, before_url, self._is_field(before, start))
        trimmed = trim(stretch, around)
        position = max(end, after_scheme)
        if trimmed is None or is_template(stretch[: trimmed.end], after):
            return None, position
        place = run.place(trimmed.end)
        url = stretch[: trimmed.end]
        readings = _readings(run, stretch, trimmed, _wrapped(stretch, after))
        return Citation(url=url, start=start, end=place, readings=readings), position

    def _is_field(self, before: str, start: int) -> bool:
        """Whether the URL at `start` is a field of a comma-separated line."""
        if before.endswith(",") and not before.endswith(" ,"):
            return True
        return not before and start > 0 and _is_header(self._text, start)


def _wrapped(stretch: str, after: str) -> str | None:
    """Return the URL together with the beginning of the next line, if a line break cuts it."""
    wrap = _WRAP.match(after)
    return None if wrap is None else stretch + wrap[1].rstrip(".,;:!?")


def _is_header(text: str, start: int) -> bool:
    line = text[max(0, start - 1 - LOOK_AROUND) : start - 1].rpartition("\n")[2]
    commas = line.count(",")
    row = text[start : start + LOOK_AROUND].partition("\n")[0]
    return commas > 0 and ", " not in line and row.count(",") == commas


def _before_next_url(run: str) -> tuple[str, bool]:
    """Return the run up to where another URL begins in it, unless that one is nested."""
    if run.find("://", 8) < 0:
        return run, False
    for match in SCHEME.finditer(run, 8):
        if run[match.start() - 1] not in "/=?&#:%+@$~^":
            return run[: match.start()], True
    return run, False


def _readings(run: Run, stretch: str, trimmed: Trimmed, wrapped: str | None) -> tuple[str, ...]:
    url = stretch[: trimmed.end]
    readings = [stretch[:end] for end in trimmed.others]
    if run.is_decoded:
        readings.append(run.written(trimmed.end))
    if wrapped is not None:
        readings.append(wrapped)
    return tuple(reading for reading in dict.fromkeys(readings) if reading != url)


def _without_link_texts(text: str, found: list[Citation]) -> Iterator[Citation]:
    """Leave out a bare URL that only shows where the link around it leads."""
    for index, citation in enumerate(found):
        if citation.form == "bare":
            after = found[index + 1] if index + 1 < len(found) else None
            before = found[index - 1] if index else None
            if after and after.form == "markdown" and _shows(text, citation, after):
                continue
            if before and before.form == "html" and _is_anchor_text(text, before, citation):
                continue
        yield citation


def _shows(text: str, shown: Citation, link: Citation) -> bool:
    between = text[shown.end : link.start]
    return len(between) < 24 and "](" in between and _is_same(shown.url, between[:3], link.url)


def _is_anchor_text(text: str, link: Citation, shown: Citation) -> bool:
    between = text[link.end : min(shown.start, link.end + LOOK_AROUND)]
    is_inside = shown.start - link.end < LOOK_AROUND and "</" not in between
    return is_inside and _is_same(shown.url, text[shown.end : shown.end + 3], link.url)


def _is_same(shown: str, after: str, url: str) -> bool:
    if after.startswith(("\u2026", "...")):
        return url.startswith(shown)
    return shown.rstrip("/") == url.rstrip("/")
