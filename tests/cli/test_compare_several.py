"""`compare` of several runs or configurations: a page of what changed, every pair, days that differ."""

import json
from html import escape
from pathlib import Path

import pytest

from research_eval.errors import UsageError
from tests.cli.test_compare import BAD, GOOD, call, compare


def test_a_page_shows_what_differs_and_both_answers_with_the_violation(make_run, tmp_path):
    base = make_run("base", {"a": ["1", "1", "0"]})
    head = make_run("head", {"a": ["1", "0", "0"]}, gate="strict@2")
    page = tmp_path / "page.html"
    call(compare, base, head, "--html", page)
    text = page.read_text("utf-8")

    assert "Of 2 measures compared: 2 regression; 2 values of trials got worse, 0 better." in text
    assert "configuration.settings.gate" in text
    assert "strict@2" in text
    assert escape(GOOD) in text
    assert escape(BAD) in text
    assert "<li>unknown_url https://made-up.example/toll</li>" in text
    assert "<script" not in text


def test_a_hostile_answer_breaks_out_of_no_page(make_run, tmp_path):
    words = '<img src=x onerror="alert(1)"></pre><script>alert(1)</script>\u202e'
    base = make_run("base", {"a": ["1", "1"]})
    head = make_run("head", {"a": ["1", "0"]})
    journal = Path(head) / "trials.jsonl"
    told = json.dumps(f"{words} {BAD}")[1:-1]
    journal.write_text(journal.read_text("utf-8").replace(BAD, told), "utf-8")
    page = tmp_path / "page.html"
    call(compare, base, head, "--html", page)
    text = page.read_text("utf-8")

    assert escape('<img src=x onerror="alert(1)">', quote=False)[:20] in text
    assert "<img" not in text
    assert "<script" not in text
    assert "\u202e" not in text


def test_several_runs_are_compared_with_the_first_and_their_spread_is_told(make_run, tmp_path):
    cases = 12
    runs = [
        make_run(name, {"a": ["1"] * good + ["0"] * (cases - good)}, mode="live")
        for name, good in (("monday", 11), ("tuesday", 8), ("friday", 3))
    ]
    found = json.loads(call(compare, *runs, "--json")[1])

    assert [one["head"].partition(": ")[0] for one in found["comparisons"]] == list(
        map(str, runs[1:])
    )
    spread = next(one for one in found["runs"] if one["measure"] == "final_passed")
    assert list(spread["values"].values()) == pytest.approx([11 / 12, 8 / 12, 3 / 12])
    assert spread["interval"][0] < spread["sd"] < spread["interval"][1]
    assert spread["p"] < 0.01

    page = tmp_path / "page.html"
    text = call(compare, *runs, "--html", page)[1]
    assert f"3 runs of a, final_passed: 0.250 to 0.917 over {cases} cases" in text
    assert "How much the runs differ" in page.read_text("utf-8")


def test_two_runs_tell_no_spread(make_run):
    base, head = make_run("base", {"a": ["1", "0"]}), make_run("head", {"a": ["1", "1"]})

    assert json.loads(call(compare, base, head, "--json")[1])["runs"] == []


def test_every_pair_of_configurations_is_corrected_over_all_pairs(make_run):
    run = make_run("run", {"a": ["1"] * 16, "b": ["0"] * 16, "c": ["1"] * 8 + ["0"] * 8})
    text = call(compare, run, "--json")[1]
    pairs = [one for one in json.loads(text)["pairs"] if one["measure"] == "final_passed"]
    alone = 2 / 2**16

    assert [(one["base"], one["head"]) for one in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert pairs[0]["p"] == pytest.approx(3 * alone)
    assert pairs[1]["p"] == pytest.approx(2 * 2 / 2**8)
    assert pairs[0]["difference"] == -1
    assert "Every pair, p corrected (Holm) over all of them" in call(compare, run, "--all")[1]


def test_a_page_of_unpaired_rates_is_refused(make_run, tmp_path):
    base = make_run("base", {"a": ["1", "0"]})
    with pytest.raises(UsageError, match="--html shows paired comparisons"):
        call(compare, base, base, "--unpaired", "--html", tmp_path / "page.html")
    with pytest.raises(UsageError, match="cannot be written"):
        call(compare, base, base, "--html", tmp_path / "no" / "page.html")
