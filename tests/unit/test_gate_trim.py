"""Trimming: where a URL ends, and which other ends a human could see."""

import pytest

from research_eval.gate.trim import Surroundings, trim

URL = "https://a.example/x"


def _kept(run: str, before: str = "", after: str = "") -> str | None:
    trimmed = trim(run, Surroundings(before, after))
    return None if trimmed is None else run[: trimmed.end]


@pytest.mark.parametrize(
    "tail",
    [
        ".",
        ",",
        "!?",
        ")",
        ").",
        "]",
        "}",
        "**",
        "'",
        "’",
        "…",
        "[1]",
        "[1][2].",
        "[^1]",
        "\\",
        "(",
        "—",
    ],
)
def test_what_belongs_to_the_sentence_is_stripped(tail: str) -> None:
    assert _kept(URL + tail) == URL


@pytest.mark.parametrize(
    "inside",
    ["(y)", "a(y)z", ",y", ";y", "!y", "'y", "*y", "[y]z", "[y]", "y)z", "/…", "/...", "_"],
)
def test_what_belongs_to_the_url_stays(inside: str) -> None:
    assert _kept(URL + inside) == URL + inside


@pytest.mark.parametrize("inside", ["❤cats", "❤\ufe0fcats", "😀-face", "✅2", "😀été"])
def test_an_emoji_with_letters_behind_it_is_inside_the_url(inside: str) -> None:
    assert _kept(URL + inside) == URL + inside


@pytest.mark.parametrize("tail", ["❤", "😀😀", "✅!", "✅[1].", "✅详见下文"])
def test_an_emoji_at_the_end_is_no_part_of_the_url(tail: str) -> None:
    assert _kept(URL + tail) == URL


@pytest.mark.parametrize(
    ("before", "run", "kept"),
    [
        ("(", f"{URL})y", URL),
        ("(see ", f"{URL})y", URL),
        ("(", f"{URL}(y))z", f"{URL}(y)"),
        ("[", f"{URL}][y", URL),
        ("**", f"{URL}**y", URL),
        ("~~", f"{URL}~~y", URL),
        ("'", f"{URL}','y", URL),
        ("'", f"{URL}'s'", f"{URL}'s"),
        ("_", f"{URL}_", URL),
        ("_see ", f"{URL}_y_", f"{URL}_y"),
    ],
)
def test_what_was_opened_before_closes_after(before: str, run: str, kept: str) -> None:
    assert _kept(run, before) == kept


def test_a_possessive_is_left_off_where_the_sentence_goes_on() -> None:
    assert _kept(f"{URL}'s", after=" tables") == URL
    assert _kept(f"{URL}'s", after=")") == f"{URL}'s"
    assert _kept("https://a.example's", after=")") == "https://a.example"


def test_other_ends_keep_what_was_stripped_up_to_a_bracket() -> None:
    trimmed = trim(f"{URL}.!)", Surroundings("", ""))

    assert trimmed is not None
    assert [f"{URL}.!)"[:end] for end in trimmed.others] == [f"{URL}.", f"{URL}.!"]


def test_markup_that_was_opened_is_no_other_end() -> None:
    trimmed = trim(f"{URL}**", Surroundings("**", ""))

    assert trimmed is not None
    assert trimmed.others == ()


@pytest.mark.parametrize(
    "run", ["https://", "https://...", "https://)", "https://*.a.example", "https://-"]
)
def test_without_a_host_there_is_no_url(run: str) -> None:
    assert _kept(run) is None
