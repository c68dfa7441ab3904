"""Maps made small enough to travel: pooled by the largest weight, one byte a cell.

The byte is the square root of the weight, so that small weights survive; it is a transport encoding only. Whoever
draws squares it again before choosing a colour.
"""

from __future__ import annotations

import numpy as np

from mha.errors import ShapeError

SIDE = 48  # cells a thumbnail has at most on each side


def block_size(length: int, side: int = SIDE) -> int:
    """Return how many neighbours share one cell so that ``length`` positions fit ``side`` cells."""
    if length < 1 or side < 1:
        raise ShapeError(f"A map to be pooled has at least one row and column; asked for {length} in {side} cells.")
    return -(-length // side)


def pool_largest(weights: np.ndarray, side: int = SIDE) -> np.ndarray:
    """Return the largest weight of each block, as [..., rows, columns] with at most ``side`` of both.

    All blocks of an axis have the same size, the last one may be smaller: a picture of equal cells stays honest.
    Maps that fit come back as they are.
    """
    for axis in (-1, -2):  # the contiguous axis first: everything after it is smaller
        length = weights.shape[axis]
        step = block_size(length, side)
        if step > 1:
            weights = np.maximum.reduceat(weights, np.arange(0, length, step), axis=axis)
    return weights


def encode_roots(weights: np.ndarray) -> np.ndarray:
    """Return weights in [0, 1] as uint8 square roots; a weight that is not zero never becomes zero."""
    roots = np.rint(np.sqrt(np.clip(weights, 0, 1)) * 255).astype(np.uint8)
    return np.where((roots == 0) & (weights > 0), np.uint8(1), roots)


def decode_roots(roots: np.ndarray) -> np.ndarray:
    """Return the weights that `encode_roots` stood for, as float64, within 0.004 of the original."""
    return (roots.astype(np.float64) / 255) ** 2


def thumbnails(weights: np.ndarray, side: int = SIDE) -> np.ndarray:
    """Return all heads as uint8 [layer, head, row, column] with at most ``side`` rows and columns.

    Raises:
        ShapeError: the weights are not [layer, head, query, key].
    """
    if weights.ndim != 4:
        raise ShapeError(f"Thumbnails are made of [layer, head, query, key]; these weights are {weights.shape}.")
    return encode_roots(pool_largest(weights, side))  # [layer, head, row, column]
