"""Layers worth a walk: the Money Bank, one head against two, the base model of the original paper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mha.core.embeddings import word_vectors
from mha.core.multihead import MultiHead


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
    "original": Preset("The original paper: 8 heads of 64", "All is well", 512, 8, "slices", seed=0, decimals=None),
}
