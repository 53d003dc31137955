"""How much runs differ, beyond what cases do by chance: against worked numbers, and at the edges."""

import numpy as np
import pytest

from research_eval.stats.day import run_variation


def test_runs_that_move_together_show_their_spread():
    chance = np.random.default_rng(5)
    cases, noise = chance.normal(0.6, 0.2, 80), chance.normal(0, 0.1, (4, 80))
    days = np.array([-0.15, -0.05, 0.05, 0.15])
    found = run_variation((cases + noise + days[:, None]).tolist())

    assert found.sd == pytest.approx(days.std(ddof=1), abs=0.02)
    assert found.interval.low < found.sd < found.interval.high
    assert found.p < 1e-6


def test_it_is_the_analysis_of_variance_by_hand():
    """Three runs of two cases: mean squares 9/2 between runs and 1/6 of the rest."""
    found = run_variation([[1.0, 2.0], [2.0, 4.0], [4.0, 5.0]])

    assert found.sd == pytest.approx(((9 / 2 - 1 / 6) / 2) ** 0.5)
    assert found.p == pytest.approx(1 / 28, abs=1e-9)


def test_what_is_the_same_everywhere_does_not_vary():
    assert run_variation([[0.5, 0.5], [0.5, 0.5]]) == (0.0, (0.0, 0.0), 1.0)


@pytest.mark.parametrize("values", [[], [[1.0, 2.0]], [[1.0], [2.0]]])
def test_too_little_is_refused(values):
    with pytest.raises(ValueError, match="two runs of two cases"):
        run_variation(values)
