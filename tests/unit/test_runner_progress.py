"""The display tells waiting from hanging: what is asked, held back, in line, and for how long."""

import io

from rich.console import Console

from research_eval.model import LimiterStatus
from research_eval.runner import progress
from research_eval.runner.progress import PlainProgress
from research_eval.schema import TrialKey

KEY = TrialKey("a", "c", 1)


def line(waits, monkeypatch):
    monkeypatch.setattr(progress, "PLAIN_INTERVAL_S", 0.0)
    out = io.StringIO()
    view = PlainProgress(Console(file=out), 3, 1, lambda: waits)
    view.started(KEY)
    view.tick()
    return out.getvalue()


def test_a_tick_tells_who_holds_a_run_back_and_for_how_long(monkeypatch):
    held = LimiterStatus(0, 12, 4, 11.6, 4, 0.0)

    said = line({"openai": held}, monkeypatch)

    assert said.startswith("1/3 trials: 1 running, 1 waiting")
    assert "openai: held for 12 s, 4 to be sent again, 12 in line" in said


def test_a_tick_tells_how_long_the_oldest_call_has_been_out(monkeypatch):
    said = line({"http://h/v1": LimiterStatus(2, 0, 32, 0.0, 0, 41.2)}, monkeypatch)

    assert "http://h/v1: 2 asked, the oldest for 41 s" in said


def test_a_provider_with_nothing_to_say_is_left_out(monkeypatch):
    assert "openai" not in line({"openai": LimiterStatus(0, 0, 32, 0.0, 0, 0.0)}, monkeypatch)
