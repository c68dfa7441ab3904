"""Calibration numbers on arrays small enough to count by hand, and against scipy and scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from studies.separation import auc, bootstrap_auc, bootstrap_mean, hits, pair_accuracy, permutation_threshold, telling

A = np.array([3.0, 1.0, 2.0])
B = np.array([0.0, 1.0, 4.0])


def drawn(seed: int, shift: float = 0.0, pairs: int = 23) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    return generator.normal(shift, 1, size=(pairs, 2, 3)), generator.normal(size=(pairs, 2, 3))


def test_auc_counts_all_cross_pairs_with_ties_half():
    # 3 beats 0 and 1, 1 beats 0 and ties with 1, 2 beats 0 and 1
    assert auc(A, B) == pytest.approx((2 + 1.5 + 2) / 9)


def test_auc_is_that_of_scikit_learn_for_every_head():
    a, b = drawn(5, 0.4)
    labels = [1] * len(a) + [0] * len(b)
    for layer in range(2):
        for head in range(3):
            expected = roc_auc_score(labels, np.concatenate([a[:, layer, head], b[:, layer, head]]))
            assert auc(a, b)[layer, head] == pytest.approx(expected)


def test_pair_accuracy_by_hand():
    assert hits(A, B).tolist() == [1, 0.5, 0]
    assert pair_accuracy(A, B) == 0.5
    a, b = drawn(7)
    assert pair_accuracy(a, b).shape == (2, 3)
    assert pair_accuracy(a, b)[1, 2] == (a[:, 1, 2] > b[:, 1, 2]).mean()


def test_bootstrap_intervals_hold_the_number_and_shrink_with_more_pairs():
    a, b = drawn(11, 0.5)
    low, high = bootstrap_auc(a, b, draws=500)
    assert low.shape == (2, 3)
    assert ((low < auc(a, b)) & (auc(a, b) < high)).all()
    few, many = np.array([0.0, 1.0] * 5), np.array([0.0, 1.0] * 500)
    few_low, few_high = bootstrap_mean(few)
    many_low, many_high = bootstrap_mean(many)
    assert few_low < many_low < 0.5 < many_high < few_high
    assert (many_low, many_high) == (pytest.approx(0.469, abs=0.005), pytest.approx(0.531, abs=0.005))


def test_the_threshold_of_two_pairs_can_be_counted():
    a, b = np.array([[2.0], [3.0]]), np.array([[0.0], [1.0]])
    # labels (ab, ab) give AUC 1, (ba, ba) 0, the mixed ones 0.75 (2 against 0: 2 of {0, 3}, …) and 0.25
    assert permutation_threshold(a, b, draws=400) == 1
    assert permutation_threshold(a, b, draws=400, level=0.7) == 0.5
    assert permutation_threshold(a, b, pairwise=True, draws=400) == 1
    assert permutation_threshold(a, b, pairwise=True, draws=400, level=0.5) == 0.5


def test_a_head_tells_only_if_it_beats_chance_the_copy_and_shuffled_words():
    values = np.array([[0.80, 0.80, 0.64, 0.60, 0.70]])
    beyond = np.array([[0.10, -0.01, 0.10, 0.10, 0.05]])
    assert telling(values, threshold=0.62, twin_best=0.65, beyond_words_low=beyond).tolist() == [
        [True, False, False, False, True]
    ]
