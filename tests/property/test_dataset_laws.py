"""Laws of the loader: bytes become cases or one typed error, and cases survive a round trip."""

import json

from hypothesis import given, strategies as st

from research_eval.dataset import Case, Fact, parse_cases
from research_eval.errors import DatasetError

ids = st.from_regex(r"[a-z0-9][a-z0-9-]{0,12}", fullmatch=True)
words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30).filter(
    lambda text: bool(text.strip())
)
cases = st.builds(
    Case,
    id=ids,
    question=words,
    language=st.sampled_from(["en", "ja", "de", "pt-BR"]),
    tags=st.lists(ids, unique=True, max_size=3).map(tuple),
    expected=st.lists(
        st.builds(Fact, value=words, accept=st.lists(words, max_size=2).map(tuple)), max_size=3
    ).map(tuple),
    answerable=st.booleans(),
    sources=st.just(("https://a.example/",)),
    note=st.text(st.characters(codec="utf-8"), max_size=30),
)


@given(st.lists(cases, min_size=1, max_size=3, unique_by=lambda case: case.id))
def test_written_cases_are_read_back_the_same(originals):
    data = "\n".join(case.model_dump_json() for case in originals).encode()

    assert parse_cases(data) == tuple(originals)


def outcome(data: bytes) -> tuple[tuple[Case, ...], str]:
    """Return the cases, or the words of the error."""
    try:
        return parse_cases(data, name="f"), ""
    except DatasetError as exc:
        return (), str(exc)


@given(st.binary(max_size=400))
def test_any_bytes_are_cases_or_an_error_with_a_place(data):
    read, words = outcome(data)

    assert bool(read) != all(line.startswith("f:") for line in words.split("\n"))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.sampled_from([*Case.model_fields, "extra"]), json_values)
def test_a_field_of_any_type_is_read_or_named(field, value):
    read, words = outcome(json.dumps({"id": "a", "question": "q", field: value}).encode())

    assert bool(read) != words.startswith("f:1: ")
    assert all(parse_cases(case.model_dump_json().encode()) == (case,) for case in read)


@given(cases, st.integers(0, 200), st.integers(0, 255))
def test_a_flipped_byte_never_escapes_as_another_error(case, at, byte):
    data = bytearray(case.model_dump_json().encode())
    data[at % len(data)] = byte
    read, words = outcome(bytes(data))

    assert bool(read) != words.startswith("f:")


@given(words)
def test_a_fact_is_in_a_text_that_is_the_fact(value):
    assert Fact(value=value).is_in(value)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_number_is_found_only_where_it_stands(one, other):
    assert Fact(value=str(one)).is_in(f"there are {other:,} of them") == (one == other)
