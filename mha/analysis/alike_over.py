"""Which heads of a whole model look alike, over the rows of words of many texts, and what goes with it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from mha.analysis.alike import Placed, Tree, distances, placed, tree
from mha.analysis.between import diverging, effective_heads
from mha.analysis.sinks import set_aside
from mha.analysis.whole import words_of
from mha.brief import brief
from mha.maps import AttentionMaps
from mha.stepwise import Steps

MOST_DRAWN = 400  # heads whose pairs are drawn
FEWEST_FOR_LAYERS = 2  # heads in a layer, and its effective number says something


def between_heads(maps: AttentionMaps, aside: bool = False) -> Steps[tuple[np.ndarray, int]]:
    """Find the mean divergence of every two heads over the rows of words, float64 [head, head], and how many rows.

    With ``aside`` sinks are set aside and rows rescaled; a row with nothing left counts as one key of its own.
    """
    merged, words = words_of(maps)
    if aside:
        setting = set_aside(merged)
        merged = setting.maps
        words = np.array([place for place, token in enumerate(merged.tokens) if token.word is not None], dtype=int)
        if not len(words):
            return np.zeros((maps.n_layers * maps.n_heads,) * 2), 0
    cut = dataclasses.replace(
        merged,
        weights=merged.weights[:, :, words],
        tokens=tuple(merged.tokens[place] for place in words),
        key_tokens=merged.key_tokens,
        kind="cross",
    )
    return (yield from diverging(cut)), len(words)


class Divergences:
    """The mean divergence of every two heads over the rows of all texts that were added."""

    def __init__(self, n_heads: int) -> None:
        self._sum = np.zeros((n_heads, n_heads))
        self.n_rows = 0

    def add(self, divergence: np.ndarray, n_rows: int) -> None:
        """Add one text's."""
        self._sum += divergence * n_rows
        self.n_rows += n_rows

    @property
    def mean(self) -> np.ndarray:
        """The mean so far, float64 [head, head]."""
        return self._sum / max(self.n_rows, 1)


@dataclass(frozen=True)
class Different:
    """How many different heads there are in effect: in the whole model, and in each layer."""

    whole: float
    layers: tuple[float, ...]

    @classmethod
    def of(cls, divergence: np.ndarray, n_heads: int) -> Different:
        """Return it from mean divergences [head, head] of layers of so many heads."""
        blocks = range(0, len(divergence), n_heads)
        layers = (effective_heads(divergence[at : at + n_heads, at : at + n_heads]) for at in blocks)
        return cls(effective_heads(divergence), tuple(layers))


@dataclass(frozen=True, eq=False)
class Alike:
    """Which heads look alike over ``n_texts`` texts: ``divergence`` is float64 [head, head], layer by layer.

    ``here`` is of the model itself, ``aside`` with its sinks set aside, ``twin`` of its scrambled twin on the same
    texts; None where there is no twin, and then no number of different heads is shown. ``plane`` and ``tree`` are of
    the distances, None for more heads than can be drawn.
    """

    n_texts: int
    divergence: np.ndarray
    here: Different
    aside: Different
    twin: Different | None
    plane: Placed | None
    tree: Tree | None

    __repr__ = brief

    @classmethod
    def of(
        cls,
        n_texts: int,
        divergence: np.ndarray,
        here: Different,
        aside: Different,
        twin: Different | None,
        plane: Placed | None = None,
    ) -> Alike:
        """Return it with the order and the map of the heads; the map is made now unless it is given."""
        distance = distances(divergence)
        if len(distance) > MOST_DRAWN:
            return cls(n_texts, divergence, here, aside, twin, None, None)
        return cls(n_texts, divergence, here, aside, twin, plane or placed(distance), tree(distance))

    @property
    def distance(self) -> np.ndarray:
        """The distance of every two heads, [0, 1]."""
        return distances(self.divergence)


def rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Return Spearman's rank correlation of two rows of numbers; NaN where one does not vary."""
    from scipy.stats import spearmanr

    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    return float(spearmanr(first, second).statistic)


def looking_and_doing(distance: np.ndarray, moved: np.ndarray) -> float:
    """Return how far being alike in looking goes with moving the same texts when silenced, as a rank correlation.

    ``distance`` is [head, head], ``moved`` how far each text's vector turns with each head silenced, [text, head].
    Over all pairs of heads, which are not independent: −distance against the rank correlation of the two heads'
    columns.
    """
    from scipy.stats import rankdata

    ranks = rankdata(moved, axis=0)
    steady = np.ptp(ranks, axis=0) == 0
    together = np.corrcoef(ranks[:, ~steady].T)
    kept = np.flatnonzero(~steady)
    upper = np.triu_indices(len(kept), 1)
    if not len(upper[0]):
        return float("nan")
    return rank_correlation(-distance[np.ix_(kept, kept)][upper], np.atleast_2d(together)[upper])
