"""Which parenthesis closes which."""

import pytest

from research_eval.gate.parenthesis import ParenthesisMap


@pytest.mark.parametrize(
    ("text", "closing", "end", "is_closed"),
    [
        ("(ab)", 3, 4, True),
        ("(a(b)c)d", 6, 8, True),
        ("(a\\)b)", 5, 6, True),
        ("(ab cd)", None, 3, True),
        ("(a(b cd)", None, 4, False),
        ("(", None, 1, True),
    ],
)
def test_a_parenthesis_is_closed_in_its_stretch(
    text: str, closing: int | None, end: int, is_closed: bool
) -> None:
    assert ParenthesisMap(text).after(0, 1) == (closing, end, is_closed)


def test_content_after_white_space_is_read_by_itself() -> None:
    assert ParenthesisMap("( a(b))").after(0, 2) == (6, 7, True)
    assert ParenthesisMap("( a(b )").after(0, 2) == (None, 5, False)
    assert ParenthesisMap("( a").after(0, 2) == (None, 3, True)


def test_one_map_serves_many_parentheses() -> None:
    found = ParenthesisMap("((a)(b)) (c)")

    assert [found.after(at, at + 1)[0] for at in (0, 1, 4, 9)] == [7, 3, 6, 11]
