"""Paired tests hold the published values and the identities that define them."""

import itertools

import pytest
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar as oracle

from research_eval.stats import mcnemar, paired_bootstrap, paired_difference, paired_permutation

TABLES = [
    ((121, 59), 4.43445e-06, 3.26665e-06, 21.355556, 3.81514e-06, 20.672222, 5.45009e-06),
    ((6, 16), 0.0524788, 0.0346897, 4.545455, 0.0330063, 3.681818, 0.0550088),
    ((86, 150), 3.71594e-05, 2.89339e-05, 17.355932, 3.09929e-05, 16.817797, 4.11456e-05),
]
A = [1, 1, 0, 1, 0, 1, 1, 1, 0, 1]
B = [1, 0, 0, 1, 0, 1, 0, 1, 0, 1]


@pytest.mark.parametrize("row", TABLES)
def test_mcnemar_holds_the_published_tables(row):
    pairs, exact, mid, chi2, p, corrected, corrected_p = row
    result = mcnemar(*pairs)

    assert result.exact_p == pytest.approx(exact, rel=2e-6)
    assert result.mid_p == pytest.approx(mid, rel=2e-6)
    assert result.chi2 == pytest.approx(chi2, abs=5e-7)
    assert result.chi2_p == pytest.approx(p, rel=2e-6)
    assert result.corrected_chi2 == pytest.approx(corrected, abs=5e-7)
    assert result.corrected_p == pytest.approx(corrected_p, rel=2e-6)


@pytest.mark.parametrize(("b", "c"), [(0, 1), (3, 3), (2, 9), (0, 20), (400, 430)])
def test_mcnemar_agrees_with_scipy_and_statsmodels(b, c):
    result = mcnemar(b, c)

    assert result.exact_p == pytest.approx(binomtest(b, b + c).pvalue, rel=1e-9)
    assert result.exact_p == pytest.approx(oracle([[0, b], [c, 0]], exact=True).pvalue, rel=1e-9)


def test_a_tie_has_a_mid_p_below_one():
    """With equal counts the observed outcome is one point, not two."""
    assert mcnemar(3, 3).mid_p == pytest.approx(1 - 20 / 64 / 2)


def test_nothing_discordant_shows_no_difference():
    assert mcnemar(0, 0) == (0, 0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0)


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 2)


def test_the_paired_difference_holds_the_reference_vector():
    result = paired_difference(A, B)

    assert result.value == pytest.approx(0.2)
    assert result.standard_error == pytest.approx(0.133333, abs=5e-7)
    assert result.unpaired_standard_error == pytest.approx(0.226078, abs=5e-7)
    assert result.correlation == pytest.approx(0.654654, abs=5e-7)
    assert (result.low + result.high) / 2 == pytest.approx(0.2)
    assert result.high - 0.2 == pytest.approx(2.262157163 * 0.1333333333, rel=1e-6)


def test_a_constant_side_has_no_correlation():
    assert paired_difference([1, 1], [0, 1]).correlation is None


@pytest.mark.parametrize(("a", "b"), [([1], [1]), ([1, 2], [1])])
def test_fewer_than_two_pairs_are_refused(a, b):
    with pytest.raises(ValueError, match="pairs"):
        paired_difference(a, b)


def _by_enumeration(differences):
    observed = abs(sum(differences)) - 1e-9
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    return sum(s >= observed for s in sums) / len(sums)


@pytest.mark.parametrize(
    "differences",
    [[1, 1, -1, 0], [1 / 3, -2 / 3, 1, 1, 0, 1 / 3], [0.25, 0.25, 0.25], [1], [-1, -1, -1, -1, -1]],
)
def test_the_permutation_test_of_trial_means_is_exact(differences):
    assert paired_permutation(differences, seed=1) == pytest.approx(_by_enumeration(differences))


def test_the_permutation_test_of_yes_or_no_is_mcnemar():
    assert paired_permutation([1] * 6 + [-1] * 16, seed=1) == pytest.approx(mcnemar(6, 16).exact_p)


def test_the_permutation_test_of_real_numbers_is_drawn_and_repeats():
    differences = [2**0.5, -0.1234567891, 3**0.5, 0.7071067811, 1.1, 0.3]
    p = paired_permutation(differences, seed=1)

    assert p == paired_permutation(differences, seed=1)
    assert p == pytest.approx(_by_enumeration(differences), abs=0.02)
    assert paired_permutation([0.1 * 2**0.5] * 30, seed=1) > 0


def test_no_difference_at_all_has_p_one():
    assert paired_permutation([0, 0], seed=1) == 1.0
    assert paired_permutation([], seed=1) == 1.0


def test_the_paired_bootstrap_holds_the_difference():
    estimate = paired_bootstrap([x - y for x, y in zip(A, B, strict=True)], seed=1)

    assert estimate is not None
    assert estimate.low <= estimate.value <= estimate.high
    assert estimate.value == pytest.approx(0.2)
