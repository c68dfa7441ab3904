"""One number a head: how spread, how far, how sure, and on what it looks.

Every statistic is computed on the maps it is given, in units of their axis (pages give `maps.merged()`, so words), with
sinks kept; only `largest_weight` sets them aside. A mean over queries leaves out rows that have no answer: all rows are
there for the entropy, but the first has no previous word. A head with no row left has NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mha.analysis import sinks
from mha.errors import InputError
from mha.maps import AttentionMaps


@dataclass(frozen=True)
class Statistic:
    """One row of the table: what is measured, in what unit and range, after whom, and how."""

    key: str
    title: str
    unit: str
    range: str
    source: str
    formula: str
    function: Callable[[AttentionMaps], np.ndarray]


def entropy(maps: AttentionMaps) -> np.ndarray:
    """Return each head's mean entropy over queries, in bits, as float64 [layer, head].

    H = -sum_k w_k log2 w_k. A query that looks at one key has 0, one that looks at n keys evenly has log2 n. Keys that
    a causal mask hides are left out. Source: Clark et al. 2019, section 3.3.
    """
    return _row_entropy(maps).mean(axis=-1)


def focus(maps: AttentionMaps) -> np.ndarray:
    """Return each head's mean focus, 1 - H / log2 n, as float64 [layer, head], in [0, 1].

    n counts the keys a query may see; rows with n = 1 cannot be anything but focused and are left out.
    """
    n_visible = maps.visible.sum(axis=-1)  # [query]
    rows = n_visible > 1
    relative = 1 - _row_entropy(maps)[..., rows] / np.log2(n_visible[rows])  # [layer, head, kept query]
    return _mean(np.clip(relative, 0, 1), np.ones(relative.shape[-1], dtype=bool))


def mean_distance(maps: AttentionMaps) -> np.ndarray:
    """Return how far each head looks on average, sum_k w_k |q - k|, in pieces of the axis, as float64 [layer, head].

    Source: Vig & Belinkov 2019, section 4.4.
    """
    _needs_one_axis(maps, "A distance")
    position = np.arange(maps.n_queries)
    distance = np.abs(position[:, None] - position).astype(np.float64)  # [query, key]
    return np.einsum("lhqk,qk->lhq", maps.weights, distance).mean(axis=-1)


def largest_weight(maps: AttentionMaps) -> np.ndarray:
    """Return the mean over queries of the largest weight, sinks set aside, as float64 [layer, head], in [0, 1].

    Rows with less than 0.01 left are empty and take no part. Source: "confidence", Voita et al. 2019, section 4.
    """
    aside = sinks.set_aside(maps)
    largest = aside.maps.weights.max(axis=-1).astype(np.float64)  # [layer, head, kept query]
    return _mean(largest, ~aside.empty)


def sink_share(maps: AttentionMaps) -> np.ndarray:
    """Return the mean over non-special queries of the mass on sinks, as float64 [layer, head], in [0, 1].

    Sources: Clark et al. 2019, section 3.2; Kovaleva et al. 2019.
    """
    return sinks.sink_share(maps)


def previous_word(maps: AttentionMaps) -> np.ndarray:
    """Return the mean weight from a piece to the one before it, as float64 [layer, head], in [0, 1]."""
    return _diagonal(maps, -1)


def next_word(maps: AttentionMaps) -> np.ndarray:
    """Return the mean weight from a piece to the one after it, as float64 [layer, head]; 0 under a causal mask."""
    return _diagonal(maps, 1)


def same_word(maps: AttentionMaps) -> np.ndarray:
    """Return the mean weight from a piece to itself, as float64 [layer, head], in [0, 1]."""
    return _diagonal(maps, 0)


_CLARK = "Clark et al. 2019"
_CLARK_VOITA = "Clark et al. 2019; Voita et al. 2019"

STATISTICS: tuple[Statistic, ...] = (
    Statistic("entropy", "Entropy", "bits", "0 to log2 T", _CLARK, "mean over q of −Σ w log2 w", entropy),
    Statistic("focus", "Focus", "share", "0 to 1", _CLARK, "mean over q of 1 − H / log2 n", focus),
    Statistic(
        "mean_distance", "Mean distance", "words", "0 to T − 1", "Vig & Belinkov 2019", "mean over q of Σ w · |q − k|",
        mean_distance,
    ),
    Statistic(
        "largest_weight", "Largest weight", "share", "0 to 1", "Voita et al. 2019",
        "mean over q of max w, sinks set aside", largest_weight,
    ),
    Statistic(
        "sink_share", "Set aside", "share", "0 to 1", "Clark et al. 2019; Kovaleva et al. 2019",
        "mean over non-special q of the mass on sinks", sink_share,
    ),
    Statistic(
        "previous_word", "Previous word", "share", "0 to 1", _CLARK_VOITA, "mean over q of w[q, q − 1]",
        previous_word,
    ),
    Statistic("next_word", "Next word", "share", "0 to 1", _CLARK_VOITA, "mean over q of w[q, q + 1]", next_word),
    Statistic("same_word", "Same word", "share", "0 to 1", _CLARK_VOITA, "mean over q of w[q, q]", same_word),
)  # fmt: skip


def head_statistics(maps: AttentionMaps) -> dict[str, np.ndarray]:
    """Return every statistic of `STATISTICS` by its key, each float64 [layer, head]."""
    return {row.key: row.function(maps) for row in STATISTICS}


def _row_entropy(maps: AttentionMaps) -> np.ndarray:
    """Return the entropy of each row in bits, as float64 [layer, head, query]; 0 · log 0 counts as 0."""
    weights = maps.weights.astype(np.float64)
    logarithm = np.log2(weights, out=np.zeros_like(weights), where=weights > 0)
    return np.maximum(-(weights * logarithm).sum(axis=-1), 0)


def _diagonal(maps: AttentionMaps, offset: int) -> np.ndarray:
    _needs_one_axis(maps, "A previous, next or same word")
    band = np.diagonal(maps.weights, offset=offset, axis1=-2, axis2=-1).astype(
        np.float64
    )  # [layer, head, row with key]
    return _mean(band, np.ones(band.shape[-1], dtype=bool))


def _mean(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the mean over the last axis of the values that count; NaN where none does."""
    number = np.broadcast_to(counts, values.shape).sum(axis=-1)
    total = np.where(counts, values, 0).sum(axis=-1)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def _needs_one_axis(maps: AttentionMaps, what: str) -> None:
    if maps.kind != "self":
        raise InputError(f"{what} needs queries and keys from one text; these maps look from one text into another.")
