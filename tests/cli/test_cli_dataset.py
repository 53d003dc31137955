"""`research-eval dataset` lists, checks and counts, and says in one line what is wrong."""

from typing import NamedTuple

import pytest

from research_eval.cli.main import main


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch, capsys):
    """Call the command line in this process."""

    def call(*arguments):
        monkeypatch.setattr("sys.argv", ["research-eval", "dataset", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            main()
        return Done(int(caught.value.code or 0), *capsys.readouterr())

    return call


@pytest.fixture
def bad(tmp_path):
    file = tmp_path / "cases.jsonl"
    file.write_text(
        '{"id": "a", "question": "is it 7?", "expected": [{"value": "7"}], "sources": ["https://a.example/"]}\n'
    )
    return file


def test_the_bundled_dataset_passes_its_check(run):
    done = run("lint")

    assert done.returncode == 0
    assert done.stdout.endswith("cases, 0 findings\n")


def test_a_finding_is_named_and_exits_1(run, bad):
    done = run("lint", bad)

    assert done.returncode == 1
    assert done.stdout == "a: the question gives the answer away\n1 cases, 1 findings\n"


def test_ls_shows_the_cases_of_a_tag(run):
    done = run("ls", "--tag", "euc-jp")

    assert done.returncode == 0
    assert done.stdout.startswith(
        "kasumidani-tunnel\tja\tsingle-page,japanese,euc-jp\t霞谷森林鉄道"
    )


def test_card_prints_the_counts(run, bad):
    assert "| cases | 1 |" in run("card", bad).stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ls", "--tag", "nope"], "unknown tag 'nope'"),
        (["lint", "no/such/file"], "no/such/file: cannot read the dataset"),
    ],
)
def test_bad_input_is_one_line_and_exits_2(run, arguments, words):
    done = run(*arguments)

    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
