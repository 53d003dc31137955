"""Characters that end a URL, and those that nobody sees."""

import re

import pytest

from research_eval.gate.character import ENDING, INVISIBLE, UNSPACED_LETTER, has_invisible

ENDS = re.compile(f"[{ENDING}]")


@pytest.mark.parametrize(
    "char", ' \t\n\u00a0\u3000<>"`|、。，．！？：；（）「」『』【】《》“”«»„‹›।،؛؟†•→│\ue200\ufffd'
)
def test_delimiters_end_a_url(char: str) -> None:
    assert ENDS.match(char)


@pytest.mark.parametrize("char", "aZ09-._~:/?#[]@!$&'()*+,;=%éßЖ中日のー々・한ไอदिع’–—…°²🙂")
def test_letters_and_inner_punctuation_do_not(char: str) -> None:
    assert not ENDS.match(char)


@pytest.mark.parametrize("char", "\u200b\u200d\u00ad\u200e\u202e\u2066\ufeff\ufe0f\u2060")
def test_invisible_characters_are_known(char: str) -> None:
    assert has_invisible(f"a{char}b")
    assert re.match(f"[{INVISIBLE}]", char)


def test_visible_text_holds_none() -> None:
    assert not has_invisible("plain")
    assert not has_invisible("日本語 é")


@pytest.mark.parametrize("char", "日のーア한ไ々Ａ")
def test_scripts_without_spaces_are_known(char: str) -> None:
    assert re.match(f"[{UNSPACED_LETTER}]", char)
