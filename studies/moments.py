"""Moments of statistics over texts, without any single text.

Parts may be grouped in any way, with the same result up to the rounding of float64, so that a corpus can be divided
among processes.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


class Moments:
    """Moments of some statistics over texts: count, mean, squared deviations, least and most of each head.

    A text without a value does not count. ``table[key]`` is float64 [5, layer, head] in that
    order. Two parts a and b add up, with d = mean_b − mean_a and n = n_a + n_b, to mean = mean_a + d n_b / n and
    M = M_a + M_b + d² n_a n_b / n (Chan, Golub and LeVeque 1979).
    """

    def __init__(self, table: Mapping[str, np.ndarray] | None = None) -> None:
        self.table = dict(table or {})

    @classmethod
    def from_statistics(cls, statistics: Mapping[str, np.ndarray]) -> Moments:
        """Return those of one text, each statistic [layer, head]."""
        return cls({key: _table_of(np.asarray(values, dtype=np.float64)) for key, values in statistics.items()})

    def __add__(self, other: Moments) -> Moments:
        keys = [*self.table, *(key for key in other.table if key not in self.table)]
        return Moments({key: _added(self.table.get(key), other.table.get(key)) for key in keys})

    def count(self, key: str) -> np.ndarray:
        """Return how many texts had an answer, for each head."""
        return self.table[key][0]

    def mean(self, key: str) -> np.ndarray:
        """Return each head's mean, NaN if it has no value."""
        return np.where(self.table[key][0] > 0, self.table[key][1], np.nan)

    def deviation(self, key: str) -> np.ndarray:
        """Return each head's standard deviation over texts (dividing by n − 1), NaN below two."""
        count, _, squares = self.table[key][:3]
        return np.where(count > 1, np.sqrt(squares / np.maximum(count - 1, 1)), np.nan)

    def range(self, key: str) -> np.ndarray:
        """Return the least and the most, [least or most, layer, head], NaN if there is no value."""
        return np.where(self.table[key][0] > 0, self.table[key][3:], np.nan)


def _table_of(values: np.ndarray) -> np.ndarray:
    has_value = np.isfinite(values)
    nothing = np.zeros_like(values)
    low, high = np.where(has_value, values, np.inf), np.where(has_value, values, -np.inf)
    return np.stack([has_value.astype(np.float64), np.where(has_value, values, 0), nothing, low, high])


def _added(a: np.ndarray | None, b: np.ndarray | None) -> np.ndarray:
    if a is None or b is None:
        total = b if a is None else a
        assert total is not None
        return total
    n = a[0] + b[0]
    share = np.divide(b[0], n, out=np.zeros_like(n), where=n > 0)
    d = b[1] - a[1]
    mean, squares = a[1] + d * share, a[2] + b[2] + d * d * a[0] * share
    return np.stack([n, mean, squares, np.minimum(a[3], b[3]), np.maximum(a[4], b[4])])
