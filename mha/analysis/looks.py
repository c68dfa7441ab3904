"""The one look worth a sentence: which word looks most at which other word."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mha.errors import InputError
from mha.maps import AttentionMaps, parts

FAINTEST = 0.01  # a look below this is not worth a sentence


class Look(NamedTuple):
    """One word looking at another: positions on the axes of the maps, and the weight."""

    query: int
    key: int
    weight: float


def strongest_look(
    maps: AttentionMaps, head: tuple[int, int], key: int | None = None, query: int | None = None
) -> Look | None:
    """Return one head's strongest look from a word to another word; at the given key, or from the given query, alone.

    A word's look at itself is not one word looking at another, and punctuation neither looks nor is looked at; special
    tokens count where they are on the axis. None where no look reaches 1 %.

    Raises:
        InputError: there is no such head, no such key or no such query.
    """
    return _strongest(maps[head][None], _allowed(maps, key, query))[0]


def strongest_looks(maps: AttentionMaps, key: int | None = None, query: int | None = None) -> tuple[Look | None, ...]:
    """Return `strongest_look` of every head, layer by layer."""
    return _strongest(maps.weights.reshape(-1, maps.n_queries, maps.n_keys), _allowed(maps, key, query))


def _strongest(weights: np.ndarray, allowed: np.ndarray) -> tuple[Look | None, ...]:
    """Return the strongest allowed look of each head; weights are [head, query, key]."""
    if not allowed.any():
        return (None,) * len(weights)
    query, key = np.nonzero(allowed)
    best = np.concatenate([weights[some][:, query, key].argmax(axis=-1) for some in parts(weights)])  # [head]
    strongest = weights[np.arange(len(weights)), query[best], key[best]]
    return tuple(
        Look(int(query[at]), int(key[at]), float(weight)) if weight >= FAINTEST else None
        for at, weight in zip(best, strongest, strict=True)
    )


def _allowed(maps: AttentionMaps, key: int | None, query: int | None) -> np.ndarray:
    """Return which looks count, as bool [query, key]."""
    if key is not None and not 0 <= key < maps.n_keys:
        raise InputError(f"There are {maps.n_keys} words to look at, counted from 0; you asked for {key}.")
    if query is not None and not 0 <= query < maps.n_queries:
        raise InputError(f"There are {maps.n_queries} words that look, counted from 0; you asked for {query}.")
    rows = np.array([not token.punctuation for token in maps.tokens], dtype=bool)
    columns = np.array([not token.punctuation for token in maps.key_tokens], dtype=bool)
    if key is not None:
        columns = np.arange(maps.n_keys) == key  # a mark may be asked for by name
    if query is not None:
        rows = np.arange(maps.n_queries) == query
    allowed = np.outer(rows, columns) & maps.visible
    if maps.kind == "self":
        np.fill_diagonal(allowed, False)
    return allowed
