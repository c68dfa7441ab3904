"""Which heads look alike, in one text or over the rows of words of many, and what goes with it.

Distances, an order in which like stands by like, a map, and the nearest of one head: all of it from the divergences of
`mha.analysis.between`. Heads that look alike need not do alike.
"""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass

import numpy as np

from mha.analysis.between import diverging, effective_heads
from mha.analysis.sinks import set_aside
from mha.analysis.whole import words_of
from mha.brief import with_arrays
from mha.errors import InputError
from mha.maps import AttentionMaps
from mha.stepwise import Steps

ROUGH_FROM = 0.2  # stress above which a map shows distances only roughly (Kruskal 1964: fair to poor)


def distances(divergence: np.ndarray) -> np.ndarray:
    """Return √ of divergences [head, head] in bits: a metric, [0, 1]. Source: Endres & Schindelin 2003."""
    return np.sqrt(np.clip(np.asarray(divergence, dtype=np.float64), 0, 1))


@with_arrays
class Tree:
    """An ``order`` of heads in which neighbours are alike, int [head], and the ``forks`` above it, float64 [fork, 5].

    A fork joins two branches: their places along the order (0 is the first head), their heights, and its own height,
    which is a distance.
    """

    order: np.ndarray
    forks: np.ndarray


def tree(distance: np.ndarray) -> Tree:
    """Return the heads like by like, and the tree of average linkage that orders them.

    Leaves are ordered so that neighbours lie as near as the tree allows. Sources: Clark et al. 2019, section 6;
    Bar-Joseph et al. 2001.
    """
    _check(distance)
    if len(distance) < 3:
        forks = [[0, 1, 0, 0, distance[0, 1]]] if len(distance) == 2 else np.zeros((0, 5))
        return Tree(np.arange(len(distance)), np.array(forks, dtype=np.float64))
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    condensed = squareform((distance + distance.T) / 2, checks=False)
    links = linkage(condensed, method="average", optimal_ordering=True)
    order = leaves_list(links).astype(np.int64)
    at = {int(head): (float(place), 0.0) for place, head in enumerate(order)}
    forks = []
    for number, (left, right, height, _) in enumerate(links):
        (x0, y0), (x1, y1) = at[int(left)], at[int(right)]
        forks.append([x0, x1, y0, y1, height])
        at[len(distance) + number] = (x0 + x1) / 2, float(height)
    return Tree(order, np.array(forks))


@with_arrays
class Placed:
    """Heads as points in the plane, float64 [head, 2], and the ``stress`` of that: 0 where every distance is right.

    Stress-1 of Kruskal 1964, √(Σ (d − δ)² / Σ d²), d in the plane, δ the distances. Axes mean nothing.
    """

    points: np.ndarray
    stress: float

    @property
    def rough(self) -> bool:
        """Whether pairs should be read off the distances instead."""
        return self.stress > ROUGH_FROM


def placed(distance: np.ndarray) -> Placed:
    """Return heads in the plane by metric scaling (SMACOF), begun at the classical solution.

    One such start ends as low as the best of twenty random ones, within 4 % over 25 sentences, at a thirtieth of the
    time; distances that a plane can show it finds exactly. Sources: Torgerson 1952; de Leeuw 1977.
    """
    _check(distance)
    if len(distance) < 3 or distance.max() == 0:
        points = np.zeros((len(distance), 2))
        points[1:, 0] = distance[0, 1:]
        return Placed(points, 0.0)
    from sklearn.manifold import smacof

    even = (distance + distance.T) / 2
    points, _ = smacof(even, n_components=2, init=_classical(even), n_init=1, max_iter=300, eps=1e-6)
    drawn = np.linalg.norm(points[:, None] - points, axis=-1)
    upper = np.triu_indices(len(distance), 1)
    off = ((drawn[upper] - distance[upper]) ** 2).sum()
    return Placed(points - points.mean(axis=0), float(np.sqrt(off / max((drawn[upper] ** 2).sum(), 1e-12))))


def _classical(distance: np.ndarray) -> np.ndarray:
    """Return the two main axes of the doubly centred squares, [head, 2], the largest coordinate of each above zero."""
    centred = distance**2 - (distance**2).mean(axis=0)
    values, axes = np.linalg.eigh(-(centred - centred.mean(axis=1, keepdims=True)) / 2)
    axes = axes[:, -2:]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])
    return axes * np.sqrt(np.clip(values[-2:], 0, None))


def nearest(distance: np.ndarray, head: int, count: int = 5) -> list[tuple[int, float]]:
    """Return the heads most like one, with their distances, nearest first; itself left out.

    Raises:
        InputError: there is no such head.
    """
    _check(distance)
    if not 0 <= head < len(distance):
        raise InputError(f"There are {len(distance)} heads, counted from 0; {head} is not one of them.")
    order = [int(other) for other in np.argsort(distance[head], kind="stable") if other != head]
    return [(other, float(distance[head, other])) for other in order[:count]]


def within_and_between(distance: np.ndarray, n_heads: int) -> tuple[float, float]:
    """Return the mean distance of heads of one layer, and of heads of different layers; NaN where there are none."""
    _check(distance)
    layer = np.arange(len(distance)) // n_heads
    same = layer[:, None] == layer
    upper = np.triu(np.ones_like(same), 1)
    parts = [distance[upper & chosen] for chosen in (same, ~same)]
    within, between = (float(part.mean()) if part.size else float("nan") for part in parts)
    return within, between


def _check(distance: np.ndarray) -> None:
    if distance.ndim != 2 or distance.shape[0] != distance.shape[1] or not len(distance):
        raise InputError(f"Distances are [head, head], a row and a column a head; these are {distance.shape}.")


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


@with_arrays
class Alike:
    """Which heads look alike over ``n_texts`` texts: ``divergence`` is float64 [head, head], layer by layer.

    ``here`` is of the model itself, ``aside`` with its sinks set aside, ``twin`` of its scrambled twin on the same
    texts; None where there is no twin, and then no number of different heads is shown. ``plane`` is of the distances,
    None for more heads than can be drawn.
    """

    n_texts: int
    divergence: np.ndarray
    here: Different
    aside: Different
    twin: Different | None
    plane: Placed | None

    @classmethod
    def of(
        cls, n_texts: int, n_heads: int, here: np.ndarray, aside: np.ndarray, twin: np.ndarray | None = None
    ) -> Alike:
        """Return it from mean divergences [head, head] of layers of so many heads: plain, sinks aside, a twin's."""
        own, left = (Different.of(one, n_heads) for one in (here, aside))
        beside = None if twin is None else Different.of(twin, n_heads)
        plane = placed(distances(here)) if len(here) <= MOST_DRAWN else None
        return cls(n_texts, here, own, left, beside, plane)

    @functools.cached_property
    def tree(self) -> Tree | None:
        """The order of the heads, where they are drawn in a ``plane``."""
        return None if self.plane is None else tree(self.distance)

    @property
    def distance(self) -> np.ndarray:
        """The distance of every two heads, [0, 1]."""
        return distances(self.divergence)
