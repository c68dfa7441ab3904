"""Where heads look from the pivot: to the cue, to A and to B; and which of them bring the cue to the pivot.

Shares are of all attention (words merged, nothing set aside).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.analysis.readings import given_to, word_position
from mha.brief import brief
from mha.maps import AttentionMaps, HeadId, Reading

ABOVE_MEAN = 2.0


@dataclass(frozen=True, eq=False)
class CueLooks:
    """Where every head looks from the pivot: to the cue, to A and to B; each float64 [layer, head], shares of all."""

    cue: np.ndarray
    a: np.ndarray
    b: np.ndarray

    __repr__ = brief

    @property
    def partner(self) -> np.ndarray:
        """The larger of the looks to A and to B."""
        return np.maximum(self.a, self.b)


def looks(maps: AttentionMaps, readings: Sequence[Reading]) -> CueLooks | None:
    """Return where heads look from the pivot of reading A; None without a cue, or where the pivot is its own cue.

    A reading with several links counts its partners together.
    """
    merged = maps.merged()
    cue = next((reading.cue for reading in readings if reading.cue is not None), None)
    if cue is None:
        return None
    pivot = readings[0].links[0][0]
    if word_position(merged, pivot) == word_position(merged, cue):
        return None
    a, b = (_partners(merged, one) for one in readings)
    return CueLooks(given_to(merged, pivot, (cue,)), a, b)


def _partners(merged: AttentionMaps, reading: Reading) -> np.ndarray:
    """Return what a reading's pivot gives its partners together; of several pivots the mean."""
    pivots = dict.fromkeys(pivot for pivot, _ in reading.links)
    each = [given_to(merged, pivot, [other for own, other in reading.links if own == pivot]) for pivot in pivots]
    return np.mean(each, axis=0)


def bringing(found: CueLooks, mean: float, named: Sequence[HeadId]) -> tuple[HeadId, ...]:
    """Return which of the heads look to the cue: more than to a partner, and more than twice the mean head."""
    return tuple(head for head in named if found.cue[head] > max(found.partner[head], ABOVE_MEAN * mean))
