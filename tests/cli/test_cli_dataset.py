"""`research-eval dataset` lists, checks and counts, and says in one line what is wrong."""

import subprocess
import sys

import pytest


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "research_eval", "dataset", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.fixture
def bad(tmp_path):
    file = tmp_path / "cases.jsonl"
    file.write_text(
        '{"id": "a", "question": "is it 7?", "expected": [{"value": "7"}], "sources": ["https://a.example/"]}\n'
    )
    return file


def test_the_bundled_dataset_passes_its_check():
    done = run("lint")

    assert done.returncode == 0
    assert done.stdout.endswith("cases, 0 findings\n")


def test_a_finding_is_named_and_exits_1(bad):
    done = run("lint", bad)

    assert done.returncode == 1
    assert done.stdout == "a: the question gives the answer away\n1 cases, 1 findings\n"


def test_ls_shows_the_cases_of_a_tag():
    done = run("ls", "--tag", "euc-jp")

    assert done.returncode == 0
    assert done.stdout.startswith(
        "kasumidani-tunnel\tja\tsingle-page,japanese,euc-jp\t霞谷森林鉄道"
    )


def test_card_prints_the_counts(bad):
    assert "| cases | 1 |" in run("card", bad).stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ls", "--tag", "nope"], "unknown tag 'nope'"),
        (["lint", "no/such/file"], "no/such/file: cannot read the dataset"),
    ],
)
def test_bad_input_is_one_line_and_exits_2(arguments, words):
    done = run(*arguments)

    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
