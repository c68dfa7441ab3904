"""Heads that look at what came after an earlier copy of the word they stand on, as copying a list needs.

Source: Olsson et al. 2022, "In-context learning and induction heads". Looking there is one thing; that a head copies
what it sees shows when it is silenced.
"""

from __future__ import annotations

import numpy as np

from mha.errors import InputError
from mha.maps import AttentionMaps


def after_same_word(maps: AttentionMaps) -> np.ndarray:
    """Return the mean weight on pieces that follow an earlier copy of the piece looking, as float64 [layer, head].

    Copies are equal in lower case. Only rows that have such a piece before them take part; NaN where there is none.

    Raises:
        InputError: queries and keys are two texts.
    """
    followers = _followers(maps)
    rows = followers.any(axis=-1)
    if not rows.any():
        return np.full((maps.n_layers, maps.n_heads), np.nan)
    mass = np.where(followers, maps.weights, 0).sum(axis=-1, dtype=np.float64)  # [layer, head, query]
    return mass[..., rows].mean(axis=-1)


def n_copies(maps: AttentionMaps) -> int:
    """Return how many pieces have an earlier copy with something behind it: what `after_same_word` is a mean over."""
    return int(_followers(maps).any(axis=-1).sum())


def by_chance(maps: AttentionMaps) -> float:
    """Return what an even look at everything visible would put there: the score's own zero."""
    followers = _followers(maps)
    rows = followers.any(axis=-1)
    shares = followers.sum(axis=-1) / np.maximum(maps.visible.sum(axis=-1), 1)
    return float(shares[rows].mean()) if rows.any() else float("nan")


def _followers(maps: AttentionMaps) -> np.ndarray:
    """Return which keys follow an earlier copy of each query, as bool [query, key]; special tokens have no copies."""
    if maps.kind != "self":
        raise InputError("An earlier copy needs queries and keys from one text; these maps look into another.")
    names = np.array([token.text.casefold() for token in maps.tokens])
    plain = np.array([not token.special for token in maps.tokens])
    same = (names[:, None] == names) & plain & plain[:, None]
    followers = np.zeros_like(same)
    followers[:, 1:] = np.tril(same, -1)[:, :-1]
    return followers & maps.visible
