"""How well a number separates the versions of test pairs: AUC, pair accuracy, intervals and chance thresholds.

``a`` and ``b`` are [pair, …]: the same number in the version that forces reading A and in the version that forces B;
the remaining axes are usually [layer, head] and stay. A number separates the versions if it is larger in A's.
"""

import json
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from mha.export.provenance import versions
from mha.models.files.loading import LoadedModel

DRAWS, LEVEL = 2000, 0.95
ENDS = (1 - LEVEL) / 2, (1 + LEVEL) / 2


def auc(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return P(number in an A version > number in a B version) over all cross pairs, ties half, as float64 […].

    The area under the ROC curve, from the rank sum (Mann & Whitney 1947). Mixes in how much the sentences differ from
    each other; where they differ much, use `pair_accuracy`.
    """
    return (_pooled_ranks(a, b)[: len(a)].sum(axis=0) - len(a) * (len(a) + 1) / 2) / (len(a) * len(b))


def pair_accuracy(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the share of pairs whose A version has the larger number, ties half, as float64 […]."""
    return hits(a, b).mean(axis=0)


def hits(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return 1 for each pair that goes the right way, ½ for a tie, else 0, as float64 [pair, …]."""
    return (a > b) + 0.5 * (a == b)


def bootstrap_mean(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bootstrap interval of the mean over pairs, each end as float64 […]."""
    values = np.asarray(values, dtype=np.float64)
    means = redrawn(range(len(values))) @ values.reshape(len(values), -1) / len(values)  # [draw, …]
    return _ends(means, values.shape[1:])


def bootstrap_auc(a: np.ndarray, b: np.ndarray, draws: int = DRAWS, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return the bootstrap interval of `auc`, pairs redrawn whole, each end as float64 […]."""
    counts = redrawn(range(len(a)), draws=draws, seed=seed)  # [draw, pair]
    flat_a, flat_b = a.reshape(len(a), -1), b.reshape(len(b), -1)
    values = np.empty((draws, flat_a.shape[1]))
    for column in range(flat_a.shape[1]):
        difference = flat_a[:, column, None] - flat_b[None, :, column]
        wins = (difference > 0) + 0.5 * (difference == 0)  # [A version, B version]
        values[:, column] = ((counts @ wins) * counts).sum(axis=1) / len(a) ** 2
    return _ends(values, a.shape[1:])


def permutation_threshold(
    a: np.ndarray, b: np.ndarray, pairwise: bool = False, draws: int = DRAWS, seed: int = 0, level: float = LEVEL
) -> float:
    """Return the chance level of the best of all heads: the 95th percentile of the largest AUC under swapped labels.

    Labels are swapped within pairs, the same for all heads, and the maximum is taken over heads (Westfall & Young
    1993). ``pairwise`` gives the threshold of the pair accuracy instead.
    """
    n = len(a)
    swap = np.random.default_rng(seed).random((draws, n)) < 0.5
    if pairwise:
        right = hits(a, b).reshape(n, -1)
        reached = (~swap @ right + swap @ (1 - right)) / n  # [draw, head]
    else:
        pooled = _pooled_ranks(a, b).reshape(2 * n, -1)  # swapping labels leaves the pooled ranks as they are
        reached = ((~swap).astype(float) @ pooled[:n] + swap.astype(float) @ pooled[n:] - n * (n + 1) / 2) / n**2
    return float(np.quantile(reached.max(axis=1), level))


def telling(values: np.ndarray, threshold: float, twin_best: float, beyond_words_low: np.ndarray) -> np.ndarray:
    """Return which heads separate a kind of readings, as bool […]: they beat chance, the scrambled copy and shuffled
    words.

    ``values`` are AUC or pair accuracies, ``threshold`` the value of the best head by chance, ``twin_best`` that of the
    scrambled copy's best head, ``beyond_words_low`` the lower end of the interval of the head's pair accuracy minus its
    own with words shuffled.
    """
    return (values > max(threshold, twin_best)) & (beyond_words_low > 0)


def _pooled_ranks(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return rankdata(np.concatenate([a, b]), axis=0)


def _ends(draws: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.quantile(draws, ENDS, axis=0)
    return low.reshape(shape), high.reshape(shape)


def rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Return Spearman's rank correlation of two rows of numbers, NaN if a row is constant."""
    from scipy.stats import spearmanr

    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    return float(spearmanr(first, second).statistic)


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

    def fit(counts: np.ndarray) -> np.ndarray:
        n, x, y, xx, xy = (counts @ sums).T
        return (n * xy - x * y) / (n * xx - x * x)

    return interval(fit, *factors)


def slope_sums(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the sums for the slope of some points: their number and the sums of x, y, x² and x · y."""
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
