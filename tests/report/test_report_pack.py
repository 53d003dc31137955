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
    return pack(table.blocks(table.add(value)))


@given(values)
def test_what_is_packed_comes_back(value: object) -> None:
    assert unpack(packed(value)) == value


@given(st.lists(values))
def test_a_list_of_parts_comes_back(some: list[object]) -> None:
    table = Table()
    assert unpack(pack(table.blocks(table.add_each(some)))) == some


@given(values)
def test_the_quick_way_gives_the_same(value: object) -> None:
    assert unpack(pack_value(value)) == value


def test_equal_parts_are_kept_once() -> None:
    part = {"title": "a title of some length", "text": "and a text that is longer still"}
    table = Table()
    text = b"".join(table.blocks(table.add_each([part] * 50)))

    assert text.count(b"a title of some length") == 1
    assert len(json.loads(text)["parts"]) == 1


def test_a_long_text_is_kept_once_wherever_it_stands() -> None:
    answer, table = "~An answer of many words. " * 8, Table()
    one, two = {"kind": "model", "text": answer, "turn": 1}, {"attempt": 1, "answer": answer}
    packed = [*table.blocks(table.add_each([one, two]))]

    assert b"".join(packed).count(b"~An answer") == 8
    assert unpack(pack(packed)) == [one, two]


@given(st.text())
def test_packed_text_can_stand_inside_a_script_element(text: str) -> None:
    assert set(packed(text)) <= set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
    )
