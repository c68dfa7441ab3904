"""What three heads of a layer carry together over the forced pairs: what one head's share is held against."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mha.brief import brief
from mha.maps import HeadId
from mha.pairs import KINDS, pairs_of
from mha.stepwise import finished

if TYPE_CHECKING:  # it brings torch
    from mha.intervention.subject import Subject

TOGETHER = 3
DRAWS = 20  # a layer: about fifteen of them are without a given head of twelve
SEED = 0


@dataclass(frozen=True, eq=False)
class Threes:
    """Draws of three heads of each layer, int [layer, draw, 3], and what they carry, float64 [kind, layer, draw].

    Layers from the one after which the score is read on have NaN.
    """

    heads: np.ndarray
    share: np.ndarray

    __repr__ = brief

    def without(self, kind: str, head: HeadId) -> np.ndarray:
        """Return what the draws of a head's layer carry that are without it, float64 [draw]; empty where unknown."""
        if head.layer >= self.share.shape[1]:
            return np.zeros(0)
        others = ~(self.heads[head.layer] == head.head).any(axis=-1)
        found = self.share[KINDS.index(kind), head.layer, others]
        return found[np.isfinite(found)]


def threes(experiment: Subject) -> Iterator[Threes | None]:
    """Yield nothing after each kind of pairs, and at the end what the draws carry of all kinds."""
    from mha.intervention.forced import moves

    generator = np.random.default_rng(SEED)
    at = experiment.block_output(None)
    drawn = np.array(
        [
            [generator.choice(experiment.n_heads, TOGETHER, replace=False) for _ in range(DRAWS)]
            for _ in range(experiment.n_layers)
        ]
    )  # [layer, draw, 3]
    sets = [[HeadId(layer, int(head)) for head in draw] for layer in range(at) for draw in drawn[layer]]
    share = np.full((len(KINDS), experiment.n_layers, DRAWS), np.nan)
    for number, kind in enumerate(KINDS):
        whole, parts = finished(moves(experiment, pairs_of(kind), sets, at))
        share[number, :at] = (parts.sum(axis=0) / whole.sum()).reshape(at, DRAWS)
        yield None
    yield Threes(drawn, share)
