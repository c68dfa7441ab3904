"""Statistics of heads: spread, distance, certainty and targets of attention.

Every statistic is computed on the maps it is given, in units of their axis (pages give `maps.merged()`, so words), with
sinks kept; only `largest_weight` sets them aside. Rows that sum to less than 1, as in a model with a sink logit, are
rescaled to shares of the attention on tokens; the sink share has the rest. A mean over queries leaves out rows that
have no answer: all rows are there for the entropy, but the first has no previous word. A head with no row left has NaN.

`word_statistics` has the same numbers over word rows alone, on the maps of a picture; `head_statistics` counts the rows
of special tokens, too. The three shares are means over different rows, so they can add up to more than 1.
`undefined_statistics` has the reason for a statistic that no text of a kind can have.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mha.analysis import sinks
from mha.errors import InputError
from mha.maps import AttentionMaps, Recording, maps_of, parts
from mha.old_names import takes_old_names


@dataclass(frozen=True)
class Statistic:
    """One row of a table: a measure with its unit, range, source and function."""

    key: str
    title: str
    unit: str
    range: str
    source: str
    formula: str
    function: Callable[..., Any]


def entropy(maps: AttentionMaps) -> np.ndarray:
    """Return each head's mean entropy over queries, in bits, as float64 [layer, head].

    H = -sum_k w_k log2 w_k. A query with one key has 0, a query with n equal keys has log2 n. Keys that
    a causal mask hides are left out. Source: Clark et al. 2019, section 3.3.
    """
    return mean_of(_entropies(maps))


def focus(maps: AttentionMaps) -> np.ndarray:
    """Return each head's mean focus, 1 - H / log2 n, as float64 [layer, head], in [0, 1].

    n counts the keys a query may see; rows with n = 1 cannot be anything but focused and are left out.
    """
    return mean_of(_focuses(maps))


def mean_distance(maps: AttentionMaps) -> np.ndarray:
    """Return how far each head looks on average, sum_k w_k |q - k|, in pieces of the axis, as float64 [layer, head].

    Source: Vig & Belinkov 2019, section 4.4.
    """
    return mean_of(_distances(maps))


def largest_weight(maps: AttentionMaps) -> np.ndarray:
    """Return the mean over queries of the largest weight, sinks set aside, as float64 [layer, head], in [0, 1].

    Rows with less than 0.01 left are empty and take no part. Source: "confidence", Voita et al. 2019, section 4.
    """
    aside = sinks.set_aside(maps)
    return mean_of(_maxima(aside.maps), ~aside.empty)


def previous_word(maps: AttentionMaps) -> np.ndarray:
    """Return the mean weight from a piece to the one before it, as float64 [layer, head], in [0, 1].

    The first piece does not count; the result is NaN if the axis has one piece.
    """
    return mean_of(_neighbours(maps, -1))


def next_word(maps: AttentionMaps) -> np.ndarray:
    """Return the mean weight from a piece to the one after it, as float64 [layer, head], in [0, 1].

    The last piece has none after it and takes no part. Under a causal mask no piece can attend to a later one, so the
    value is NaN: `undefined_statistics` has the reason.
    """
    return mean_of(_neighbours(maps, 1))


def same_word(maps: AttentionMaps) -> np.ndarray:
    """Return the mean weight from a piece to itself, as float64 [layer, head], in [0, 1]."""
    return mean_of(_neighbours(maps, 0))


def _entropies(maps: AttentionMaps) -> np.ndarray:
    """Return the entropy of each row in bits; 0 · log 0 counts as 0."""
    entropies = np.empty(maps.weights.shape[:3])  # [layer, head, query]
    for part in parts(maps.weights):
        entropies[part] = _bits(sinks.on_tokens(maps.weights[part]))
    return entropies


def _bits(rows: np.ndarray) -> np.ndarray:
    weights = rows.astype(np.float64)
    logarithm = np.log2(weights, out=np.zeros_like(weights), where=weights > 0)
    return np.maximum(-np.multiply(weights, logarithm, out=weights).sum(axis=-1), 0)


def _focuses(maps: AttentionMaps, entropies: np.ndarray | None = None) -> np.ndarray:
    n_visible = maps.visible.sum(axis=-1)  # [query]
    largest_entropy = np.where(
        n_visible > 1, np.log2(np.maximum(n_visible, 1)), np.nan
    )  # a row of one key has no focus
    return np.clip(1 - (_entropies(maps) if entropies is None else entropies) / largest_entropy, 0, 1)


def _distances(maps: AttentionMaps) -> np.ndarray:
    _needs_one_axis(maps, "A distance")
    query, key = np.arange(maps.n_queries) + maps.first_query, np.arange(maps.n_keys)
    distance = np.abs(query[:, None] - key).astype(np.float64)  # [query, key]
    return np.einsum("lhqk,qk->lhq", sinks.on_tokens(maps.weights), distance)


def _maxima(maps: AttentionMaps) -> np.ndarray:
    return sinks.on_tokens(maps.weights).max(axis=-1).astype(np.float64)


def _neighbours(maps: AttentionMaps, offset: int) -> np.ndarray:
    """Return each row's weight so many pieces on, float64 [layer, head, query]; NaN if it cannot attend there."""
    _needs_one_axis(maps, "A previous, next or same word")
    neighbour_weights = np.full(maps.weights.shape[:-1], np.nan)
    if maps.causal and offset > 0:
        return neighbour_weights
    offset += maps.first_query
    band = np.diagonal(sinks.on_tokens(maps.weights), offset=offset, axis1=-2, axis2=-1)
    neighbour_weights[..., max(0, -offset) : max(0, -offset) + band.shape[-1]] = band
    return neighbour_weights


