"""Surveys made by hand, small and in prime sizes."""

from __future__ import annotations

import numpy as np

from mha.figures.thumbnails import pool_largest
from mha.maps import HeadId, Token
from mha.models.watch.survey import Survey

WORDS = ("river", "bank", "money", "river", "stone", "a", "river", "boat", "tree", "the", "river")


def tokens(words: tuple[str, ...] = WORDS) -> tuple[Token, ...]:
    """A special token, then one token a word."""
    found, start = [Token("[CLS]", special=True)], 0
    for number, word in enumerate(words):
        found.append(Token(word, word, number, start=start, end=start + len(word)))
        start += len(word) + 1
    return tuple(found)


def survey(token: int = 1, words: tuple[str, ...] = WORDS, causal: bool = True, seed: int = 1) -> Survey:
    """Two layers of three heads, with the rows and columns of one token."""
    own = tokens(words)
    n = len(own)
    rng = np.random.default_rng(seed)
    weights = rng.random((2, 3, n, n)).astype(np.float32) ** 4
    if causal:
        weights = np.tril(weights)
    weights /= weights.sum(axis=-1, keepdims=True)
    return Survey(
        overview=pool_largest(weights, 48), cell=-(-n // 48), statistics={}, aside=np.zeros((2, 3, n), np.float32),
        rows={token: weights[:, :, token]}, columns={token: weights[..., token]}, maps={}, tokens=own, key_tokens=own,
        text=" ".join(words), model="tiny", causal=causal,
    )  # fmt: skip


def whole(head: HeadId, words: tuple[str, ...] = WORDS, seed: int = 1) -> np.ndarray:
    """One head's whole causal map of the same numbers, uint16."""
    n = len(tokens(words))
    rng = np.random.default_rng(seed)
    weights = np.tril(rng.random((2, 3, n, n)).astype(np.float32) ** 4)
    weights /= weights.sum(axis=-1, keepdims=True)
    return np.rint(weights[head] * 65535).astype(np.uint16)
