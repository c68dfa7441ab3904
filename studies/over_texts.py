"""Statistics over many sentences: each head's mean with an interval, as far as they are measured.

Sentences are added one by one, in any order. Intervals
are of the mean, by redrawing sentences (Efron 1979); from 30 sentences on, below that they would promise too much.
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
        return self._values[key][self._measured].astype(np.float64)
