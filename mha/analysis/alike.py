"""Which heads look alike: distances, an order in which like stands by like, a map, and the nearest of one head.

All of it from the divergences of `mha.analysis.between`. Heads that look alike need not do alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mha.brief import brief
from mha.errors import InputError
from mha.stepwise import Steps, finished

STARTS = 20
SEED = 0
ROUGH_FROM = 0.2  # stress above which a map shows distances only roughly (Kruskal 1964: fair to poor)


def distances(divergence: np.ndarray) -> np.ndarray:
    """Return √ of divergences [head, head] in bits: a metric, [0, 1]. Source: Endres & Schindelin 2003."""
    return np.sqrt(np.clip(np.asarray(divergence, dtype=np.float64), 0, 1))


def like_by_like(distance: np.ndarray) -> np.ndarray:
    """Return the heads in an order in which neighbours are alike, int [head].

    Average linkage, leaves ordered so that neighbours lie as near as the tree allows. Sources: Clark et al. 2019,
    section 6; Bar-Joseph et al. 2001.
    """
    return tree(distance).order


@dataclass(frozen=True, eq=False)
class Tree:
    """The ``order`` of `like_by_like`, and the ``forks`` above it, float64 [fork, 5].

    A fork joins two branches: their places along the order (0 is the first head), their heights, and its own height,
    which is a distance.
    """

    order: np.ndarray
    forks: np.ndarray

    __repr__ = brief


def tree(distance: np.ndarray) -> Tree:
    """Return the heads like by like, and the tree of average linkage that orders them."""
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


@dataclass(frozen=True, eq=False)
class Placed:
    """Heads as points in the plane, float64 [head, 2], and the ``stress`` of that: 0 where every distance is right.

    Stress-1 of Kruskal 1964, √(Σ (d − δ)² / Σ d²), d in the plane, δ the distances. Axes mean nothing.
    """

    points: np.ndarray
    stress: float

    __repr__ = brief

    @property
    def rough(self) -> bool:
        """Whether pairs should be read off the distances instead."""
        return self.stress > ROUGH_FROM


def placed(distance: np.ndarray) -> Placed:
    """Return heads in the plane by metric scaling: the best of twenty seeded starts."""
    return finished(placing(distance))


def placing(distance: np.ndarray) -> Steps[Placed]:
    """Find `placed`, a start in each step: all of them take seconds where the heads are many."""
    _check(distance)
    if len(distance) < 3 or distance.max() == 0:
        points = np.zeros((len(distance), 2))
        points[1:, 0] = distance[0, 1:]
        return Placed(points, 0.0)
    from sklearn.manifold import MDS

    draws, even = np.random.RandomState(SEED), (distance + distance.T) / 2
    scaling = MDS(n_components=2, metric="precomputed", n_init=1, random_state=draws, init="random", max_iter=300)
    points, least = np.zeros((len(distance), 2)), np.inf
    for _ in range(STARTS):
        found = scaling.fit_transform(even)
        if scaling.stress_ < least:
            points, least = found, scaling.stress_
        yield 1
    drawn = np.linalg.norm(points[:, None] - points, axis=-1)
    upper = np.triu_indices(len(distance), 1)
    off = ((drawn[upper] - distance[upper]) ** 2).sum()
    return Placed(points - points.mean(axis=0), float(np.sqrt(off / max((drawn[upper] ** 2).sum(), 1e-12))))


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
