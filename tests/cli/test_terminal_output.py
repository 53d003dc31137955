"""What pages, files and datasets hold is shown on a terminal without acting on it."""

import json

import pytest
from click.testing import CliRunner

from research_eval.cli.dataset import dataset
from research_eval.cli.extract import extract
from research_eval.schema.display import one_line, visible

ACTING = "\x1b]0;owned\x07\x9b31m\u202eevil\u2066\u200b\U000e0041\x7f"


def acts(text: str) -> set[str]:
    return {c for c in text if visible(c) != c}


def test_every_kind_of_acting_character_is_replaced_and_spaces_stay():
    assert acts(visible(ACTING)) == set()
    assert visible("a\tb\n\xa0\u202fc\u3000日本\u200d") == "a\tb\n\xa0\u202fc\u3000日本\u200d"


def test_a_line_is_one_line_and_is_cut_with_a_mark():
    assert one_line("a\r\n b\u2028c") == "a b c"
    assert one_line("abcdef", 3) == "abc…"
    assert one_line("abc", 3) == "abc"


@pytest.mark.parametrize("command", ["ls", "lint"])
def test_a_question_of_a_dataset_steers_no_terminal(tmp_path, command):
    path = tmp_path / "cases.jsonl"
    case = {"id": "a", "question": f"Who {ACTING}?", "tags": []}
    path.write_text(json.dumps(case) + "\n", "utf-8")

    result = CliRunner().invoke(dataset, [command, str(path)], standalone_mode=False)

    assert "a" in result.output
    assert acts(result.output) == set()


def test_the_text_of_a_page_steers_no_terminal(tmp_path):
    page = tmp_path / "page.html"
    words = "The toll at Morvane bridge is 4.50 crowns for a car. " * 5
    html = f"<html><head><title>T {ACTING}</title></head><body><p>{words}{ACTING}</p></body></html>"
    page.write_text(html, "utf-8")
    arguments = [str(page), "--url", "https://a.example/", "--content-type", "text/html"]

    result = CliRunner().invoke(extract, arguments, standalone_mode=False, catch_exceptions=False)

    assert "Morvane" in result.output
    assert acts(result.output) == set()
