"""The plan is the same whoever makes it, and resuming is planning less what is done."""

import pytest
from hypothesis import given, strategies as st

from research_eval.errors import UsageError
from research_eval.runner.plan import Shard, parse_shard, plan_trials, remaining

NAMES = st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=5, unique=True)


@given(NAMES, NAMES, st.integers(1, 4), st.integers(1, 7))
def test_shards_cover_the_plan_once(cases, configurations, trials, count):
    whole = plan_trials(cases, configurations, trials)
    parts = [
        key
        for index in range(1, count + 1)
        for key in plan_trials(cases, configurations, trials, shard=Shard(index, count))
    ]

    assert len(whole) == len(set(whole)) == len(cases) * len(configurations) * trials
    assert sorted(parts) == sorted(whole)


@given(NAMES, NAMES, st.integers(1, 3), st.randoms())
def test_what_remains_and_what_is_done_are_the_plan(cases, configurations, trials, rng):
    plan = plan_trials(cases, configurations, trials)
    done = set(rng.sample(plan, rng.randint(0, len(plan))))

    left = remaining(plan, done)

    assert set(left) | done == set(plan)
    assert not set(left) & done
    assert left == [key for key in plan if key in set(left)]


def test_configurations_of_one_case_stand_side_by_side():
    plan = plan_trials(["a", "b"], ["x", "y"], 1)

    assert [key.configuration for key in plan] == ["x", "y", "x", "y"]


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "1/0", "-1/2", "1/2/3"])
def test_a_faulty_shard_is_refused(text):
    with pytest.raises(UsageError, match="expected INDEX/COUNT"):
        parse_shard(text)


def test_a_shard_is_read():
    assert parse_shard("2/8") == Shard(2, 8)
