"""The one look worth a sentence: which word looks most at which other word."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mha.errors import InputError
from mha.maps import AttentionMaps

FAINTEST = 0.01  # a look below this is not worth a sentence


class Look(NamedTuple):
    """One word looking at another: positions on the axes of the maps, and the weight."""

    query: int
    key: int
    weight: float


def strongest_look(maps: AttentionMaps, head: tuple[int, int], key: int | None = None) -> Look | None:
    """Return one head's strongest look from a word to another word, or to the word at the given key position.

    A word's look at itself is not one word looking at another, and punctuation neither looks nor is looked at; special
    tokens count where they are on the axis. None where no look reaches 1 %.

    Raises:
        InputError: there is no such head, or no such key.
    """
    return _strongest(maps[head], _allowed(maps, key))


def strongest_looks(maps: AttentionMaps, key: int | None = None) -> tuple[Look | None, ...]:
    """Return `strongest_look` of every head, layer by layer."""
    allowed = _allowed(maps, key)
    return tuple(_strongest(maps[head], allowed) for head in maps.heads)


def _strongest(weights: np.ndarray, allowed: np.ndarray) -> Look | None:
    query, key = divmod(int(np.where(allowed, weights, -1).argmax()), weights.shape[1])
    weight = float(weights[query, key])
    return Look(query, key, weight) if allowed[query, key] and weight >= FAINTEST else None


def _allowed(maps: AttentionMaps, key: int | None) -> np.ndarray:
    """Return which looks count, as bool [query, key]."""
    if key is not None and not 0 <= key < maps.n_keys:
        raise InputError(f"There are {maps.n_keys} words to look at, counted from 0; you asked for {key}.")
    rows = np.array([not token.punctuation for token in maps.tokens], dtype=bool)
    columns = np.array([not token.punctuation for token in maps.key_tokens], dtype=bool)
    if key is not None:
        columns = np.arange(maps.n_keys) == key  # a mark may be asked for by name
    allowed = np.outer(rows, columns) & maps.visible
    if maps.kind == "self":
        np.fill_diagonal(allowed, False)
    return allowed
