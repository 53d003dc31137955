"""Cut a text into slices that add up to the whole and split no character that a person sees."""

import unicodedata

__all__ = ["boundary_after", "boundary_at"]

_JOINER = "\u200d"
_VIRAMA = 9
"""Combining class of the sign that joins two consonants of Indic scripts."""
_LOOK_BACK = 64
"""A longer cluster than this is hostile, and is split."""


def boundary_at(text: str, index: int) -> int:
    """Return the last place at or before `index` where a slice may end or begin.

    That may be the very start; where there is none for `_LOOK_BACK` characters, it is `index`.
    """
    if index <= 0 or index >= len(text):
        return min(max(index, 0), len(text))
    place = index
    while place > 0 and index - place < _LOOK_BACK and _continues(text, place):
        place -= 1
    return place if index - place < _LOOK_BACK else index


def _continues(text: str, place: int) -> bool:
    """Say whether the character at `place` belongs to what stands before it."""
    here, before = text[place], text[place - 1]
    if here in {"\n", "\u200c"}:
        return before == "\r"
    return (
        unicodedata.category(here) in {"Mn", "Me", "Mc"}
        or _JOINER in {here, before}
        or _is_modifier(here)
        or (_is_regional(here) and _regionals_before(text, place) % 2 == 1)
        or _is_hangul_tail(before, here)
        or (unicodedata.combining(before) == _VIRAMA and here.isalpha())
    )


def _is_modifier(char: str) -> bool:
    return "\U0001f3fb" <= char <= "\U0001f3ff" or "\U000e0020" <= char <= "\U000e007f"


def _is_regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _regionals_before(text: str, place: int) -> int:
    count = 0
    while count < place and count < _LOOK_BACK and _is_regional(text[place - 1 - count]):
        count += 1
    return count


def _is_hangul_tail(before: str, here: str) -> bool:
    """Say whether two conjoining jamo, or a syllable and a jamo, form one syllable block."""
    is_vowel_or_final = "\u1160" <= here <= "\u11ff"
    return is_vowel_or_final and ("\u1100" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3")


def boundary_after(text: str, index: int) -> int:
    """Return the first place at or after `index` where a slice may end."""
    place = index
    while place < len(text) and place - index < _LOOK_BACK and _continues(text, place):
        place += 1
    return min(place, len(text))
