"""Which two heads a page opens with, when nobody has chosen any."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mha.analysis.places import link_positions
from mha.maps import AttentionMaps, HeadId, Reading


def opening_heads(maps: AttentionMaps, readings: Sequence[Reading] | None = None) -> tuple[HeadId, HeadId]:
    """Return the two heads to show first, computed from weights before any rescaling, with words as axes.

    With two readings: for each, the head in which its partner's look at the pivot (or, in both, the pivot's look at
    the partner, if those stand out more or a causal mask hides the others) stands out most over every other word's
    look at the same word. Without: the two heads whose strongest look from one word to another stands out most over
    every other word's look at that word, the two looking at different words. The heads differ wherever there are two.

    Raises:
        InputError: a reading names a word that is not in the text.
    """
    merged = maps.merged()
    rows = np.array([token.word is not None for token in merged.tokens], dtype=bool)
    columns = np.array([token.word is not None for token in merged.key_tokens], dtype=bool)
    margin = _stands_out(merged, rows, columns)  # [head, query, key]
    if readings is not None and len(readings) == 2:
        first, second = (_best_heads(values) for values in _reading_margins(merged, margin, readings))
        return _name(merged, first[0]), _name(merged, next((head for head in second if head != first[0]), first[0]))
    return _without_readings(merged, margin)


def _stands_out(maps: AttentionMaps, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return by how much each look exceeds the strongest look of any other word at the same word.

    Float64 [head, query, key] with all heads on one axis; −inf where there is no look: hidden, not between words, or
    from a word to itself.
    """
    weights = maps.weights.reshape(-1, maps.n_queries, maps.n_keys).astype(np.float64)  # [head, query, key]
    looks = np.outer(rows, columns) & maps.visible
    if maps.kind == "self":
        np.fill_diagonal(looks, False)
    seen = np.where(looks, weights, 0)
    strongest = seen.max(axis=1, keepdims=True)  # [head, 1, key]
    rest = seen.copy()
    np.put_along_axis(rest, seen.argmax(axis=1, keepdims=True), 0, axis=1)  # one of them, if several are equal
    others = np.where(seen == strongest, rest.max(axis=1, keepdims=True), strongest)  # [head, query, key]
    return np.where(looks, weights - others, -np.inf)


def _reading_margins(maps: AttentionMaps, margin: np.ndarray, readings: Sequence[Reading]) -> list[np.ndarray]:
    """Return how far the looks that each reading joins stand out in each head, float64 [head] for each reading.

    One direction serves both readings, so that the two heads can be compared; each its own only where a mask hides
    one direction from one reading and the other from the other.
    """
    links = [link_positions(maps, reading) for reading in readings]
    to_pivot = [np.max([margin[:, partner, pivot] for pivot, partner in pairs], axis=0) for pairs in links]
    from_pivot = [np.max([margin[:, pivot, partner] for pivot, partner in pairs], axis=0) for pairs in links]
    reached = [sum(float(values.max()) for values in direction) for direction in (to_pivot, from_pivot)]
    if not np.isfinite(reached).any():
        return [np.maximum(there, back) for there, back in zip(to_pivot, from_pivot, strict=True)]
    return from_pivot if reached[1] > reached[0] else to_pivot


def _without_readings(maps: AttentionMaps, margin: np.ndarray) -> tuple[HeadId, HeadId]:
    weights = maps.weights.reshape(margin.shape)
    flat = np.where(np.isfinite(margin), weights, -1).reshape(len(margin), -1).argmax(axis=-1)  # the strongest look
    query, key = np.unravel_index(flat, margin.shape[1:])
    order = _best_heads(margin[np.arange(len(margin)), query, key])
    first, rest = order[0], order[1:] or order[:1]
    second = next((head for head in rest if key[head] != key[first]), rest[0])
    return _name(maps, first), _name(maps, second)


def _best_heads(values: np.ndarray) -> list[int]:
    return [int(head) for head in np.argsort(-values, kind="stable")]


def _name(maps: AttentionMaps, flat: int) -> HeadId:
    return HeadId(*divmod(flat, maps.n_heads))
