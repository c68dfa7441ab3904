"""A tally of blocks against the plain numbers of whole maps."""

import numpy as np
import pytest
import torch

from mha.maps import AttentionMaps, Token
from mha.models.watch.tally import Keeps, Tally

LAYERS, HEADS, LONG = 2, 3, 59


def maps(causal: bool) -> AttentionMaps:
    scores = np.random.default_rng(0).standard_normal((LAYERS, HEADS, LONG, LONG)) * 3
    weights = np.exp(np.where(np.tri(LONG, dtype=bool), scores, -np.inf) if causal else scores)
    return AttentionMaps(
        weights / weights.sum(axis=-1, keepdims=True),
        tuple(Token(f"t{place}", word=place) for place in range(LONG)),
        causal=causal,
    )


def counted(whole: AttentionMaps, rows: int, cut: bool = False) -> Tally:
    """Return the tally of maps that were shown some rows at a time; of causal ones without the keys ahead, if asked."""
    found = Tally(Keeps(whole.tokens, whole.key_tokens, cell=4))
    for layer in range(LAYERS):
        for first in range(0, LONG, rows):
            last = min(first + rows, LONG)
            end = min(-(-last // 4) * 4, LONG) if cut else LONG
            found.block(layer, first, 0, torch.tensor(whole.weights[layer, :, first:last, :end]))
    return found


@pytest.mark.parametrize("rows", [1, 7, LONG])
@pytest.mark.parametrize(("causal", "cut"), [(False, False), (True, False), (True, True)])
def test_numbers_of_blocks_are_those_of_whole_maps(rows, causal, cut):
    whole = maps(causal)
    found = counted(whole, rows, cut)
    cells = np.pad(whole.weights, [(0, 0), (0, 0), (0, -LONG % 4), (0, -LONG % 4)])
    pooled = cells.reshape(LAYERS, HEADS, 15, 4, 15, 4).max(axis=(3, 5))
    np.testing.assert_array_equal(np.stack(found.overview), pooled)
