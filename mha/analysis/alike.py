"""How many different heads there are in effect, from the divergences of `mha.analysis.between`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mha.analysis.between import effective_heads


@dataclass(frozen=True)
class Different:
    """How many different heads there are in effect: in the whole model, and in each layer."""

    whole: float
    layers: tuple[float, ...]

    @classmethod
    def from_divergence(cls, divergence: np.ndarray, n_heads: int) -> Different:
        """Return it from mean divergences [head, head] of layers of so many heads."""
        blocks = range(0, len(divergence), n_heads)
        layers = (effective_heads(divergence[start : start + n_heads, start : start + n_heads]) for start in blocks)
        return cls(effective_heads(divergence), tuple(layers))
