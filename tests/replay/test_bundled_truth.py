"""Measured over the whole stack, every reference agent shows exactly its known true values."""

from collections import Counter, defaultdict
from hashlib import sha256

import pytest

from research_eval.experiment import bundled_experiment, load_experiment
from research_eval.journal import RunFolder
from research_eval.model import known_values
from research_eval.schema import ToolCalled
from research_eval.stats import wilson

CONFIGURATIONS = [
    item
    for item in load_experiment(bundled_experiment("calibration")).settings.configuration
    if item.model.is_reference_agent
]
PLAIN = [
    item for item in CONFIGURATIONS if "mixed" not in item.model.name and item.gate == "default"
]
MIXED = [item for item in CONFIGURATIONS if "mixed" in item.model.name]


@pytest.fixture(scope="session")
def trials(calibration_run):
    """Return the run's trials by configuration."""
    found = defaultdict(list)
    for record in RunFolder(calibration_run).trials():
        found[record.configuration].append(record)
    return found


def first_passes(records):
    return sum(record.attempts[0].verdict.passed for record in records)


def test_the_experiment_is_as_large_as_it_says(trials):
    assert len(trials) >= 8
    assert {len(records) for records in trials.values()} == {len(trials["honest"])}
    assert len({record.case_id for record in trials["honest"]}) >= 48
    assert {record.trial for record in trials["honest"]} == {1, 2, 3}


@pytest.mark.parametrize("item", PLAIN, ids=lambda item: item.name)
def test_a_reference_agent_shows_its_known_values(item, trials):
    records = trials[item.name]
    truth = known_values(item.model.name.removeprefix("reference:"))
    retries = item.agent.max_retries

    assert {record.status for record in records} <= {"completed", "rejected"}
    assert first_passes(records) / len(records) == truth.first_attempt_passed()
    completed = sum(record.status == "completed" for record in records)
    assert completed / len(records) == truth.passed(retries)
    assert {len(record.attempts) - 1 for record in records} == {truth.mean_retries(retries)}
    kinds = Counter(
        violation.kind
        for record in records
        for attempt in record.attempts
        for violation in attempt.verdict.violations
    )
    rejected = truth.mean_rejections(retries) * len(records)
    assert kinds == {kind: rejected for kind in truth.violations if rejected}


@pytest.mark.parametrize("item", MIXED, ids=lambda item: item.name)
def test_the_interval_of_mixed_holds_its_probability(item, trials):
    records = trials[item.name]
    truth = known_values(item.model.name.removeprefix("reference:"))

    first = wilson(first_passes(records), len(records))
    final = wilson(sum(r.status == "completed" for r in records), len(records))

    assert first.low <= truth.first_attempt_passed() <= first.high
    assert final.low <= truth.passed(item.agent.max_retries) <= final.high


def test_who_served_the_searches_is_what_the_faults_make_it(trials):
    served = {
        name: Counter(
            event.served_by
            for record in records
            for event in record.transcript
            if event.kind == "search" and event.served_by
        )
        for name, records in trials.items()
    }

    assert set(served["honest-serper-down"]) == {"brave"}
    assert set(served["honest-serper-flaky"]) == {"brave", "serper"}
    assert served["fabricator-fetch-only"] == Counter()
    assert served["honest"]["serper"] > served["honest"]["brave"]


def test_a_later_reader_sees_what_each_model_read(calibration_run, trials):
    folder = RunFolder(calibration_run)
    called = [
        event
        for records in trials.values()
        for record in records
        for event in record.transcript
        if isinstance(event, ToolCalled)
    ]
    read = {event.result_sha256: folder.result(event) for event in called}

    assert all(sha256(text.encode()).hexdigest() == digest for digest, text in read.items())
    assert all(len(read[event.result_sha256]) == event.result_chars for event in called)
    assert len(read) < len(called) / 20, "equal results are kept once"
