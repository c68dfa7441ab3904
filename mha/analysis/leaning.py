"""A sentence's leans beside both of their controls: the same words in other orders, and scrambled twins.

Source of the rule: Westfall & Young 1993 (one maximum over heads and sides), and the measured tables of this project.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mha.analysis.readings import Leans
from mha.analysis.shuffles import ShuffleSummary
from mha.brief import brief
from mha.errors import ShapeError
from mha.maps import HeadId

UNUSUAL_AT = 0.05  # p at which a sentence's furthest lean is unusual for its words


@dataclass(frozen=True, eq=False)
class Leaning:
    """Where every head leans here, in each shuffle, and in several scrambled twins (none for a model without any).

    Raises:
        ShapeError: the controls have other heads than the sentence, or there is no shuffle.
    """

    here: Leans
    shuffles: tuple[Leans, ...]
    twins: tuple[Leans, ...] = ()

    __repr__ = brief

    def __post_init__(self) -> None:
        shapes = {leans.a.shape for leans in (self.here, *self.shuffles, *self.twins)}
        if len(shapes) != 1 or not self.shuffles:
            raise ShapeError(f"A sentence and its shuffles, at least one, need the same heads; they have {shapes}.")

    @cached_property
    def summary(self) -> ShuffleSummary:
        """The leans beside those of the shuffles."""
        return ShuffleSummary(self.here.lean, np.stack([leans.lean for leans in self.shuffles]))

    @cached_property
    def furthest(self) -> tuple[HeadId, HeadId]:
        """The head that leans furthest to A and the one that leans furthest to B, among heads that look along either.

        Where every head looks along neither link, among all.
        """
        live = ~self.here.no_opinion if not self.here.no_opinion.all() else np.ones_like(self.here.no_opinion)
        lean = self.here.lean
        first = np.unravel_index(np.argmax(np.where(live, lean, -np.inf)), lean.shape)
        second = np.unravel_index(np.argmin(np.where(live, lean, np.inf)), lean.shape)
        return HeadId(int(first[0]), int(first[1])), HeadId(int(second[0]), int(second[1]))

    @property
    def furthest_of_all(self) -> HeadId:
        """The head that leans furthest, to either side: the one that is unusual where `unusual`."""
        layer, head = np.unravel_index(np.argmax(np.abs(self.here.lean)), self.here.lean.shape)
        return HeadId(int(layer), int(head))

    @property
    def unusual(self) -> bool:
        """Whether the furthest lean is unusual for these words: p ≤ .05 over heads, sides and shuffles.

        Never a reading: which side it is tells nothing about what the sentence means.
        """
        return self.summary.p <= UNUSUAL_AT

    @cached_property
    def furthest_in_shuffles(self) -> tuple[np.ndarray, tuple[HeadId, ...]]:
        """How far the furthest head of each shuffle leans, either way, float64 [shuffle], and which head that is."""
        flat = np.abs(self.summary.leans.reshape(len(self.shuffles), -1))
        n_heads = self.here.lean.shape[1]
        heads = tuple(HeadId(int(i) // n_heads, int(i) % n_heads) for i in flat.argmax(axis=1))
        return flat.max(axis=1), heads

    @property
    def twins_reach(self) -> tuple[float, float] | None:
        """The smallest and the largest of the twins' largest leans, either way; None without twins."""
        found = [float(np.abs(one.lean).max()) for one in self.twins]
        return (min(found), max(found)) if found else None

    @property
    def beyond_twins(self) -> tuple[int, int] | None:
        """Between how many and how many heads lean further than any head of a twin, by the twin; None without."""
        here = np.abs(self.here.lean)
        found = [int((here > np.abs(one.lean).max()).sum()) for one in self.twins]
        return (min(found), max(found)) if found else None


def most_moved(before: np.ndarray, after: np.ndarray, count: int = 5) -> tuple[HeadId, ...]:
    """Return the heads whose lean moves furthest between two versions, the furthest first."""
    moves = np.argsort(-np.abs(np.asarray(after) - np.asarray(before)), axis=None, kind="stable")
    n_heads = np.shape(before)[1]
    return tuple(HeadId(int(i) // n_heads, int(i) % n_heads) for i in moves[:count])
