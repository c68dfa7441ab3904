"""A sentence's leans beside both of their controls: the same words shuffled, and the scrambled twin.

Source of the rules: the measured tables of this project; a head "stands out" only when shuffled words seldom reach it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import stats

from mha.analysis.calibration import rank_correlation
from mha.analysis.readings import Leans
from mha.analysis.shuffles import ShuffleSummary
from mha.brief import brief
from mha.errors import ShapeError
from mha.maps import HeadId

SELDOM = 1  # in at most so many of 20 shuffles some head may reach as far as a head that stands out
LEVEL = 0.95
UNUSUAL_AT = 0.05  # p at which a sentence's furthest lean is unusual for its words


@dataclass(frozen=True, eq=False)
class Leaning:
    """Where every head leans here, in each shuffle, and in the scrambled twin (None for a model without one).

    ``twins`` are the leans in several scrambled twins, of other seeds.

    Raises:
        ShapeError: the controls have other heads than the sentence, or there is no shuffle.
    """

    here: Leans
    shuffles: tuple[Leans, ...]
    twin: Leans | None = None
    twins: tuple[Leans, ...] = ()

    __repr__ = brief

    def __post_init__(self) -> None:
        twins = (*([self.twin] if self.twin else []), *self.twins)
        shapes = {leans.a.shape for leans in (self.here, *self.shuffles, *twins)}
        if len(shapes) != 1 or not self.shuffles:
            raise ShapeError(f"A sentence and its shuffles, at least one, need the same heads; they have {shapes}.")

    @cached_property
    def summary(self) -> ShuffleSummary:
        """The leans beside those of the shuffles."""
        return ShuffleSummary(self.here.lean, np.stack([leans.lean for leans in self.shuffles]))

    @cached_property
    def mean_shuffle(self) -> Leans:
        """Both strengths of every head, averaged over the shuffles."""
        a = np.mean([leans.a for leans in self.shuffles], axis=0)
        b = np.mean([leans.b for leans in self.shuffles], axis=0)
        return Leans(a, b, self.here.even, self.here.one_way)

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
    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Largest and smallest lean of any head in each shuffle, two float64 [shuffle]."""
        flat = self.summary.leans.reshape(len(self.shuffles), -1)
        return flat.max(axis=1), flat.min(axis=1)

    @property
    def reached(self) -> tuple[int, int]:
        """In how many shuffles some head leans as far to A, and as far to B, as the furthest heads here."""
        first, second = (self.here.lean[head] for head in self.furthest)
        return int((self.edges[0] >= first).sum()), int((self.edges[1] <= second).sum())

    @property
    def band(self) -> tuple[float, float]:
        """What half of the shuffles reach, towards B (smallest leans) and towards A (largest)."""
        return float(np.median(self.edges[1])), float(np.median(self.edges[0]))

    @property
    def n_outside(self) -> int:
        """How many heads lie outside all their own shuffles."""
        return int(self.summary.outside.sum())

    @property
    def allowed_outside(self) -> int:
        """How many heads may lie outside before that is more than chance: the 95 % point of a binomial, heads counted
        as independent."""
        share = 1 / (len(self.shuffles) + 1)
        return int(stats.binom.ppf(LEVEL, self.here.a.size, share))

    @property
    def stands_out(self) -> tuple[bool, bool]:
        """Whether the furthest head to A, and to B, leans further than shuffled words: reached in at most 1 of 20."""
        limit = SELDOM * len(self.shuffles) // 20
        first, second = (self.here.lean[head] for head in self.furthest)
        return bool(first > 0 and self.reached[0] <= limit), bool(second < 0 and self.reached[1] <= limit)

    @property
    def separates(self) -> bool:
        """Whether anything stands out: a furthest head, or more heads outside their shuffles than chance allows."""
        return any(self.stands_out) or self.n_outside > self.allowed_outside

    @property
    def twin_reach(self) -> float | None:
        """The largest lean of the twin, either way."""
        return None if self.twin is None else float(np.abs(self.twin.lean).max())

    @property
    def beyond_twin(self) -> int | None:
        """How many heads lean further than any head of the twin."""
        return None if self.twin is None else int((np.abs(self.here.lean) > self.twin_reach).sum())

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

    @cached_property
    def shuffle_correlation(self) -> float:
        """Spearman's rank correlation over heads of leans here with their mean over the shuffles; NaN if none vary."""
        return rank_correlation(self.here.lean, self.summary.mean)[0]


def most_moved(before: np.ndarray, after: np.ndarray, count: int = 5) -> tuple[HeadId, ...]:
    """Return the heads whose lean moves furthest between two versions, the furthest first."""
    moves = np.argsort(-np.abs(np.asarray(after) - np.asarray(before)), axis=None, kind="stable")
    n_heads = np.shape(before)[1]
    return tuple(HeadId(int(i) // n_heads, int(i) % n_heads) for i in moves[:count])
