"""A dataset is read whole, or the error names file, line and what was expected."""

import json

import pytest

from research_eval.dataset import find_faults, load_cases, parse_cases
from research_eval.errors import DatasetError

GOOD = '{"id": "a", "question": "q?"}'


def test_cases_keep_their_order_and_blank_lines_are_skipped(tmp_path):
    file = tmp_path / "cases.jsonl"
    file.write_text(f'{GOOD}\n\n  \r\n{{"id": "b", "question": "ｑ"}}\r\n', "utf-8")

    assert [case.id for case in load_cases(file)] == ["a", "b"]
    assert load_cases(tmp_path) == load_cases(file)


def test_a_byte_order_mark_is_no_fault():
    assert parse_cases(b"\xef\xbb\xbf" + GOOD.encode())[0].id == "a"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"id": "b"', "not JSON at column"),
        (b"[1]", "expected a JSON object, found an array"),
        (b"null", "expected a JSON object, found null"),
        (b"17", "expected a JSON object, found a number"),
        (b'{"id": "b"}', "question: is missing"),
        (b'{"id": "b", "question": 5}', "question: expected a valid string; found 5"),
        (
            b'{"id": "b", "question": "q", "expect": []}',
            "expect: unknown key; did you mean 'expected'?",
        ),
        (
            b'{"id": "b", "question": "q", "zzz": []}',
            "zzz: unknown key; expected one of id, question,",
        ),
        (b'{"id": "B!", "question": "q"}', "id: 'B!' is not"),
        (b'{"id": "b", "question": "q", "tags": ["x y"]}', "tags: tag 'x y'"),
        (b'{"id": "b", "id": "c", "question": "q"}', "key 'id' stands twice"),
        (b'{"id": "a", "question": "q"}', "case id 'a' was used on line 1"),
        (b'{"id": "b", "question": "\xff"}', "is not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_line_that_is_no_case_is_named_with_its_place(line, words):
    with pytest.raises(DatasetError) as caught:
        parse_cases(GOOD.encode() + b"\n\n" + line + b"\n", name="cases.jsonl")

    message = str(caught.value)
    assert message.startswith("cases.jsonl:3: ")
    assert words in message
    assert "\n" not in message


def test_a_missing_file_and_an_empty_one_are_errors(tmp_path):
    with pytest.raises(DatasetError, match="cannot read the dataset"):
        load_cases(tmp_path / "none.jsonl")
    (tmp_path / "cases.jsonl").write_text("\n")
    with pytest.raises(DatasetError, match="holds no case"):
        load_cases(tmp_path)


def test_a_case_survives_being_written_and_read():
    case = parse_cases(GOOD.encode())[0]

    assert parse_cases(case.model_dump_json().encode()) == (case,)
    assert parse_cases(json.dumps(case.model_dump(mode="json")).encode()) == (case,)


def test_a_fact_may_be_just_a_text_and_its_source_unknown():
    line = b'{"id": "b", "question": "q", "expected": ["83.4 km", {"value": "v", "accept": ["w"]}]}'

    (case,) = parse_cases(line)

    assert [fact.value for fact in case.expected] == ["83.4 km", "v"]


def test_every_mistake_of_every_line_is_said_at_once(tmp_path):
    file = tmp_path / "cases.jsonl"
    file.write_text('{"id": "B", "qestion": "q", "tags": 5}\n[1]\n{"id": "a", "question": "q"}\n')

    with pytest.raises(DatasetError) as caught:
        load_cases(file)

    assert list(caught.value.faults) == find_faults(file)
    assert [fault.removeprefix(f"{file}:").split(": ")[:2] for fault in find_faults(file)] == [
        ["1", "id"],
        ["1", "tags"],
        ["1", "qestion"],
        ["2", "expected a JSON object, found an array"],
    ]
    assert any("qestion: unknown key; did you mean 'question'?" in one for one in find_faults(file))


def test_every_line_at_fault_is_found(tmp_path):
    file = tmp_path / "cases.jsonl"
    file.write_bytes(b'{"id": "a", "question": "q"}\n[1]\n\n{"id": "a", "question": "q"}\n\xff')

    assert [fault.split(": ")[0] for fault in find_faults(tmp_path)] == [
        f"{file}:{number}" for number in (2, 4, 5)
    ]
