"""Statistics over many sentences: each head's mean with an interval, as far as they are measured, or moments alone.

Sentences are added one by one, in any order, so that what is known can be drawn, stopped and gone on with. Intervals
are of the mean, by redrawing sentences (Efron 1979); from 30 sentences on, below that they would promise too much.
Moments keep nothing of a single text: parts may be grouped in any way, with the same result up to the rounding of
float64, so that a corpus can be divided among processes.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mha.errors import InputError, ShapeError

DRAWS = 1000
FEWEST = 30  # sentences that an interval needs
SEED = 0


class OverCorpus:
    """What some statistics are over ``n_texts`` sentences, of a model with so many layers and heads.

    A value may be NaN where a sentence has no answer (no earlier copy of a word, say); it takes no part in means.
    """

    def __init__(self, n_texts: int, shape: tuple[int, int]) -> None:
        self._shape = shape
        self._values: dict[str, np.ndarray] = {}  # float32 [text, layer, head]
        self._measured = np.zeros(n_texts, dtype=bool)

    @property
    def n_measured(self) -> int:
        """How many sentences are measured."""
        return int(self._measured.sum())

    @property
    def missing(self) -> tuple[int, ...]:
        """The numbers of the sentences that are still to be measured: where to go on."""
        return tuple(int(number) for number in np.flatnonzero(~self._measured))

    @property
    def keys(self) -> tuple[str, ...]:
        """The statistics that are measured."""
        return tuple(self._values)

    def add(self, number: int, statistics: Mapping[str, np.ndarray]) -> None:
        """Keep what was measured of one sentence; the same one again replaces it.

        Raises:
            InputError: there is no such sentence.
            ShapeError: a statistic is not [layer, head].
        """
        if not 0 <= number < len(self._measured):
            raise InputError(f"There are {len(self._measured)} sentences, counted from 0; {number} is not one of them.")
        for key, values in statistics.items():
            if np.shape(values) != self._shape:
                raise ShapeError(f"{key} must be [layer, head] {self._shape}; it is {np.shape(values)}.")
            if key not in self._values:
                self._values[key] = np.full((len(self._measured), *self._shape), np.nan, dtype=np.float32)
            self._values[key][number] = values
        self._measured[number] = True

    def mean(self, key: str) -> np.ndarray:
        """Return each head's mean over the measured sentences, float64 [layer, head]; NaN where none has an answer.

        Raises:
            InputError: no such statistic was measured.
        """
        values = self._of(key)
        known = np.isfinite(values)
        count = known.sum(axis=0)
        return np.where(count, np.where(known, values, 0).sum(axis=0) / np.maximum(count, 1), np.nan)

    def interval(self, key: str) -> np.ndarray | None:
        """Return the 95 % interval of each mean, float64 [low or high, layer, head]; None below 30 sentences.

        Raises:
            InputError: no such statistic was measured.
        """
        values = self._of(key)
        if len(values) < FEWEST:
            return None
        generator = np.random.default_rng(SEED)
        counts = generator.multinomial(len(values), np.full(len(values), 1 / len(values)), size=DRAWS)  # [draw, text]
        known = np.isfinite(values).reshape(len(values), -1)
        flat = np.where(known, values.reshape(len(values), -1), 0)  # [text, head of all]
        total = counts @ known  # [draw, head of all]
        means = np.where(total > 0, counts @ flat / np.maximum(total, 1), np.nan)
        none = ~np.isfinite(means).any(axis=0)
        low, high = np.nanquantile(np.where(none, 0, means), [0.025, 0.975], axis=0)
        return np.where(none, np.nan, np.array([low, high])).reshape(2, *self._shape)

    def _of(self, key: str) -> np.ndarray:
        if key not in self._values:
            raise InputError(f"Measured are {', '.join(self._values) or 'none'} so far; not {key!r}.")
        # numpy counts a mask before it copies by it: one that another thread adds to meanwhile is written past the end
        measured = self._measured.copy()
        return self._values[key][measured].astype(np.float64)


class Moments:
    """What some statistics are over texts: count, mean, squared deviations, least and most of each head.

    A value may be NaN where a text has no answer; it takes no part. ``table[key]`` is float64 [5, layer, head] in that
    order. Two parts a and b add up, with d = mean_b − mean_a and n = n_a + n_b, to mean = mean_a + d n_b / n and
    M = M_a + M_b + d² n_a n_b / n (Chan, Golub and LeVeque 1979).
    """

    def __init__(self, table: Mapping[str, np.ndarray] | None = None) -> None:
        self.table = dict(table or {})

    @classmethod
    def of(cls, statistics: Mapping[str, np.ndarray]) -> Moments:
        """Return those of one text, each statistic [layer, head]."""
        return cls({key: _one(np.asarray(values, dtype=np.float64)) for key, values in statistics.items()})

    def __add__(self, other: Moments) -> Moments:
        keys = [*self.table, *(key for key in other.table if key not in self.table)]
        return Moments({key: _added(self.table.get(key), other.table.get(key)) for key in keys})

    def count(self, key: str) -> np.ndarray:
        """Return how many texts had an answer, for each head."""
        return self.table[key][0]

    def mean(self, key: str) -> np.ndarray:
        """Return each head's mean, NaN where no text had an answer."""
        return np.where(self.table[key][0] > 0, self.table[key][1], np.nan)

    def deviation(self, key: str) -> np.ndarray:
        """Return each head's standard deviation over texts (dividing by n − 1), NaN below two."""
        count, _, squares = self.table[key][:3]
        return np.where(count > 1, np.sqrt(squares / np.maximum(count - 1, 1)), np.nan)

    def range(self, key: str) -> np.ndarray:
        """Return the least and the most, [least or most, layer, head], NaN where no text had an answer."""
        return np.where(self.table[key][0] > 0, self.table[key][3:], np.nan)


def _one(values: np.ndarray) -> np.ndarray:
    if values.ndim != 2:
        raise ShapeError(f"A statistic must be [layer, head]; it is {values.shape}.")
    known = np.isfinite(values)
    nothing = np.zeros_like(values)
    least, most = np.where(known, values, np.inf), np.where(known, values, -np.inf)
    return np.stack([known.astype(np.float64), np.where(known, values, 0), nothing, least, most])


def _added(a: np.ndarray | None, b: np.ndarray | None) -> np.ndarray:
    if a is None or b is None:
        whole = b if a is None else a
        assert whole is not None
        return whole
    if a.shape != b.shape:
        raise ShapeError(f"Parts must be of one model; they are {a.shape[1:]} and {b.shape[1:]} heads.")
    n = a[0] + b[0]
    share = np.divide(b[0], n, out=np.zeros_like(n), where=n > 0)
    d = b[1] - a[1]
    mean, squares = a[1] + d * share, a[2] + b[2] + d * d * a[0] * share
    return np.stack([n, mean, squares, np.minimum(a[3], b[3]), np.maximum(a[4], b[4])])
