"""Similar heads, in one text or over the word rows of many texts.

Distances and the nearest heads of one head come from the divergences of `mha.analysis.between`. Similar heads may have
different effects.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from mha.analysis.between import diverging, effective_heads
from mha.analysis.sinks import set_aside
from mha.analysis.whole import words_of
from mha.maps import AttentionMaps
from mha.stepwise import Steps


def between_heads(maps: AttentionMaps, aside: bool = False) -> Steps[tuple[np.ndarray, int]]:
    """Find the mean divergence of every two heads over the rows of words, float64 [head, head], and how many rows.

    With ``aside`` sinks are set aside and rows rescaled; a row with nothing left counts as one key of its own.
    """
    word_maps, words = words_of(maps)
    if aside:
        setting = set_aside(word_maps)
        word_maps = setting.maps
        words = np.array([place for place, token in enumerate(word_maps.tokens) if token.word is not None], dtype=int)
        if not len(words):
            return np.zeros((maps.n_layers * maps.n_heads,) * 2), 0
    cut = dataclasses.replace(
        word_maps,
        weights=word_maps.weights[:, :, words],
        tokens=tuple(word_maps.tokens[place] for place in words),
        key_tokens=word_maps.key_tokens,
        kind="cross",
    )
    return (yield from diverging(cut)), len(words)


@dataclass(frozen=True)
class Different:
    """How many different heads there are in effect: in the whole model, and in each layer."""

    whole: float
    layers: tuple[float, ...]

    @classmethod
    def of(cls, divergence: np.ndarray, n_heads: int) -> Different:
        """Return it from mean divergences [head, head] of layers of so many heads."""
        blocks = range(0, len(divergence), n_heads)
        layers = (effective_heads(divergence[start : start + n_heads, start : start + n_heads]) for start in blocks)
        return cls(effective_heads(divergence), tuple(layers))