def _between(maps: AttentionMaps, words: np.ndarray, offset: int) -> np.ndarray:
    """Return the same of the rows and columns of words alone, without a copy of them."""
    values = np.full((*maps.weights.shape[:2], len(words)), np.nan)
    if maps.causal and offset > 0:
        return values
    keys = np.flatnonzero([token.word is not None for token in maps.key_tokens])
    places = np.searchsorted(keys, words + maps.first_query) + offset
    rows = (places >= 0) & (places < len(keys))
    values[..., rows] = sinks.on_tokens(maps.weights)[:, :, words[rows], keys[places[rows]]]
    return values


CAUSAL_NEXT = "A left-to-right model cannot attend to a later word."
_CLARK = "Clark et al. 2019"
_CLARK_VOITA = "Clark et al. 2019; Voita et al. 2019"

STATISTICS: tuple[Statistic, ...] = (
    Statistic("entropy", "Entropy", "bits", "0 to log2 T", _CLARK, "mean over q of −Σ w log2 w", entropy),
    Statistic("focus", "Focus", "share", "0 to 1", _CLARK, "mean over q of 1 − H / log2 n", focus),
    Statistic(
        "mean_distance", "Mean distance", "places", "0 to T − 1", "Vig & Belinkov 2019",
        "mean over q of Σ w · |q − k|; punctuation and special tokens are places, too", mean_distance,
    ),
    Statistic(
        "largest_weight", "Largest weight", "share", "0 to 1", "Voita et al. 2019",
        "mean over q of max w, attention sinks excluded", largest_weight,
    ),
    Statistic(
        "sink_share", "Excluded", "share", "0 to 1", "Clark et al. 2019; Kovaleva et al. 2019",
        "mean over non-special q of the mass on sinks", sinks.sink_share,
    ),
    Statistic(
        "previous_word", "Previous word", "share", "0 to 1", _CLARK_VOITA,
        "mean over q of w[q, q − 1], rows that have one",
        previous_word,
    ),
    Statistic(
        "next_word", "Next word", "share", "0 to 1", _CLARK_VOITA,
        "mean over q of w[q, q + 1], rows that have one; none under a causal mask", next_word,
    ),
    Statistic("same_word", "Same word", "share", "0 to 1", _CLARK_VOITA, "mean over q of w[q, q]", same_word),
)  # fmt: skip

