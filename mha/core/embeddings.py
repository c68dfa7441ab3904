"""Words as rows of numbers, and the waves that tell a row where it stands."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence

import numpy as np


def sinusoidal_positions(n_tokens: int, d_model: int) -> np.ndarray:
    """Return what is added to each token's embedding to tell where it stands, float64 [token, d_model].

    PE[t, 2i] = sin(t / 10000^(2i / d_model)),  PE[t, 2i + 1] = cos(of the same). Vaswani et al. 2017, section 3.5.
    Without it a layer is *equivariant*: shuffle the words, and the outputs are shuffled the same way.
    """
    token = np.arange(n_tokens)[:, None]  # [token, 1]
    column = np.arange(d_model)[None, :]  # [1, d_model]
    angle = token / 10_000 ** (column // 2 * 2 / d_model)  # [token, d_model]
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))


def word_vectors(words: Sequence[str], d_model: int, seed: int = 0, decimals: int | None = None) -> np.ndarray:
    """Return a random row for each word, float64 [word, d_model]: the same word always gets the same row.

    The generator is seeded by the word itself (case ignored) and ``seed``. The shape is real, the meaning is not.
    """
    rows = [_row(word.casefold(), d_model, seed) for word in words]
    vectors = np.array(rows).reshape(len(words), d_model)
    return vectors if decimals is None else np.round(vectors, decimals) + 0.0  # no −0.0


@functools.lru_cache(maxsize=256)
def _row(word: str, d_model: int, seed: int) -> np.ndarray:
    return np.random.default_rng(_number(word, seed)).standard_normal(d_model)


def _number(word: str, seed: int) -> int:
    text = f"{seed} {word}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")
