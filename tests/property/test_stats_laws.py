"""Laws that hold for every estimate, whatever the numbers."""

import pytest
from hypothesis import given, settings, strategies as st

from research_eval.stats import (
    Cluster,
    clopper_pearson,
    cluster_bootstrap,
    clustered_mean,
    holm,
    mcnemar,
    newcombe,
    paired_difference,
    paired_permutation,
    pass_at_k,
    pass_hat_k,
    rank_intervals,
    rogan_gladen,
    wilson,
)

unit = st.integers(0, 1000).map(lambda i: i / 1000)
upper = st.integers(510, 1000).map(lambda i: i / 1000)
counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
thirds = st.lists(
    st.sampled_from([-1, -2 / 3, -1 / 3, 0, 1 / 3, 2 / 3, 1]), min_size=1, max_size=30
)
clusters = st.lists(
    st.integers(0, 4).flatmap(lambda w: st.tuples(st.integers(0, w), st.just(w))), max_size=25
)


@given(counts, st.sampled_from([0.5, 0.8, 0.95, 0.999]))
def test_an_interval_holds_its_estimate_and_stays_within_bounds(pair, confidence):
    k, n = pair
    for interval in (wilson(k, n, confidence), clopper_pearson(k, n, confidence)):
        assert 0.0 <= interval.low <= k / n <= interval.high <= 1.0


@given(counts)
def test_an_interval_mirrors_when_yes_and_no_change_places(pair):
    k, n = pair
    ours, theirs = wilson(k, n), wilson(n - k, n)

    assert ours.low == pytest.approx(1 - theirs.high)


@given(counts)
def test_more_confidence_is_a_wider_interval(pair):
    k, n = pair
    narrow, wide = wilson(k, n, 0.8), wilson(k, n, 0.99)

    assert wide.low <= narrow.low
    assert narrow.high <= wide.high


@given(counts, st.data())
def test_all_of_k_is_never_likelier_than_one_of_k(pair, data):
    passed, n = pair
    k = data.draw(st.integers(1, n))

    assert 0 <= pass_hat_k(n, passed, k) <= pass_at_k(n, passed, k) <= 1
    assert pass_hat_k(n, passed, 1) == pytest.approx(passed / n) == pass_at_k(n, passed, 1)


@given(counts, st.data())
def test_a_larger_k_is_harder_for_all_and_easier_for_one(pair, data):
    passed, n = pair
    k = data.draw(st.integers(1, n))
    smaller = max(1, k - 1)

    assert pass_hat_k(n, passed, k) <= pass_hat_k(n, passed, smaller) + 1e-12
    assert pass_at_k(n, passed, smaller) <= pass_at_k(n, passed, k) + 1e-12


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_does_not_care_who_is_first_and_mid_p_is_the_smaller(b, c):
    forth, back = mcnemar(b, c), mcnemar(c, b)

    assert forth.exact_p == back.exact_p
    assert 0 < forth.mid_p <= forth.exact_p <= 1 or forth.exact_p < 1e-80


@given(thirds)
def test_a_permutation_p_is_a_chance_and_mirrors(differences):
    p = paired_permutation(differences, seed=1)

    assert 0 < p <= 1
    assert p == pytest.approx(paired_permutation([-d for d in differences], seed=1))


@given(st.lists(st.tuples(unit, unit), min_size=2, max_size=20))
def test_a_paired_difference_changes_its_sign_with_its_sides(pairs):
    a, b = zip(*pairs, strict=True)
    forth, back = paired_difference(a, b), paired_difference(b, a)

    assert forth.low <= forth.value <= forth.high
    assert forth.value == pytest.approx(-back.value)
    assert forth.low == pytest.approx(-back.high)


@given(clusters)
def test_a_ratio_of_clusters_lies_in_its_intervals(rows):
    table = [Cluster(float(t), float(w)) for t, w in rows]
    t, bootstrap = clustered_mean(table), cluster_bootstrap(table, seed=1, draws=200)
    if t is None or bootstrap is None:
        assert t is bootstrap is None
        return

    assert t.low <= t.value <= t.high
    assert 0 <= bootstrap.low <= bootstrap.value <= bootstrap.high <= 1
    assert t.value == pytest.approx(bootstrap.value)


@settings(max_examples=8)  # the library collects garbage at each call
@given(st.lists(unit, max_size=12))
def test_a_correction_never_lowers_a_p_value_and_keeps_the_order(p_values):
    adjusted = holm(p_values)

    assert all(p - 1e-12 <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    assert [adjusted[i] for i in order] == sorted(adjusted)


@given(counts, counts)
def test_a_difference_of_proportions_lies_in_its_interval(first, second):
    estimate = newcombe(*first, *second)

    assert -1 <= estimate.low <= estimate.value <= estimate.high <= 1


@given(unit, upper, upper)
def test_taking_the_error_out_undoes_putting_it_in(true, sensitivity, specificity):
    seen = true * sensitivity + (1 - true) * (1 - specificity)

    assert rogan_gladen(seen, sensitivity, specificity) == pytest.approx(true, abs=1e-9)


@given(
    st.lists(st.lists(st.sampled_from([0, 0.5, 1]), min_size=5, max_size=5), min_size=1, max_size=5)
)
def test_a_rank_lies_in_its_interval(rows):
    values = {str(i): row for i, row in enumerate(rows)}
    for interval in rank_intervals(values, seed=1, draws=100).values():
        assert 1 <= interval.low <= interval.rank <= interval.high <= len(rows)
