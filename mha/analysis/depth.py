"""Two models side by side: their layers matched by depth, each head beside the one of the other that looks most alike.

Heads of two models have nothing in common but where they look; a number names no counterpart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.analysis.changes import divergence, paired_rows
from mha.brief import brief
from mha.errors import InputError
from mha.maps import AttentionMaps, HeadId


def at_depth(layer: int, n_layers: int, n_others: int) -> tuple[int, ...]:
    """Return the layers of another model whose parts of the way overlap with this layer's.

    >>> at_depth(1, 6, 12), at_depth(11, 12, 6), at_depth(0, 1, 3)
    ((2, 3), (5,), (0, 1, 2))
    """
    first = layer * n_others // n_layers
    last = -(-(layer + 1) * n_others // n_layers)
    return tuple(range(first, last))


@dataclass(frozen=True, eq=False)
class Nearest:
    """For each head of one model the nearest of the other at its depth.

    ``bits`` is float64 [layer, head], the mean divergence of the rows; ``head`` is int64 [layer, head, 2].
    """

    bits: np.ndarray
    head: np.ndarray

    __repr__ = brief

    def of(self, one: HeadId) -> HeadId:
        """Return the nearest head of the other model."""
        return HeadId(*(int(number) for number in self.head[one]))


def nearest_at_depth(first: AttentionMaps, second: AttentionMaps, pairs: Sequence[tuple[int, int]]) -> Nearest:
    """Return the nearest heads of the second model, over words of the first paired with words of the second.

    Distance: Jensen–Shannon divergence of a row, base 2, over the paired words and one key for everything else; mean
    over the paired words' rows.

    Raises:
        InputError: no word is paired, or a word is not there.
    """
    if not pairs:
        raise InputError("Two models are compared over the words that both read; here there are none.")
    own, other = (paired_rows(maps, [pair[side] for pair in pairs]) for side, maps in enumerate((first, second)))
    bits = np.zeros(own.shape[:2])
    heads = np.zeros((*own.shape[:2], 2), dtype=np.int64)
    for layer in range(len(own)):
        layers = at_depth(layer, len(own), len(other))
        there = other[list(layers)].reshape(-1, *other.shape[2:])  # [head, row, key]
        far = divergence(own[layer][:, None], there[None]).mean(axis=-1)  # [head, head of the other]
        nearest = far.argmin(axis=1)
        bits[layer] = far[np.arange(len(far)), nearest]
        heads[layer, :, 0] = np.array(layers)[nearest // other.shape[1]]
        heads[layer, :, 1] = nearest % other.shape[1]
    return Nearest(bits, heads)
