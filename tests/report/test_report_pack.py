"""What is packed into a page comes back as it was."""

import json

from hypothesis import given, strategies as st

from research_eval.report.pack import Table, pack, pack_value, unpack

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.text(alphabet="~1a", max_size=30),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def packed(value: object) -> str:
    table = Table()
    return pack(table.text(table.add(value)))


@given(values)
def test_what_is_packed_comes_back(value: object) -> None:
    assert unpack(packed(value)) == value


@given(values)
def test_the_quick_way_gives_the_same(value: object) -> None:
    assert unpack(pack_value(value)) == value


def test_equal_parts_are_kept_once() -> None:
    part = {"title": "a title of some length", "text": "and a text that is longer still"}
    table = Table()
    text = table.text(table.add([part] * 50))

    assert text.count("a title of some length") == 1
    assert len(json.loads(text)["parts"]) == 4


@given(st.text())
def test_packed_text_can_stand_inside_a_script_element(text: str) -> None:
    assert set(packed(text)) <= set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
    )
