"""Softmax and attention by hand, their properties, and parity with PyTorch's own."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from mha.core import scaled_dot_product_attention, softmax
from mha.errors import ShapeError

rows = st_numpy.arrays(float, (3, 5), elements=st.floats(-1e300, 1e300))
seeds = st.integers(0, 2**32 - 1)


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def test_softmax_by_hand():
    np.testing.assert_allclose(softmax(np.log([[1.0, 2.0, 5.0]])), [[1 / 8, 2 / 8, 5 / 8]], rtol=1e-15)


def test_temperature_divides_the_scores():
    scores = random(2, 3)
    np.testing.assert_allclose(softmax(scores, temperature=0.5), softmax(2 * scores), rtol=1e-15)


@given(rows)
def test_rows_sum_to_one_however_large_the_scores(scores):
    weights = softmax(scores)
    assert np.isfinite(weights).all()
    assert weights.min() >= 0
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_softmax_refuses_scores_that_are_no_numbers(bad):
    with pytest.raises(ShapeError, match="NaN or \\+inf"):
        softmax(np.array([[0.0, bad]]))


@pytest.mark.parametrize("temperature", [0, -1, float("nan")])
def test_softmax_refuses_a_temperature_that_is_not_above_zero(temperature):
    with pytest.raises(ShapeError, match="above 0"):
        softmax(np.zeros(2), temperature)


def test_a_query_that_may_look_at_nothing_gathers_nothing():
    mask = np.array([[True, True], [False, False], [True, False]])
    output, weights = scaled_dot_product_attention(random(3, 5), random(2, 5), random(2, 7), mask)
    np.testing.assert_array_equal(weights[1], 0)
    np.testing.assert_array_equal(output[1], 0)
    np.testing.assert_allclose(weights[[0, 2]].sum(-1), 1)


@pytest.mark.parametrize("scale", [None, 0.7])
@pytest.mark.parametrize("masked", ["open", "random", "a row hidden"])
def test_equals_pytorch(masked, scale):
    query, key, value = random(2, 3, 5, 7), random(2, 3, 11, 7, seed=1), random(2, 3, 11, 13, seed=2)
    hidden_row = np.arange(5)[:, None] != np.full((1, 11), 3)
    mask = {"open": None, "random": random(5, 11, seed=3) > -0.5, "a row hidden": hidden_row}[masked]
    output, _ = scaled_dot_product_attention(query, key, value, mask, scale)
    expected = torch.nn.functional.scaled_dot_product_attention(
        torch.from_numpy(query),
        torch.from_numpy(key),
        torch.from_numpy(value),
        attn_mask=None if mask is None else torch.from_numpy(mask),
        scale=scale,
    )
    np.testing.assert_allclose(output, expected.numpy(), atol=1e-12)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((3, 5), (7, 2), (7, 2)), "A query has 5 numbers and a key 2"),
        (((3, 5), (7, 5), (2, 5)), "There are 7 keys but 2 values"),
        (((5,), (7, 5), (7, 5)), "two axes at least"),
    ],
)
def test_shapes_that_do_not_fit_are_refused_in_words(shapes, message):
    with pytest.raises(ShapeError, match=message):
        scaled_dot_product_attention(np.zeros(shapes[0]), np.zeros(shapes[1]), np.zeros(shapes[2]))


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (np.ones((3, 2)), "A mask is boolean"),
        (np.ones((5, 2), dtype=bool), "the scores it should cover are \\(3, 2\\)"),
    ],
)
def test_masks_that_do_not_fit_are_refused_in_words(mask, message):
    with pytest.raises(ShapeError, match=message):
        scaled_dot_product_attention(np.zeros((3, 5)), np.zeros((2, 5)), np.zeros((2, 5)), mask)
