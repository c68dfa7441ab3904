"""Heads named beside placebos: how far one head moves the score where the reading changes, and where it stays.

Test pairs change the reading, control swaps do not; both are patched alike. A threshold that swaps seldom pass and
pairs often would name heads for readings.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from mha.brief import with_arrays

DRAWS = 4000  # for the ends of the intervals of several paths together
POINT = 0.9  # of swaps stay below the threshold that is chosen
POWER, LEVEL = 0.8, 0.05
Interval = tuple[float, float, float]  # value, low, high


@with_arrays
class Placebo:
    """How far the largest head moves the score, of every test pair and control swap of equal length in tokens.

    ``pairs`` float64 [pair] and ``swaps`` float64 [swap] are in units of the score, over heads whose two directions
    agree and that are not direct; 0 where there is none. ``items`` [swap] numbers the sentence that a swap was made
    from, ``authors`` [swap] who wrote it: what is redrawn together.
    """

    pairs: np.ndarray
    swaps: np.ndarray
    items: np.ndarray
    authors: np.ndarray

    @property
    def enough(self) -> bool:
        """Whether there are pairs and swaps of two items at least, so that anything can be compared."""
        return len(self.pairs) > 1 and len(np.unique(self.items)) > 1

    @functools.cached_property
    def threshold(self) -> float:
        """What nine of ten swaps stay under."""
        return float(np.quantile(self.swaps, POINT))


@with_arrays
class KeptApart:
    """What pairs show that nothing was chosen with: neither a head nor a limit nor a threshold.

    ``scores`` float64 [pair] are how far the whole change moves the score, ``heads`` float64 [pair of equal length in
    tokens] how far its largest head does, as `Placebo.pairs`.
    """

    scores: np.ndarray
    heads: np.ndarray


@dataclass(frozen=True)
class HeldOut:
    """A threshold chosen on one half of the swaps, tried on what it was not chosen from; the mean of both ways.

    ``false`` is the share of the other half that passes, ``hits`` of all pairs, each with its 95 % interval.
    """

    threshold: float
    false: Interval
    hits: Interval


def curve(placebo: Placebo, n_thresholds: int = 61) -> tuple[np.ndarray, np.ndarray]:
    """Return the shares of pairs, and of swaps, that pass each threshold from 0 to the largest move.

    Each is float64 [value, low, high] by threshold, with 95 % intervals.
    """
    thresholds = np.linspace(0, max(placebo.pairs.max(initial=0), placebo.swaps.max(initial=0)), n_thresholds)
    pairs, swaps = _drawn(placebo)
    return _shares(placebo.pairs[:, None] > thresholds, pairs), _shares(placebo.swaps[:, None] > thresholds, swaps)


def area(placebo: Placebo) -> Interval:
    """Return P(a pair's largest head moves the score further than a swap's), ties half: the area under both curves.

    0.5 where looking at one head tells nothing of whether the reading changed. Its interval redraws authors of swaps,
    then their items, and pairs (Mann & Whitney 1947; Efron 1979).
    """
    further = (placebo.pairs[:, None] > placebo.swaps) + 0.5 * (placebo.pairs[:, None] == placebo.swaps)
    pairs, swaps = _drawn(placebo)
    drawn = ((pairs @ further.astype(np.float32)) * swaps).sum(axis=1) / (pairs.sum(axis=1) * swaps.sum(axis=1))
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(further.mean()), float(low), float(high)


def held_out(placebo: Placebo) -> HeldOut:
    """Return what the threshold that nine of ten swaps stay under does on items that it was not chosen from.

    The items of each author are dealt to two halves in turn; each half chooses once.
    """
    half = np.zeros(len(placebo.swaps), dtype=int)
    for author in np.unique(placebo.authors):
        of_author = placebo.authors == author
        for number, item in enumerate(np.unique(placebo.items[of_author])):
            half[of_author & (placebo.items == item)] = number % 2
    bars = [float(np.quantile(placebo.swaps[half == side], POINT)) for side in (0, 1)]
    passed = placebo.swaps > np.where(half == 0, bars[1], bars[0])  # each by the other half's
    hits = np.mean([placebo.pairs > bar for bar in bars], axis=0)
    pairs, swaps = _drawn(placebo)
    false, right = (_shares(one[:, None], drawn)[:, 0] for one, drawn in ((passed, swaps), (hits, pairs)))
    return HeldOut(float(np.mean(bars)), (*map(float, false),), (*map(float, right),))  # type: ignore[arg-type]


def carried_beyond(placebo: Placebo, of_pairs: np.ndarray, of_swaps: np.ndarray, paths: int = 1) -> Interval:
    """Return how much more a path carries of a pair's change of lean than of a swap's, on average.

    ``of_pairs`` [pair] and ``of_swaps`` [swap] are of the same changes as `Placebo` has. The interval is at 95 % for
    all of so many ``paths`` together (Bonferroni).
    """
    pairs, swaps = _drawn(placebo)
    drawn = pairs @ of_pairs / pairs.sum(axis=1) - swaps @ of_swaps / swaps.sum(axis=1)
    low, high = np.quantile(drawn, [0.025 / paths, 1 - 0.025 / paths])
    return float(of_pairs.mean() - of_swaps.mean()), float(low), float(high)


def pairs_needed(hits: float, false: float) -> int | None:
    """Return how many pairs, and as many swaps, would show these two shares to differ; None where hits are not more.

    For a one-sided test at 5 % to find it in 80 of 100 such studies, by the normal approximation (Fleiss 1981, ch. 3).

    >>> pairs_needed(0.6, 0.1), pairs_needed(0.15, 0.1), pairs_needed(0.1, 0.1)
    (11, 540, None)
    """
    from scipy.special import ndtri

    if not hits > false:
        return None
    mean = (hits + false) / 2
    alike = float(ndtri(1 - LEVEL)) * math.sqrt(2 * mean * (1 - mean))
    apart = float(ndtri(POWER)) * math.sqrt(hits * (1 - hits) + false * (1 - false))
    return math.ceil(((alike + apart) / (hits - false)) ** 2)


@functools.lru_cache(maxsize=1)
def _drawn(placebo: Placebo) -> tuple[np.ndarray, np.ndarray]:
    """Return how often each pair and each swap is drawn, float32 [draw, pair] and [draw, swap]: products are faster."""
    generator = np.random.default_rng(0)
    n_pairs = len(placebo.pairs)
    pairs = generator.multinomial(n_pairs, np.full(n_pairs, 1 / n_pairs), size=DRAWS)
    authors = np.unique(placebo.authors)
    times = generator.multinomial(len(authors), np.full(len(authors), 1 / len(authors)), size=DRAWS)  # [draw, author]
    swaps = np.zeros((DRAWS, len(placebo.swaps)), dtype=int)
    for author, drawn in zip(authors, times.T, strict=True):
        items = np.unique(placebo.items[placebo.authors == author])
        each = generator.multinomial(drawn * len(items), np.full(len(items), 1 / len(items)))  # [draw, item]
        swaps += each @ ((placebo.items == items[:, None]) & (placebo.authors == author))
    return pairs.astype(np.float32), swaps.astype(np.float32)


def _shares(passes: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Return the share of changes that pass, [value, low, high] by threshold, of passes [change, threshold]."""
    means = (drawn @ passes.astype(np.float32)) / drawn.sum(axis=1, keepdims=True)
    return np.stack([passes.mean(axis=0), *np.quantile(means, [0.025, 0.975], axis=0)])
