"""A report says what errors were, in the provider's words, and which model really answered."""

from xml.etree import ElementTree as ET

from research_eval.report.aggregate import build_view
from research_eval.report.junit import render_junit
from research_eval.report.markdown import render_markdown
from research_eval.schema import ModelCalled, Usage
from tests.report.test_report_aggregate import scored, small

__all__ = ["small"]  # a fixture of the tests of folding

TEXT = "openai:gpt-9: other (HTTP 404): The model `gpt-9` does not exist"


def broken(small, text=TEXT):
    """Return a run whose first trial ended in an error with this text."""
    record, trials = small
    failed = next(t for t in trials if t.status == "error")
    failure = failed.failure.model_copy(update={"kind": "other", "message": text})
    changed = failed.model_copy(update={"failure": failure})
    return record, [changed if t is failed else t for t in trials], failed


def test_the_words_of_the_provider_stand_in_report_and_junit(small):
    record, trials, _ = broken(small)
    view = build_view(record, trials, score=scored)

    markdown = render_markdown(view)
    messages = [e.get("message") for e in ET.fromstring(render_junit(view)).iter("error")]

    assert "## Errors by cause" in markdown
    assert "does not exist" in markdown
    assert f"the infrastructure failed: {TEXT}" in messages


def test_hostile_words_stay_one_cell(small):
    record, trials, _ = broken(small, "other: <script>|x|\x1b[31m\nsecond line")
    markdown = render_markdown(build_view(record, trials, score=scored))

    assert "<script>" not in markdown
    assert "\x1b" not in markdown
    assert "second line" not in markdown


def test_the_model_that_served_stands_beside_the_one_asked_for(small):
    record, trials = small
    asked = record.configurations[0].model_copy(
        update={"is_reference_agent": False, "model": "openai:asked"}
    )
    record = record.model_copy(update={"configurations": (asked,)})
    call = ModelCalled(
        turn=1, attempt=1, text="", finish_reason="stop", usage=Usage(), model="other-model-2026"
    )
    served = [
        t.model_copy(update={"transcript": (call, *t.transcript)})
        if t.configuration == asked.name
        else t
        for t in trials
    ]

    assert "other-model-2026" in render_markdown(build_view(record, served, score=scored))


def test_a_model_that_was_asked_for_is_not_told_twice(small):
    record, trials = small

    assert "served by" not in render_markdown(build_view(record, trials, score=scored))
