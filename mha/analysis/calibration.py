"""How well a number tells forced versions apart: arrays in, numbers out, all heads at once.

Everywhere ``a`` and ``b`` are [pair, …]: the same number in the version that forces A and in the one that forces B; the
remaining axes are usually [layer, head] and stay. A number tells the versions apart when it is larger in A's.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

DRAWS, LEVEL = 2000, 0.95
ENDS = (1 - LEVEL) / 2, (1 + LEVEL) / 2
FEWEST_HEADS = 10  # of nine, two orders by chance alone correlate by .70 or more in one of twenty


def wilson(successes: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927); (0, 1) when nothing was counted."""
    from scipy.special import ndtri

    if count == 0:
        return 0.0, 1.0
    z = float(ndtri((1 + LEVEL) / 2))  # so many standard deviations either way
    share = successes / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * np.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return float(middle - half), float(middle + half)


def rank_correlation(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Return Spearman's rank correlation of two numbers over heads, and its bootstrap interval (heads redrawn).

    Heads without a number (NaN) are left out; NaN where fewer than `FEWEST_HEADS` are left or one number is constant.
    """
    x, y = (np.ravel(one).astype(np.float64) for one in (x, y))
    kept = np.isfinite(x) & np.isfinite(y)
    return _rank_correlation(x[kept].tobytes(), y[kept].tobytes())


@functools.lru_cache(maxsize=64)  # a thousand draws; pages ask for the same ones with every click
def _rank_correlation(some: bytes, other: bytes) -> tuple[float, float, float]:
    x, y = np.frombuffer(some), np.frombuffer(other)
    if len(x) < FEWEST_HEADS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan"), float("nan"), float("nan")
    index = np.random.default_rng(0).integers(len(x), size=(DRAWS, len(x)))
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = _spearman(x[index], y[index])
    low, high = np.nanquantile(drawn, ENDS)
    return float(_spearman(x[None], y[None])[0]), float(low), float(high)


@dataclass(frozen=True)
class Gate:
    """Whether a readout may give a verdict on a kind of readings: two questions, and the numbers behind them."""

    n_pairs: int
    n_right: float
    interval: tuple[float, float]
    shuffled: float
    beyond_words: tuple[float, float]

    @property
    def rate(self) -> float:
        """Share of forced pairs that the readout puts the right way."""
        return self.n_right / self.n_pairs

    @property
    def tells(self) -> bool:
        """First question: does the interval of the hit rate lie above a coin toss?"""
        return self.interval[0] > 0.5

    @property
    def from_order(self) -> bool:
        """Second question: does it beat the same words shuffled?"""
        return self.beyond_words[0] > 0


def ranks(numbers: np.ndarray, axis: int) -> np.ndarray:
    """Return the rank of each number along an axis, ties sharing their mean."""
    from scipy.stats import rankdata  # 50 MB, which a server has not before somebody asks for ranks

    return np.asarray(rankdata(numbers, axis=axis))


def _spearman(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    x, y = ranks(x, axis=1), ranks(y, axis=1)
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    return (x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
