"""Order, width, and one weighting for all heads."""

import numpy as np
import pytest

from mha.core import MultiHead, average_weights, shuffle, trace, width_effect, word_vectors

WORDS = ("a", "b", "c", "d", "e")
ORDER = (4, 2, 0, 3, 1)


@pytest.fixture
def heads():
    return MultiHead.random(d_model=6, n_heads=3, seed=7)


def test_without_positions_the_outputs_are_shuffled_as_the_words_are(heads):
    of_shuffled, shuffled_of = shuffle(heads, word_vectors(WORDS, 6), ORDER)
    np.testing.assert_allclose(of_shuffled, shuffled_of, atol=1e-12)
    assert np.abs(of_shuffled - of_shuffled[0]).max() > 0.01  # not invariance: rows differ


@pytest.mark.parametrize("d_head", [2, 67, 512])
def test_variance_grows_as_the_width_and_unscaled_weights_saturate(d_head):
    effect = width_effect(d_head)
    assert effect.variance == pytest.approx(d_head, rel=0.15)
    assert effect.largest_raw > effect.largest_scaled
    assert effect.largest_scaled < 0.5
    assert d_head < 512 or effect.largest_raw > 0.9, "nearly everything is on one key"


def test_one_weighting_for_all_is_the_mean_and_equal_heads_lose_nothing(heads):
    x = word_vectors(WORDS, 6)
    steps = trace(heads, x)
    weights, output = average_weights(heads, steps)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert np.abs(output - steps["output"]).max() > 0.01
    single = MultiHead.random(d_model=6, n_heads=1, seed=7)
    steps = trace(single, x)
    np.testing.assert_allclose(average_weights(single, steps)[1], steps["output"], atol=1e-12)
