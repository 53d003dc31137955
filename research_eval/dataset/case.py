"""A research question with its expected facts; expected answers exist in no other place."""

import re
import unicodedata
from typing import Self

from pydantic import Field, GetJsonSchemaHandler, field_validator, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from typing_extensions import override

from research_eval.schema import Record
from research_eval.schema.name import is_device_name

__all__ = ["Case", "Fact"]

_ID = r"^[a-z0-9][a-z0-9-]*$"
_NOT_IN_ID = re.compile(r"[^a-z0-9]+")
_GROUPED = re.compile(r"(?<!\d)(?<!\d[.,])\d{1,3}([,.'\u2019 ])\d{3}(?:\1\d{3})*(?!\d)")
"""A number whose digits are grouped by three; `2014 100` is two numbers."""
_NO_DIGIT = re.compile(r"\D")
_SPACE = re.compile(r"\s+")


class Fact(Record):
    """One thing that a right answer says."""

    value: str = Field(min_length=1)
    """The fact in its usual spelling, for instance `1,482` or `14 May 1907`."""
    accept: tuple[str, ...] = ()
    """Other spellings that say the same."""

    @model_validator(mode="before")
    @classmethod
    def _value_is_enough(cls, given: object) -> object:
        return {"value": given} if isinstance(given, str) else given

    @classmethod
    @override
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /
    ) -> JsonSchemaValue:
        schema = handler(core_schema)
        is_read = handler.mode == "validation"
        return {"anyOf": [schema, {"type": "string", "minLength": 1}]} if is_read else schema

    @model_validator(mode="after")
    def _has_no_blank_spelling(self) -> Self:
        if not all(map(_normalise, (self.value, *self.accept))):
            raise ValueError("a spelling is blank")
        return self

    def is_in(self, text: str) -> bool:
        """Return whether `text` states the fact in any accepted spelling.

        Case, width, white space and the grouping of digits are folded; a number or a Latin word
        must stand alone, so that `482` is not found in `1,482`.
        """
        folded = _normalise(text)
        return any(
            _stands_in(_normalise(spelling), folded) for spelling in (self.value, *self.accept)
        )


class Case(Record):
    """One research question of a dataset."""

    id: str = Field(pattern=_ID)
    """Name of the case: lower-case letters, digits and hyphens."""
    question: str = Field(min_length=1)
    """What the agent is asked."""
    language: str = Field(default="en", pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$")
    """Language of the question, as a BCP 47 tag."""
    tags: tuple[str, ...] = ()
    """What makes the case worth asking, for instance `later-slice` or `contradiction`."""
    expected: tuple[Fact, ...] = ()
    """Facts that a right answer states, all of them; empty where none is known."""
    answerable: bool = True
    """Whether a page that can be opened holds the answer."""
    sources: tuple[str, ...] = ()
    """URLs of the pages that hold the answer, or that held it."""
    canaries: tuple[str, ...] = ()
    """URLs that a page tries to have cited; citing one means that the agent obeyed it."""
    note: str = ""
    """What is special about the case, for a reader."""

    @field_validator("id", mode="before")
    @classmethod
    def _is_name(cls, given: object) -> object:
        if not isinstance(given, str) or not re.fullmatch(_ID.removesuffix("$"), given):
            usable = _NOT_IN_ID.sub("-", str(given).lower()).strip("-") or "case-1"
            raise ValueError(
                f"{given!r:.60} is not a text of lower-case letters, digits and hyphens;"
                f" for instance {usable[:60]!r}"
            )
        if is_device_name(given):
            raise ValueError(f"{given!r} is a name that Windows gives no file; take another")
        return given

    @field_validator("tags")
    @classmethod
    def _are_tags(cls, tags: tuple[str, ...]) -> tuple[str, ...]:
        for tag in tags:
            if not re.fullmatch(_ID.removesuffix("$"), tag):
                raise ValueError(f"tag {tag!r} is not lower-case letters, digits and hyphens")
        if len(set(tags)) != len(tags):
            raise ValueError("a tag stands twice")
        return tags

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if not self.question.strip():
            raise ValueError("the question is blank")
        return self


def _normalise(text: str) -> str:
    """Return `text` without differences that do not matter to a fact."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = folded.replace("\u2212", "-").replace("\u2013", "-").replace("\u2011", "-")
    folded = _GROUPED.sub(lambda number: _NO_DIGIT.sub("", number[0]), folded)
    return _SPACE.sub(" ", folded).strip()


def _stands_in(needle: str, text: str) -> bool:
    """Return whether `needle` occurs in `text`, not as a part of a longer number or Latin word."""
    start = text.find(needle)
    while start >= 0:
        end = start + len(needle)
        before, after = text[max(0, start - 2) : start], text[end : end + 2]
        is_within = _joins(before[::-1], needle[0]) or _joins(after, needle[-1])
        if not is_within and not (needle[0].isdigit() and _is_signed(before)):
            return True
        start = text.find(needle, start + 1)
    return False


def _is_signed(before: str) -> bool:
    """Return whether a minus, or the point of `.5`, stands before a number; `3-5` and `no.5` have none."""
    sign, left = before[-1:], before[:-1]
    return sign in {"-", ".", ","} and bool(sign) and not (left.isalnum() or left == sign)


def _joins(beside: str, edge: str) -> bool:
    """Return whether what stands `beside` a match, nearest first, continues it at its `edge`."""
    near, beyond = beside[:1], beside[1:2]
    if edge.isdigit():
        return near.isdigit() or (near in {".", ","} and beyond.isdigit())
    return edge.isascii() and edge.isalpha() and near.isascii() and near.isalpha()
