"""Attention over all layers in one picture: rollout, and the mean over heads, both simplifications.

Both use weights alone: values and MLPs are left out. Source: Abnar & Zuidema 2020.
"""

from __future__ import annotations

import numpy as np

from mha.errors import InputError
from mha.maps import AttentionMaps

MOST_TOKENS = 64  # of a picture


def head_mean(maps: AttentionMaps) -> np.ndarray:
    """Return the mean over the heads of each layer, float64 [layer, query, key]."""
    return maps.weights.mean(axis=1, dtype=np.float64)


def mixed(maps: AttentionMaps) -> np.ndarray:
    """Return ½ Ā + ½ I of each layer, what the residual stream carries on beside the mean head; rows sum to 1.

    Raises:
        InputError: the maps look from one text into another.
    """
    if maps.kind != "self":
        raise InputError("Rollout needs queries and keys from one text.")
    maps.check_every_row()
    mean = head_mean(maps)
    mean = mean / np.maximum(mean.sum(axis=-1, keepdims=True), 1e-12)
    return (mean + np.eye(maps.n_queries)) / 2


def rollout(maps: AttentionMaps) -> np.ndarray:
    """Return how much of each word's place came from which input word by each layer, float64 [layer, query, key].

    R_0 = I, R_l = (½ Ā_l + ½ I) R_{l−1}; rows sum to 1.
    """
    found, reached = [], np.eye(maps.n_queries)
    for layer in mixed(maps):
        reached = layer @ reached  # [query, input]
        found.append(reached)
    return np.array(found)
