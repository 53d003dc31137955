"""A configuration compared with itself shows what chance alone does."""

import random

import pytest

from research_eval.stats import aa_flip_rates


def test_a_configuration_that_never_wavers_never_flips():
    rates = aa_flip_rates([[1, 1, 1, 1], [0, 0, 0, 0]], seed=1)

    assert rates == (0.0, 0.0, 200, 2)


def test_a_coin_flips_half_of_its_cases():
    rng = random.Random(1)
    cases = [[float(rng.random() < 0.5) for _ in range(4)] for _ in range(150)]
    rates = aa_flip_rates(cases, seed=1, splits=40)

    assert rates.case_flips == pytest.approx(0.5, abs=0.07)
    assert rates.false_alarms <= 0.15


def test_single_trials_cannot_be_compared_with_themselves():
    assert aa_flip_rates([[1], [0]], seed=1) is None
