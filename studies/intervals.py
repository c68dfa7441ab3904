"""Bootstrap intervals of means, shares and slopes over several factors at once, and the file that results go to.

Every factor (texts, frames, names) is redrawn whole, and an observation counts as often as the product of its levels
says (the pigeonhole bootstrap, Owen 2007): intervals over frames and names are wider than those over names alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mha.export.provenance import versions
from mha.models.files.loading import LoadedModel
from studies.separation import DRAWS, ENDS

DECIMALS = 4
Factor = Sequence[Hashable]  # one level an observation
Row = dict[str, Any]


def redrawn(*factors: Factor, draws: int = DRAWS, seed: int = 0) -> np.ndarray:
    """Return how often each observation counts in each draw, float64 [draw, observation].

    >>> bool((redrawn("ab", draws=3).sum(axis=1) == 2).all())
    True
    """
    generator = np.random.default_rng(seed)
    counts = np.ones((draws, len(factors[0])))
    for factor in factors:
        levels = {level: number for number, level in enumerate(dict.fromkeys(factor))}
        level_counts = generator.multinomial(len(levels), np.full(len(levels), 1 / len(levels)), size=draws)
        counts *= level_counts[:, [levels[level] for level in factor]]
    return counts


def interval(statistic: Callable[[np.ndarray], np.ndarray], *factors: Factor) -> Row:
    """Return a statistic of counted observations, float64 [draw], with its 95 % interval under redrawn factors."""
    with np.errstate(invalid="ignore", divide="ignore"):
        value = statistic(np.ones((1, len(factors[0]))))[0]
        low, high = np.nanquantile(statistic(redrawn(*factors)), ENDS)
    return {"mean": rounded(value), "low": rounded(low), "high": rounded(high), "n": len(factors[0])}


def mean(values: Sequence[float] | np.ndarray, *factors: Factor) -> Row:
    """Return the mean of all observations with its interval; of booleans, a share.

    >>> mean([1, 1, 4], "aab")["mean"]
    2.0
    """
    return ratio(values, np.ones(len(values)), *factors)


def ratio(above: Sequence[float] | np.ndarray, below: Sequence[float] | np.ndarray, *factors: Factor) -> Row:
    """Return the sum of ``above`` over the sum of ``below``, with its interval.

    >>> ratio([1.0, 2.0], [2.0, 4.0], "ab")["high"]
    0.5
    """
    first, second = np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)
    return interval(lambda counts: (counts @ first) / (counts @ second), *factors)


def slope(sums: np.ndarray, *factors: Factor) -> Row:
    """Return the least-squares slope of y on x, with its interval; ``sums`` has `slope_sums` of each observation.

    >>> slope(np.array([slope_sums(np.arange(3.0), 2 * np.arange(3.0))] * 2), "ab")["low"]
    2.0
    """

    def fitted(counts: np.ndarray) -> np.ndarray:
        n, x, y, xx, xy = (counts @ sums).T
        return (n * xy - x * y) / (n * xx - x * x)

    return interval(fitted, *factors)


def slope_sums(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return what a slope needs of some points: their number and the sums of x, y, x² and x · y."""
    return np.array([x.size, x.sum(), y.sum(), (x * x).sum(), (x * y).sum()], dtype=np.float64)


def rounded(number: Any) -> float:
    """Return a number with four decimals; no −0."""
    return round(float(number), DECIMALS) + 0.0


def write_results(file: Path, loaded: LoadedModel, results: Row) -> None:
    """Print results and write them with the model and the versions that computed them."""
    model = {"model": loaded.row.name, "revision": loaded.row.revision, "versions": dict(versions())}
    text = json.dumps(model | results, indent=1, ensure_ascii=False) + "\n"
    print(text)
    file.write_text(text, encoding="utf-8")
