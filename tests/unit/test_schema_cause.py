"""Failures of many trials come out as the few causes behind them, in the provider's words."""

import pytest
from hypothesis import given, strategies as st

from research_eval.schema import Failure, TrialKey, TrialRecord, causes_of, failure_words


def trial(number, message, *, kind="other", configuration="mini", status="error"):
    return TrialRecord(
        case_id=f"c{number}",
        configuration=configuration,
        trial=1,
        question="Q?",
        status=status,
        failure=Failure(kind=kind, message=message),
    )


def test_the_same_text_with_another_request_id_is_one_cause():
    missing = "openai:gpt-9: other (HTTP 404): The model `gpt-9` does not exist (request req_{})"
    trials = [trial(n, missing.format(f"{n}f3a")) for n in range(7)]
    trials.append(trial(8, "openai:gpt-9: timeout: took too long", kind="timeout"))

    first, second = causes_of(trials)

    assert (first.kind, first.trials, first.first) == ("other", 7, TrialKey("c0", "mini", 1))
    assert first.line.startswith("7 trials of mini: openai:gpt-9: other (HTTP 404): The model")
    assert (second.kind, second.trials) == ("timeout", 1)


def test_texts_that_differ_in_words_are_two_causes():
    trials = [trial(1, "m: other: no such model"), trial(2, "m: other: no such region")]

    assert len(causes_of(trials)) == 2


def test_one_cause_may_stop_several_configurations():
    trials = [trial(1, "x: down", configuration=name) for name in ("b", "a", "b")]

    (cause,) = causes_of(trials)

    assert cause.configurations == ("a", "b")
    assert cause.trials == 3


def test_only_errors_have_causes():
    assert not causes_of([trial(1, "it ran out of turns", status="limit")])


@pytest.mark.parametrize("message", ["", " \n ", "\x1b[31mred\x1b[0m\nsecond line", "x" * 5000])
def test_words_are_one_short_line_without_control_characters(message):
    words = failure_words(Failure(kind="server", message=message))

    assert "server" in words
    assert "\x1b" not in words
    assert "second" not in words
    assert len(words) < 300


@given(st.lists(st.text(max_size=30), max_size=12), st.randoms())
def test_the_order_of_trials_decides_nothing(messages, rng):
    trials = [trial(n, message) for n, message in enumerate(messages)]
    shuffled = rng.sample(trials, len(trials))

    assert causes_of(trials) == causes_of(shuffled)
    assert sum(cause.trials for cause in causes_of(trials)) == len(trials)
