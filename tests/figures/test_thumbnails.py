"""Pooling keeps the largest weight of each block, and the byte encoding keeps small weights."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mha.figures.thumbnails import block_size, pool_largest, thumbnails
from mha.maps import AttentionMaps


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


def test_bytes_are_square_roots_and_keep_what_is_small():
    shares = np.array([0, 1e-9, 0.0001, 0.25, 0.5, 1, *np.linspace(0, 1, 997)])
    roots = thumbnails(AttentionMaps(shares.reshape(1, -1, 1, 1), ("one",))).ravel()
    assert roots.dtype == np.uint8
    assert roots[:6].tolist() == [0, 1, 3, 128, 180, 255]
    assert np.abs((roots / 255.0) ** 2 - shares).max() < 0.004
