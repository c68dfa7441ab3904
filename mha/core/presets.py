"""Words as rows of numbers, sinusoidal positions, and layers for Step by step.

These are the Money Bank, one head against two, and eight heads.
"""

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.core.multihead import MultiHead


def sinusoidal_positions(n_tokens: int, d_model: int) -> np.ndarray:
    """Return the sinusoidal position added to each token's embedding, float64 [token, d_model].

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


@dataclass(frozen=True)
class Preset:
    """A layer by its sizes and its seed: the same preset always gives the same numbers.

    Small layers are rounded to one decimal, so that every step can be done by hand.
    """

    title: str
    text: str
    d_model: int
    n_heads: int
    split: str
    seed: int
    decimals: int | None = 1

    def heads(self) -> MultiHead:
        """Return the layer."""
        return MultiHead.random(self.d_model, self.n_heads, self.split, self.seed, decimals=self.decimals)

    def embeddings(self, words: tuple[str, ...] | None = None) -> np.ndarray:
        """Return a row for each word, of the preset's own text unless others are given, float64 [word, d_model]."""
        return word_vectors(
            tuple(self.text.split()) if words is None else words, self.d_model, self.seed, self.decimals
        )


PRESETS = {
    "money_bank": Preset("Money Bank: two full heads", "money bank", d_model=4, n_heads=2, split="full", seed=131),
    "slices": Preset("Money Bank: two slices", "money bank", d_model=4, n_heads=2, split="slices", seed=131),
    "overlap": Preset(
        "Money Bank: two overlapping parts", "money bank", d_model=4, n_heads=2, split="overlap", seed=131
    ),
    "one_head": Preset("All is well: one head", "All is well", d_model=4, n_heads=1, split="slices", seed=17),
    "two_heads": Preset("All is well: two heads", "All is well", d_model=4, n_heads=2, split="slices", seed=17),
    "eight_heads": Preset("All is well: eight heads", "All is well", d_model=32, n_heads=8, split="slices", seed=0),
}
