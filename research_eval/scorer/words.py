"""Text in, what can be compared out: content words, numbers, names, sentences."""

# ruff: noqa: RUF001  # marks of many scripts stand here on purpose

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

__all__ = [
    "Number",
    "content_words",
    "count_words",
    "names",
    "normalise",
    "numbers",
    "sentences",
    "spelled_numbers",
]

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_SPACE = re.compile(r"\s+")
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»「」『』＂", '"') | dict.fromkeys("‘’‚‛′＇", "'"))
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))
_NUMBER = re.compile(
    r"(?<![A-Za-zÀ-ɏ\d_.,])(\d{1,3}(?:[,.'’\u00a0\u202f ]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)(?!\d)"
    r"\s?(thousand|million|billion|trillion|[kmb]n?\b|千|万|億|兆)?",
    re.IGNORECASE,
)
_YEAR_RANGE = re.compile(r"(\d\d)(\d\d)[-–/]$")
_SCALES = {
    "thousand": 1e3, "k": 1e3, "千": 1e3, "million": 1e6, "m": 1e6, "mn": 1e6, "billion": 1e9,
    "b": 1e9, "bn": 1e9, "trillion": 1e12, "万": 1e4, "億": 1e8, "兆": 1e12,
}  # fmt: skip
_SPELLED = {
    "ten": 10, "eleven": 11, "twelve": 12, "dozen": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90, "hundred": 100, "thousand": 1000,
}  # fmt: skip
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[^\sa-z])|(?<=[。！？])|\n+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:Dr|Mr|Mrs|Ms|Prof|St|No|Nos|Inc|Ltd|Co|Corp|vs|etc|approx|ca|Fig|Jr|Sr|e\.g|i\.e"
    r"|z\.B|bzw|Nr|U\.S|U\.K|a\.m|p\.m)|\b[A-Z])\.$"
)
_STOP = frozenset(
    """a an the and or but if of in on at by to from for with without as is are was were be been
    being it its this that these those which who whom whose what when where why how than then so
    such not no nor do does did done has have had having will would can could may might shall
    should must also there their they them he she his her him we our us you your i my me into
    over under about after before between during through per each any all both more most other
    some only own same too very just der die das und oder ein eine einer eines einem einen ist
    sind war waren im in den dem des von zu mit auf für als auch nicht le la les un une des du et
    ou est sont en dans sur par pour avec que qui el los las una y o es son por con para del och
    att som den det ett av på""".split()  # noqa: SIM905  # one word a line would fill a page
)


def normalise(text: str) -> str:
    """Return `text` without differences of width, case, quotes, dashes and white space."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _SPACE.sub(" ", folded.translate(_QUOTES).translate(_DASHES)).strip()


def content_words(text: str) -> set[str]:
    """Return the words that carry meaning; scripts without spaces give pairs of characters."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    found: set[str] = set()
    for run in _CJK.findall(folded):
        found.update(run[i : i + 2] for i in range(max(1, len(run) - 1)))
    for word in _WORD.findall(_CJK.sub(" ", folded)):
        stem = word.replace("’", "'").removesuffix("'s")
        if stem not in _STOP and (len(stem) > 1 or stem.isdigit()):
            found.add(_stem(stem))
    return found


def _stem(word: str) -> str:
    """Cut the endings that English plurals and tenses differ in."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


class Number(NamedTuple):
    """A number in digits as it stands in a text."""

    text: str
    start: int
    readings: frozenset[float]
    """The values that a reader could take it for: `1.482` is one and a half, or over a thousand."""


def numbers(text: str) -> Iterator[Number]:
    """Yield the numbers of a text; digits inside a word are none, a scale is read (`2.4 million`)."""
    for match in _NUMBER.finditer(text):
        values = _values(match[1])
        scale = _SCALES.get((match[2] or "").casefold())
        if scale:
            values |= {round(value * scale, 6) for value in values}
        century = _YEAR_RANGE.search(text, max(0, match.start() - 5), match.start())
        if century and len(match[1]) == 2 and match[1] > century[2]:
            values.add(float(century[1] + match[1]))
        yield Number(match[1], match.start(), frozenset(values))


def spelled_numbers(text: str) -> set[float]:
    """Return the values of the numbers that stand in English words."""
    return {float(_SPELLED[w]) for w in _WORD.findall(text.casefold()) if w in _SPELLED}


def _values(digits: str) -> set[float]:
    """Return the readings of a number whose comma or point groups digits or marks decimals."""
    tidy = re.sub(r"['’\u00a0\u202f ]", "", digits)
    marks = [c for c in tidy if c in ",."]
    if not marks:
        return {float(tidy)}
    last = marks[-1]
    whole, _, rest = tidy.rpartition(last)
    as_decimal = float(re.sub(r"[,.]", "", whole) + "." + rest)
    as_groups = float(re.sub(r"[,.]", "", tidy))
    if len(rest) != 3:
        return {as_decimal}
    return {as_groups} if marks.count(last) > 1 else {as_groups, as_decimal}


def count_words(text: str) -> tuple[int, int]:
    """Return how many words a text has, and how many characters of scripts without spaces."""
    return len(_WORD.findall(_CJK.sub(" ", text))), sum(map(len, _CJK.findall(text)))


def names(text: str) -> set[str]:
    """Return the folded words that begin with a capital, but for the first of the sentence."""
    words = _WORD.findall(unicodedata.normalize("NFKC", text))
    return {w.casefold() for w in words[1:] if w[:1].isupper() and w.casefold() not in _STOP}


def sentences(text: str) -> list[str]:
    """Split a text into sentences; a line ends one too."""
    found: list[str] = []
    for part in _SENTENCE_END.split(text):
        piece = (part or "").strip()
        if not piece:
            continue
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return found
