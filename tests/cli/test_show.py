"""A trial is printed in the order in which it happened, and nothing of it steers the terminal."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from research_eval.cli.show import show
from research_eval.cli.show_text import BAR
from research_eval.errors import UsageError
from research_eval.schema import ModelCalled, ToolCall, Usage
from research_eval.schema.display import visible
from tests.story import Story

PAGE = "https://morvane.example/toll"
ACTING = "\x1b]0;owned\x07\x9b31m\u202eevil\r\u2066\u200b\x7f"


def printed(*words, color=False):
    result = CliRunner().invoke(
        show, [*map(str, words)], standalone_mode=False, catch_exceptions=False, color=color
    )
    assert result.return_value == 0
    return result.output


def refused(*words):
    with pytest.raises(UsageError) as caught:
        printed(*words)
    return str(caught.value)


@pytest.fixture
def keep(make_run):
    """Write a run that holds one trial alone."""

    def write(record):
        folder = make_run("one", {"c": ["1"]})
        record = record.model_copy(update={"case_id": "case-1"})
        (Path(folder) / "trials.jsonl").write_text(record.json_line() + "\n", "utf-8")
        return folder

    return write


def test_a_trial_is_told_in_the_order_in_which_it_happened(keep):
    told = Story().search(PAGE, "https://b.example/").fetch("https://b.example/", error="http_404")
    told.answer("It is 5 (https://made-up.example/).").fetch(PAGE, "The toll is 4.")
    text = printed(keep(told.answer(f"It is 4 ({PAGE}).").record()), "case-1")

    parts = [
        "case-1 / c / trial 1", f"{BAR}What is the toll at Morvane bridge?",
        "turn 1, attempt 1", "searched 'q' by serper, 2 hits", f"1. {PAGE}  A hit",
        "turn 2, attempt 1", "not opened https://b.example/: http_404",
        "attempt 1: rejected by default@", f"{BAR}It is 5", "unknown_url https://made-up.example/",
        "corrective", BAR, f"opened {PAGE}: 14 characters",
        "attempt 2: passed", f"{BAR}It is 4", "completed: an attempt passed the gate",
        "model calls",
    ]  # fmt: skip
    places, at = [], 0
    for part in parts:
        at = text.find(part, at)
        places.append((part, at >= 0))
    assert places == [(part, True) for part in parts]


def test_a_call_shows_its_arguments_and_a_failure_its_words(keep):
    call = ToolCall(id="1", name="fetch", arguments='{"url": "x"}')
    turn = ModelCalled(
        turn=1, attempt=1, text="Let me look.", tool_calls=(call,),
        finish_reason="tool_calls", usage=Usage(),
    )  # fmt: skip
    record = Story().record(error="timeout").model_copy(update={"transcript": (turn,)})
    text = printed(keep(record), "case-1")

    assert f'{BAR}Let me look.\n  calls fetch {{"url": "x"}}\n' in text
    assert "error: the infrastructure failed\n  timeout: it broke\n" in text


@pytest.mark.parametrize("color", [True, False])
def test_nothing_of_a_trial_steers_the_terminal_or_forges_a_line(keep, color, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    bad = f"{ACTING}\nattempt 9: passed by me {ACTING}"
    told = Story(f"Who? {bad}").search(f"https://a.example/{bad}", served_by=bad)
    told.fetch(f"https://a.example/{bad}", error=bad).fetch(PAGE, "t", title=bad, flags=(bad,))
    text = printed(keep(told.answer(f"No. {bad}", last=True).record()), "case-1", color=color)

    ours = text
    for style in ("\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[0m"):
        ours = ours.replace(style, "")
    assert (ours != text) is color
    assert visible(ours) == ours
    assert not any(line.startswith("attempt 9") for line in ours.splitlines())


def test_no_color_is_honoured_on_a_terminal_too(keep, monkeypatch):
    folder = keep(Story().answer("No.", last=True).record())
    monkeypatch.setenv("NO_COLOR", "1")

    assert "\x1b" not in printed(folder, "case-1", color=True)


def test_the_first_trial_is_shown_and_the_others_are_named(make_run):
    folder = make_run("two", {"b": ["10", "1-"], "a": ["11", "e0"]})

    text = printed(folder, "case-1")
    assert text.startswith("case-1 / b / trial 1\n")
    assert text.endswith("\n  b: 2 rejected\n  a: 1 completed, 2 completed\n")
    chosen = printed(folder, "case-2", "--configuration", "a", "--trial", "2")
    assert chosen.startswith("case-2 / a / trial 2\n")
    assert "other trials" not in chosen


def test_a_name_that_the_run_does_not_have_is_refused_with_the_nearest(make_run):
    folder = make_run("two", {"honest": ["10", "1-", "--"], "snippets": ["11", "--", "--"]})

    assert "no case 'case2'; the nearest of 3 is 'case-2'" in refused(folder, "case2")
    words = refused(folder, "case-1", "--configuration", "onest")
    assert "no configuration 'onest'; the nearest of 2 is 'honest'" in words
    assert "there are: 1, 2" in refused(folder, "case-1", "--trial", "3")
    assert "did not run yet" in refused(folder, "case-3")
    assert "did not run yet" in refused(folder, "case-2", "--configuration", "snippets")
