"""The two-step story, told only where the numbers tell it: first some heads look to the cue, then one to a partner.

The heads are those that carry at least a tenth of the difference between the versions. Step 1: from the pivot they look
to the cue more than to a partner, and more than twice as much as the mean head. Step 2: in a layer after all of these,
they look to a partner more than to the cue, and to one partner in the text and to the other in the contrast: a look
that is the same in both versions is no step. If either is empty there is no story. Shares are of all attention (words
merged, nothing set aside), the larger of both versions deciding where none is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.analysis.places import word_position
from mha.brief import brief
from mha.maps import AttentionMaps, HeadId, Reading

ABOVE_MEAN = 2.0


@dataclass(frozen=True, eq=False)
class Looks:
    """Where every head looks from the pivot: to the cue, to A and to B; each float64 [layer, head], shares of all."""

    cue: np.ndarray
    a: np.ndarray
    b: np.ndarray

    __repr__ = brief

    @property
    def partner(self) -> np.ndarray:
        """The larger of the looks to A and to B."""
        return np.maximum(self.a, self.b)


@dataclass(frozen=True, eq=False)
class Story:
    """Heads of both steps, largest part first, and where all heads look in the text and in the contrast."""

    first: tuple[HeadId, ...]
    second: tuple[HeadId, ...]
    text: Looks
    contrast: Looks

    __repr__ = brief

    @property
    def mean_look(self) -> float:
        """What the mean head gives the cue, over both versions."""
        return float((self.text.cue.mean() + self.contrast.cue.mean()) / 2)


def looks(maps: AttentionMaps, readings: Sequence[Reading]) -> Looks | None:
    """Return where heads look from the pivot of reading A; None without a cue, or where the pivot is its own cue.

    A reading with several links counts the mean of its partners.
    """
    merged = maps.merged()
    cue = next((reading.cue for reading in readings if reading.cue is not None), None)
    if cue is None:
        return None
    places = [[(word_position(merged, p), word_position(merged, q)) for p, q in one.links] for one in readings]
    target = word_position(merged, cue)
    pivot = places[0][0][0]
    if pivot == target:
        return None
    weights = merged.weights.astype(np.float64)
    a, b = (np.mean([weights[..., p, q] for p, q in links], axis=0) for links in places)
    return Looks(weights[..., pivot, target], a, b)


def story(
    maps: AttentionMaps, contrast: AttentionMaps, readings: Sequence[Reading], named: Sequence[HeadId]
) -> Story | None:
    """Return the two-step story of the heads that carry the difference (``named``), or None where there is none."""
    here, there = looks(maps, readings), looks(contrast, readings)
    if here is None or there is None:
        return None
    larger = Looks(*(np.maximum(getattr(here, to), getattr(there, to)) for to in ("cue", "a", "b")))
    first = bringing(larger, (here.cue.mean() + there.cue.mean()) / 2, named)
    if not first:
        return None
    after = max(head.layer for head in first)
    turns = (here.a - here.b) * (there.a - there.b) < 0
    second = tuple(
        head for head in named if head.layer > after and larger.partner[head] > larger.cue[head] and turns[head]
    )
    return Story(first, second, here, there) if second else None


def bringing(found: Looks, mean: float, named: Sequence[HeadId]) -> tuple[HeadId, ...]:
    """Return which of the heads look to the cue: more than to a partner, and more than twice the mean head."""
    return tuple(head for head in named if found.cue[head] > max(found.partner[head], ABOVE_MEAN * mean))
