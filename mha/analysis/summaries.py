"""Attention over all layers in one picture: rollout, flow, and the mean over heads, each a simplification by name.

All three forget what heads hand over and what MLPs do; they follow weights alone. Source: Abnar & Zuidema 2020.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mha.errors import InputError
from mha.maps import AttentionMaps

MOST_TOKENS = 64  # of a flow
UNIT = 1_000_000  # capacities as whole numbers of millionths, as scipy's maximum flow takes them


def head_mean(maps: AttentionMaps) -> np.ndarray:
    """Return the mean over the heads of each layer, float64 [layer, query, key]."""
    return maps.weights.mean(axis=1, dtype=np.float64)


def mixed(maps: AttentionMaps) -> np.ndarray:
    """Return ½ Ā + ½ I of each layer, what the residual stream carries on beside the mean head; rows sum to 1.

    Raises:
        InputError: the maps look from one text into another.
    """
    if maps.kind != "self":
        raise InputError("Rollout and flow need queries and keys from one text.")
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


def flowing(maps: AttentionMaps) -> Iterator[np.ndarray]:
    """Yield how much can flow from each top word to each input word, float64 [input], one top word after the other.

    The maximum flow through the layers with capacities ½ Ā + ½ I, rounded to millionths, then each row as shares, which
    sum to 1.

    Raises:
        InputError: more than 64 tokens, or the maps look from one text into another.
    """
    if maps.n_queries > MOST_TOKENS:
        raise InputError(f"Flow is worked out for up to {MOST_TOKENS} words or tokens; there are {maps.n_queries}.")
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import maximum_flow

    layers = mixed(maps)
    n, depth = maps.n_queries, len(layers)
    tops, rows, columns, capacities = depth * n, [], [], []
    for level, layer in enumerate(layers):  # level l joins nodes of height l + 1 to those of height l
        query, key = np.nonzero(layer > 0)
        rows.append((level + 1) * n + query)
        columns.append(level * n + key)
        capacities.append(np.rint(layer[query, key] * UNIT).astype(np.int32))
    size = (depth + 1) * n
    graph = coo_matrix(
        (np.concatenate(capacities), (np.concatenate(rows), np.concatenate(columns))), shape=(size, size)
    ).tocsr()
    for top in range(n):
        found = np.array([maximum_flow(graph, tops + top, bottom).flow_value for bottom in range(n)]) / UNIT
        yield found / max(found.sum(), 1e-12)
