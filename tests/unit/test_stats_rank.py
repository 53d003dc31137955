"""Ranks come with the ranks that chance could give."""

import pytest

from research_eval.stats import rank_intervals


def test_a_clear_order_has_narrow_ranks_and_twins_share_theirs():
    good, bad = [1.0] * 40, [0.0] * 40
    ranks = rank_intervals({"bad": bad, "good": good, "twin": good}, seed=1)

    assert ranks["good"] == ranks["twin"] == (1, 1, 1)
    assert ranks["bad"] == (3, 3, 3)


def test_a_coin_toss_leaves_the_order_open():
    a = [float(i % 2) for i in range(40)]
    b = [float(i % 3 == 0) for i in range(40)]
    ranks = rank_intervals({"a": a, "b": b}, seed=1)

    assert (ranks["a"].low, ranks["a"].high) == (1, 2)
    assert ranks["a"].rank == 1


def test_lower_can_be_better():
    ranks = rank_intervals({"a": [0.0] * 5, "b": [1.0] * 5}, seed=1, higher_is_better=False)

    assert ranks["a"].rank == 1


@pytest.mark.parametrize("values", [{}, {"a": []}])
def test_no_cases_have_no_ranks(values):
    with pytest.raises(ValueError, match="same cases"):
        rank_intervals(values, seed=1)
