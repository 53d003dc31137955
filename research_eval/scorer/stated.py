"""An answer in, the confidence that it states out.

Read are `80 %`, `0.8`, `8/10`, `8 out of 10`, and a number whose scale is named, such as
`Confidence (0-100): 80`. A number above 1 without a scale may be out of ten or out of a hundred, and
words such as "high" are no number: such statements are seen and left unread.
"""

# ruff: noqa: RUF001  # marks of many scripts stand here on purpose

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Stated", "find_confidence"]

_WORD = (
    r"(?:\b(?:confidence|certainty|konfidenz|sicherheit|zuversicht|confiance|certitude|confianza"
    r"|certeza|fiducia|säkerhet|sikkerhed|sikkerhet)\b|確信度|信頼度|自信度|置信度)"
)
_LABEL = re.compile(
    rf"{_WORD}\s*(?:(?:score|level|rating|estimate)\b\s*)?(?:(?:in|of) (?:this|the|my) \w+\s*)?"
    r"(?:[(\[](?P<scale>[^()\[\]\n]{1,40})[)\]]\s*)?"
    r"(?P<mark>[:=|]|(?:is|of|at|ist|est|es|är|er)\b|[-–—](?=\s))?\s*"
    r"(?:(?:about|around|roughly|approximately|etwa|environ|ca\.?|≈)\s*)?",
    re.IGNORECASE,
)
_NUMBER = r"(?:\d+(?:[.,]\d+)?|\.\d+)"
_PERCENT = r"%|per ?cent\b|prozent\b|pour cent\b|por ciento\b|procent\b|prosent\b|パーセント"
_GAP = r"[^\S\n]*"
_VALUE = re.compile(
    rf"(?P<value>{_NUMBER}){_GAP}"
    rf"(?:(?P<percent>{_PERCENT})|(?:/|(?:out of|von|sur|de|av|af)\b){_GAP}(?P<whole>{_NUMBER}))?"
    rf"(?P<more>[.,/]?\d|{_GAP}/|{_GAP}(?:[-–—]|to\b|bis\b){_GAP}\d)?"
    rf"(?:{_GAP}[(\[]?(?P<scale>(?:on a scale|out of|of|0|1)\b[^()\[\]\n]{{0,30}}))?",
    re.IGNORECASE,
)
_SCALE = re.compile(
    rf"(?:on a scale )?(?:(?:of|from) )?(?P<low>{_NUMBER})\s*(?:-|–|to|bis|à|a)\s*(?P<high>{_NUMBER})"
    rf"|(?:out of|of|max\.?) (?P<top>{_NUMBER})|(?P<percent>(?:in |as )?(?:{_PERCENT}|percentage))",
    re.IGNORECASE,
)
_SURE = re.compile(
    rf"\b(?:I am|I'm|we are|we're) [^.!?\d\n]{{0,20}}(?P<value>{_NUMBER})\s*(?:{_PERCENT})\s*"
    r"(?:confident|certain|sure)\b",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"[*_`~]")


class Stated(NamedTuple):
    """One statement of a confidence."""

    text: str
    share: float | None
    """Between 0 and 1; `None` where it is told in words, or on a scale that nobody named."""


def find_confidence(answer: str) -> Stated | None:
    """Return the last confidence that can be read, else the last that is stated; `None` without one.

    >>> find_confidence("It is 12. Confidence: 80 %").share, find_confidence("Certainty: 8/10").share
    (0.8, 0.8)
    """
    text = unicodedata.normalize("NFKC", _EMPHASIS.sub("", answer))
    text = text.replace("’", "'").replace("⁄", "/")
    found = [one for _, one in sorted(_statements(text), key=lambda placed: placed[0])]
    best = [one for one in found if one.share is not None] or found
    return best[-1] if best else None


def _statements(text: str) -> Iterator[tuple[int, Stated]]:
    for sure in _SURE.finditer(text):
        yield sure.start(), Stated(sure[0], _share(_number(sure["value"]), 100))
    for label in _LABEL.finditer(text):
        value = _VALUE.match(text, label.end())
        if value is not None:
            share = None if value["more"] else _read(label, value)
            if share is not None or label["mark"]:
                yield label.start(), Stated(label[0] + value[0], share)
        elif label["mark"] in {":", "="}:
            rest = text[label.end() :].partition("\n")[0].strip()
            if rest:
                yield label.start(), Stated(label[0] + rest[:40], None)


def _read(label: re.Match[str], value: re.Match[str]) -> float | None:
    """Return the share that a number stands for, if its scale can be told."""
    number = _number(value["value"])
    if value["percent"]:
        return _share(number, 100)
    if value["whole"]:
        return _share(number, _number(value["whole"]))
    if "\n" in label[0]:
        return None  # the number begins a line of its own, perhaps of a list
    for said in (label["scale"], value["scale"]):
        scale = _SCALE.match(said.strip()) if said else None
        if scale is not None:
            return _on(scale, number)
    has_mark_or_point = label["mark"] or not value["value"].isdigit()
    return number if number <= 1 and has_mark_or_point else None


def _on(scale: re.Match[str], number: float) -> float | None:
    """Return the share of a number on a scale that was named; one from 1 to 10 is of 10, too."""
    if scale["percent"]:
        return _share(number, 100)
    if scale["top"]:
        return _share(number, _number(scale["top"]))
    low, high = _number(scale["low"]), _number(scale["high"])
    return _share(number, high) if low in {0, 1} and low <= number else None


def _share(number: float, whole: float) -> float | None:
    return number / whole if 0 <= number <= whole and whole > 0 else None


def _number(digits: str) -> float:
    return float(digits.replace(",", "."))
