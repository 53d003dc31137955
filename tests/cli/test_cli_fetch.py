"""`extract` and `fetch` on the command line show what a model would read."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from research_eval.cli.extract import extract
from research_eval.cli.fetch import fetch
from research_eval.errors import UsageError

SET = Path(__file__).parents[2] / "datasets/fetch"


def run(command, *arguments: str):
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


def test_a_batch_gives_one_result_a_line_in_order(tmp_path):
    lines = (SET / "index.jsonl").read_text(encoding="utf-8").splitlines()[:12]
    batch = tmp_path / "batch.jsonl"
    kept = [{**json.loads(line), "file": str(SET / json.loads(line)["file"])} for line in lines]
    batch.write_text("\n".join(map(json.dumps, kept)) + "\n\n", encoding="utf-8")

    results = [json.loads(line) for line in run(extract, "--batch", str(batch)).stdout.splitlines()]

    assert [result["id"] for result in results] == [json.loads(line)["id"] for line in lines]
    assert {"id", "url", "title", "content", "encoding", "flags", "truncated", "citable"} <= set(
        results[0]
    )


def test_one_document_is_shown_as_text_and_as_json(tmp_path):
    path = tmp_path / "a.html"
    path.write_text("<title>T</title><p>Words to read.</p>", encoding="utf-8")
    arguments = (str(path), "--url", "https://a.example/", "--content-type", "text/html")

    assert "title: T\n" in run(extract, *arguments).stdout
    assert json.loads(run(extract, *arguments, "--json").stdout)["content"] == "Words to read."


def test_status_and_headers_are_taken_into_account(tmp_path):
    path = tmp_path / "a.html"
    path.write_text("<p>Words to read.</p>", encoding="utf-8")
    arguments = (str(path), "--url", "https://a.example/", "--content-type", "text/html", "--json")

    missing = json.loads(run(extract, *arguments, "--status", "404").stdout)
    robots = json.loads(run(extract, *arguments, "--header", "CF-Mitigated: challenge").stdout)

    assert (missing["error"], missing["citable"]) == ("http_404", False)
    assert robots["flags"] == ["bot_wall"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not a JSON object"),
        ("[]", "not a JSON object"),
        ('{"file": "x"}', "'url'"),
        ('{"file": "nope.html", "url": "https://a.example/"}', "No such file"),
        ('{"file": 1, "url": "u"}', "'file'"),
        ('{"file": "f", "url": "u", "status": "200"}', "'status'"),
    ],
)
def test_a_bad_line_is_named_with_its_number(tmp_path, line, words):
    batch = tmp_path / "batch.jsonl"
    batch.write_text("\n" + line + "\n", encoding="utf-8")

    with pytest.raises(UsageError, match=words) as caught:
        run(extract, "--batch", str(batch))

    assert f"{batch}:2: " in str(caught.value)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("x.html",),
        ("x.html", "--batch", "y"),
        ("/nope/x.html", "--url", "u"),
        (__file__, "--url", "u", "--header", "no colon"),
    ],
)
def test_wrong_use_is_a_usage_error(arguments):
    with pytest.raises(UsageError):
        run(extract, *arguments)


def test_a_page_that_the_guard_refuses_ends_with_status_1():
    result = run(fetch, "http://127.0.0.1/")

    assert result.exit_code == 1
    assert result.stdout.startswith("error: blocked\n")


def test_a_page_that_the_guard_refuses_as_json():
    shown = json.loads(
        run(
            fetch, "http://169.254.169.254/latest", "--json", "--user-agent", "x", "--any-port"
        ).stdout
    )

    assert (shown["citable"], shown["error"], shown["content"]) == (False, "blocked", None)
