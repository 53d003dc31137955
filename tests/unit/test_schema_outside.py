"""What comes from outside can be read, and written again, whatever it holds."""

import json

import pytest
from hypothesis import given, strategies as st

from research_eval.schema.outside import MAX_DEPTH, read_json, safe_text, safe_value

ANY_TEXT = st.text(st.characters(categories=None), max_size=20)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | ANY_TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner) | st.tuples(inner, inner),
    max_leaves=12,
)


@given(ANY_TEXT)
def test_safe_text_can_be_written_and_changes_nothing_else(text):
    safe = safe_text(text)

    assert safe.encode().decode() == safe
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert safe is text


@given(ANY_JSON)
def test_a_safe_value_can_be_written_whole(value):
    safe = safe_value(value)

    json.dumps(safe, ensure_ascii=False).encode()
    assert safe_value(safe) is safe


def test_halves_that_follow_each_other_are_the_character_that_they_mean():
    assert safe_text("a\ud83d" + "\ude00b") == "a\U0001f600b"
    assert safe_text("a\ud83db\ude00") == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    "text",
    [
        "[" * 1500,
        '{"a":' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"a":' * 3_000 + "1" + "}" * 3_000,
        "9" * 5_000,
        '{"a": NaN}',
        "-Infinity",
        "{",
        "",
    ],
    ids=["unclosed", "deep list", "deep object", "long", "NaN", "infinity", "cut", "empty"],
)
def test_json_that_cannot_be_read_is_a_value_error(text):
    with pytest.raises(ValueError, match=r"."):
        read_json(text)


@pytest.mark.parametrize("kind", [("[", "]"), ('{"a":', "}")], ids=["list", "object"])
def test_the_depth_that_is_read_is_a_fixed_number(kind):
    before, after = kind

    def nested(depth):
        return before * depth + '"\\ud83d"' + after * depth

    value = safe_value(read_json(nested(MAX_DEPTH)))
    assert "\N{REPLACEMENT CHARACTER}" in json.dumps(value, ensure_ascii=False)
    with pytest.raises(ValueError, match="deep"):
        read_json(nested(MAX_DEPTH + 1))