_OVER_WORDS = {
    "largest_weight": ("Mean of row maxima", "mean over q of max w"),
    "sink_share": ("Excluded", "mean over q of the mass on attention sinks"),
    "previous_word": ("Previous word", "mean of w[q, q − 1] over words that have one before them"),
    "next_word": ("Next word", "mean of w[q, q + 1] over words that have one after them"),
}
# The keys of `word_statistics`.
WORD_STATISTICS: tuple[Statistic, ...] = tuple(
    replace(row, title=title, formula=formula)
    for row in STATISTICS
    for title, formula in [_OVER_WORDS.get(row.key, (row.title, row.formula))]
)


def head_statistics(maps: AttentionMaps | Recording) -> dict[str, np.ndarray]:
    """Return every statistic of `STATISTICS` by its key, each float64 [layer, head].

    Raises:
        InputError: these are no maps.
    """
    maps = maps_of(maps)
    return {row.key: row.function(maps) for row in STATISTICS}


@takes_old_names
def word_statistics(
    maps: AttentionMaps | Recording, aside: bool = False, excluded: sinks.SetAside | None = None
) -> dict[str, np.ndarray]:
    """Return every statistic of `WORD_STATISTICS` by its key, over word rows alone, each float64 [layer, head].

    Tokens are merged first. With ``aside`` all but the sink share are computed without the sinks, rows rescaled; rows
    with less than 0.01 left are empty and take no part. Previous, next and same word are words, marks and special
    tokens between them skipped; words without such a neighbour take no part. ``excluded`` is what `set_aside` returned
    for the merged maps, if that is known already.

    Raises:
        InputError: these are no maps.
    """
    word_maps = maps_of(maps).merged()
    setting = (excluded or sinks.set_aside(word_maps)) if aside else None
    measured_maps = word_maps if setting is None else setting.maps
    words = np.array([token.word is not None for token in measured_maps.tokens], dtype=bool)
    counted_rows = (
        np.broadcast_to(words, measured_maps.weights.shape[:3]) if setting is None else words & ~setting.empty
    )
    entropies = _entropies(measured_maps)
    rows = {
        "entropy": entropies,
        "focus": _focuses(measured_maps, entropies),
        "mean_distance": _distances(measured_maps),
        "largest_weight": _maxima(measured_maps),
    }
    values_by_key = {key: mean_of(values, counted_rows) for key, values in rows.items()}
    sink_mass, _ = sinks.sink_mass(word_maps, sinks.sink_columns(word_maps))
    values_by_key["sink_share"] = mean_of(sink_mass[..., [token.word is not None for token in word_maps.tokens]])
    for key, offset in (("previous_word", -1), ("next_word", 1), ("same_word", 0)):
        values_by_key[key] = mean_of(_between(measured_maps, np.flatnonzero(words), offset), counted_rows[..., words])
    return {row.key: values_by_key[row.key] for row in WORD_STATISTICS}


def undefined_statistics(maps: AttentionMaps | Recording) -> dict[str, str]:
    """Return the statistics that no head can have on these maps, by key, each with the reason as a sentence.

    Raises:
        InputError: these are no maps.
    """
    word_maps = maps_of(maps).merged_axes()
    one_word = sum(token.word is not None for token in word_maps.tokens) < 2
    reasons = dict.fromkeys(("previous_word", "next_word"), "The text has one word.") if one_word else {}
    if word_maps.causal and word_maps.kind == "self":
        reasons["next_word"] = CAUSAL_NEXT
    return reasons


def mean_of(rows: np.ndarray, counts: np.ndarray | np.bool | bool = True) -> np.ndarray:
    """Return the mean over the last axis of the counted rows that have a value; NaN if there is no such row."""
    has_value = np.isfinite(rows) & counts
    number = has_value.sum(axis=-1)
    return np.where(number > 0, np.where(has_value, rows, 0).sum(axis=-1) / np.maximum(number, 1), np.nan)


def _needs_one_axis(maps: AttentionMaps, measure: str) -> None:
    if maps.kind != "self":
        raise InputError(f"{measure} needs queries and keys from one text; these maps look from one text into another.")
