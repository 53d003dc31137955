"""Which parenthesis closes which, within a stretch without white space, at linear cost."""

import re

__all__ = ["ParenthesisMap"]

_STRETCH = re.compile(r"[^\x00-\x20]*")
_SPACE = re.compile(r"[\x00-\x20]")
_TOKEN = re.compile(r"\\.|[()]")


class ParenthesisMap:
    """Matches parentheses of one text; each stretch is read once, when it is first asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._start = self._end = -1
        self._closing: dict[int, int] = {}
        self._last_open = -1

    def after(self, opening: int, start: int) -> tuple[int | None, int, bool]:
        """Return what follows the parenthesis at `opening`, whose content begins at `start`.

        Three things: where it is closed within its stretch, where that stretch ends (at white
        space, or with the text), and whether all that opens inside is closed.
        """
        if _SPACE.search(self._text, opening + 1, start):
            return self._scan(start)  # at most once a stretch: only its beginning follows a space
        self._read(opening)
        return self._closing.get(opening), self._end, self._last_open <= opening

    def _scan(self, start: int) -> tuple[int | None, int, bool]:
        stretch = _STRETCH.match(self._text, start)
        end = stretch.end() if stretch else start
        depth = 0
        for token in _TOKEN.finditer(self._text, start, end):
            depth += {"(": 1, ")": -1}.get(token[0], 0)
            if depth < 0:
                return token.start(), end, True
        return None, end, depth == 0

    def _read(self, opening: int) -> None:
        if self._start <= opening < self._end:
            return
        stretch = _STRETCH.match(self._text, opening)
        self._start, self._end = opening, stretch.end() if stretch else opening
        self._closing = {}
        stack: list[int] = []
        for token in _TOKEN.finditer(self._text, self._start, self._end):
            if token[0] == "(":
                stack.append(token.start())
            elif token[0] == ")" and stack:
                self._closing[stack.pop()] = token.start()
        self._last_open = stack[-1] if stack else -1
