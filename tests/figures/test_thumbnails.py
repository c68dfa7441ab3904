"""Pooling keeps the largest weight of each block, and the byte encoding keeps small weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.errors import ShapeError
from mha.figures.thumbnails import SIDE, block_size, encode_roots, pool_largest, thumbnails


def test_blocks_hold_their_largest_weight():
    weights = np.zeros((2, 3, 5, 7), dtype=np.float32)
    weights[1, 2, 4, 6] = 0.7  # last row and column: the smaller blocks
    weights[0, 1, 2, 3] = 0.3
    pooled = pool_largest(weights, side=3)
    assert pooled.shape == (2, 3, 3, 3)  # 5 rows in blocks of 2, 7 columns in blocks of 3
    assert pooled[1, 2, 2, 2] == np.float32(0.7)
    assert pooled[0, 1, 1, 1] == np.float32(0.3)
    assert np.count_nonzero(pooled) == 2


@given(st.integers(1, 600), st.integers(1, 48))
def test_blocks_fit_the_side_and_waste_less_than_one_block(length, side):
    step = block_size(length, side)
    assert -(-length // step) <= side
    assert step == 1 or -(-length // (step - 1)) > side


@given(st.integers(1, 61), st.integers(1, 61), st.integers(0, 2**32 - 1))
def test_pooling_equals_a_loop(n_queries, n_keys, seed):
    weights = np.random.default_rng(seed).random((n_queries, n_keys), dtype=np.float32)
    pooled = pool_largest(weights, side=11)
    step_q, step_k = block_size(n_queries, 11), block_size(n_keys, 11)
    for row in range(pooled.shape[0]):
        for column in range(pooled.shape[1]):
            block = weights[row * step_q : (row + 1) * step_q, column * step_k : (column + 1) * step_k]
            assert pooled[row, column] == block.max()


def test_maps_that_fit_are_not_pooled():
    weights = np.random.default_rng(3).random((1, 2, 48, 48), dtype=np.float32)
    assert pool_largest(weights) is weights


def test_bytes_are_square_roots_and_keep_what_is_small():
    weights = np.array([0, 1e-9, 0.0001, 0.25, 0.5, 1])
    roots = encode_roots(weights)
    assert roots.dtype == np.uint8
    assert roots.tolist() == [0, 1, 3, 128, 180, 255]
    assert np.abs((encode_roots(np.linspace(0, 1, 997)) / 255.0) ** 2 - np.linspace(0, 1, 997)).max() < 0.004


def test_a_causal_mask_stays_a_staircase():
    weights = np.tril(np.full((1, 1, 101, 101), 0.5, dtype=np.float32))
    pooled = thumbnails(weights)[0, 0]
    assert pooled.shape == (34, 34)
    assert (np.triu(pooled, 1) == 0).all()
    assert (np.tril(pooled) > 0).sum() == 34 * 35 // 2


def test_512_tokens_fit_48_cells_and_wrong_shapes_are_refused():
    assert thumbnails(np.zeros((1, 2, 512, 512), dtype=np.float32)).shape[2:] <= (SIDE, SIDE)
    with pytest.raises(ShapeError, match=r"\(5, 7\)"):
        thumbnails(np.zeros((5, 7)))
    with pytest.raises(ShapeError, match="asked for 0"):
        block_size(0)
