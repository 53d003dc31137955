"""As much of a page's own style sheets as it takes to know what they hide."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

__all__ = ["Stylesheet", "declares_hidden"]

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_BLANKS = re.compile(r"\s+")
_HIDING = re.compile(
    r"(?:^|;)(?:"
    r"display:none"
    r"|visibility:(?:hidden|collapse)"
    r"|(?:left|top|right|bottom|text-indent|margin-left|margin-top):-\d{4,}"
    r"|(?:left|top|right):-\d{3,}(?:em|rem|vw|vh|%)"
    r"|clip:rect\((?:0|1)(?:px)?,?(?:0|1)(?:px)?,?(?:0|1)(?:px)?,?(?:0|1)(?:px)?\)"
    r"|clip-path:inset\((?:50|100)%\)"
    r")"
)
_HIDING_INLINE = re.compile(
    r"(?:^|;)(?:"
    r"opacity:0*(?:\.0*)?%?(?:[;!]|$)"
    r"|font-size:(?:[01](?:\.\d*)?(?:px|pt|%)?|0?\.\d+(?:px|pt|%)?|0(?:em|rem))(?:[;!]|$)"
    r"|color:(?:transparent|rgba\(\d+,\d+,\d+,0(?:\.0*)?\))"
    r"|transform:scale\(0(?:\.0+)?\)"
    r")"
)
"""What hides one element for good; in a style sheet scripts use the same to let it fade in."""
_ANIMATED = re.compile(r"transform:(?!scale\(0)|transition|animation|will-change|filter:|clip:text")
_EMPTY_BOX = re.compile(r"(?:^|;)(?:max-)?(?:height|width):[01](?:px)?(?:[;!]|$)")
_COLOUR = re.compile(r"(?:^|;)color:([^;!]+)")
_BACKGROUND = re.compile(r"(?:^|;)background(?:-color)?:([^;!]+)")
_COLOURS = {"white": "#ffffff", "#fff": "#ffffff", "black": "#000000", "#000": "#000000"}
_COMPOUND = re.compile(r"[a-z][a-z0-9]*|[.#][\w-]+", re.IGNORECASE)
_SIMPLE_SELECTOR = re.compile(r"(?:[a-z][a-z0-9]*)?(?:[.#][\w-]+)+\Z", re.IGNORECASE)
_SHOWING = re.compile(r"(?:^|;)(?:display:(?!none)|visibility:visible|opacity:[1.])")
_MAY_HIDE = re.compile("display|visibility|clip|indent|left|right|overflow", re.IGNORECASE)
_BRACE = re.compile(r"[{}]")
_MAX_RULES_OF_MARK = 100
_MAX_RULES = 20_000


def declares_hidden(style: str, *, is_inline: bool) -> bool:
    """Say whether the declarations of `style` take an element out of sight."""
    text = _BLANKS.sub("", style).lower()
    if _HIDING.search(text):
        return True
    if is_inline and _HIDING_INLINE.search(text) and not _ANIMATED.search(text):
        return True
    if "overflow:hidden" in text and _EMPTY_BOX.search(text):
        return True
    colour, background = _COLOUR.search(text), _BACKGROUND.search(text)
    if colour is None or background is None:
        return False
    return _COLOURS.get(colour[1], colour[1]) == _COLOURS.get(background[1], background[1])


@dataclass(frozen=True)
class _Rule:
    """A selector of one element's own marks, and whether its declarations hide."""

    tag: str
    marks: frozenset[str]
    hides: bool
    order: int

    @property
    def rank(self) -> tuple[int, int, int]:
        """Which of several rules wins: the one with more marks, then the later one."""
        ids = sum(1 for mark in self.marks if mark.startswith("#"))
        return ids, len(self.marks), self.order


@dataclass
class Stylesheet:
    """The rules that hide elements by class or id, and those that show them again."""

    rules: dict[str, dict[tuple[str, frozenset[str]], _Rule]] = field(default_factory=dict)
    """Rules by one of their marks; of two with the same selector the later one."""

    @classmethod
    def of(cls, sheets: Iterable[str]) -> "Stylesheet":
        """Read the texts of `style` elements."""
        found = cls()
        order = 0
        for text in sheets:
            if not _MAY_HIDE.search(text):
                continue
            for selectors, declarations in _blocks(_COMMENT.sub("", text[:1_000_000])):
                order += 1
                if order > _MAX_RULES:
                    return found
                found._add(selectors, declarations, order)
        return found

    def _add(self, selectors: str, declarations: str, order: int) -> None:
        hides = declares_hidden(declarations, is_inline=False)
        if not hides and not _SHOWING.search(_BLANKS.sub("", declarations).lower()):
            return
        for selector in selectors.split(","):
            name = selector.strip()
            if not _SIMPLE_SELECTOR.match(name):
                continue
            parts = _COMPOUND.findall(name)
            marks = frozenset(part for part in parts if part[0] in ".#")
            tag = "" if parts[0][0] in ".#" else parts[0].lower()
            rules = self.rules.setdefault(min(marks), {})
            if (tag, marks) in rules or len(rules) < _MAX_RULES_OF_MARK:
                rules[tag, marks] = _Rule(tag, marks, hides, order)

    def hides(self, tag: str, attrs: Mapping[str, str | None]) -> bool:
        """Say whether an element of this kind is hidden by a rule that no other rule overrules."""
        if not self.rules:
            return False
        marks = {f".{name}" for name in (attrs.get("class") or "").split()}
        if attrs.get("id"):
            marks.add(f"#{attrs['id']}")
        matching = [
            rule
            for mark in marks
            for rule in self.rules.get(mark, {}).values()
            if rule.marks <= marks and rule.tag in {"", tag}
        ]
        return bool(matching) and max(matching, key=lambda rule: rule.rank).hides


def _blocks(text: str) -> Iterable[tuple[str, str]]:
    """Yield selectors and declarations of the rules outside of `@` blocks."""
    place = 0
    while (opening := text.find("{", place)) >= 0:
        prelude = text[place:opening].rpartition(";")[2].strip()
        if prelude.startswith("@"):
            place = _end_of_block(text, opening)
            continue
        closing = text.find("}", opening)
        if closing < 0:
            return
        yield prelude, text[opening + 1 : closing]
        place = closing + 1


def _end_of_block(text: str, opening: int) -> int:
    depth = 0
    for match in _BRACE.finditer(text, opening):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.end()
    return len(text)
