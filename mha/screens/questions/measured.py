"""The numbers behind the answers, each computed when it is asked for; nothing here draws.

Numbers of the core come from `mha.core` with fixed seeds, numbers of the reader's sentence from its recording.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.analysis.alike import Different
from mha.analysis.between import equally_apart, jensen_shannon
from mha.analysis.looks import Look
from mha.core import PRESETS, CellByHand, Trace, attend, cell, trace
from mha.core.attention import scaled_dot_product_attention
from mha.maps import AttentionMaps, HeadId, Recording
from mha.models.toy import HAND_SET


def averaged(maps: AttentionMaps, heads: Sequence[HeadId]) -> tuple[HeadId, Look, float]:
    """Return the head and its look at another word that lose most when heads are averaged, and what is left of it."""
    weights = np.stack([maps[head] for head in heads])  # [head, query, key]
    lost = (weights - weights.mean(axis=0)) * (1 - np.eye(*weights.shape[1:]))  # a look at itself is no look
    head, query, key = (int(place) for place in np.unravel_index(lost.argmax(), lost.shape))
    look = Look(query, key, float(weights[head, query, key]))
    return heads[head], look, float(weights[:, query, key].mean())


def walk(preset: str) -> Trace:
    """Return every array of a preset of the core on its own words."""
    row = PRESETS[preset]
    return trace(row.heads(), row.embeddings())


def one_head_is_plain() -> float:
    """Return the largest difference between a multi-head layer with one head and plain attention, then a matrix."""
    row = PRESETS["one_head"]
    heads, x = row.heads(), row.embeddings()
    gathered, _ = scaled_dot_product_attention(x @ heads.w_query, x @ heads.w_key, x @ heads.w_value)  # [token, d_head]
    return float(np.abs(attend(heads, x)[0] - gathered @ heads.w_output).max())


def toy_cell(recording: Recording) -> CellByHand:
    """Return how *telescope* comes to look at *man* in head 0 of the toy whose numbers were set by hand."""
    words = HAND_SET.split()
    query, key = _toy_head(recording)[:2]
    return cell(query, key, (words.index("telescope"), words.index("man")))


def doubled(recording: Recording) -> dict[str, tuple[float, float]]:
    """Return what doubling queries, keys or values in head 0 of the toy changes at most: weights, what is gathered."""
    arrays = dict(zip(("queries", "keys", "values"), _toy_head(recording), strict=True))
    gathered, weights = _attended(arrays)
    found = {}
    for name in arrays:
        now, looks = _attended({**arrays, name: 2 * arrays[name]})
        found[name] = float(np.abs(looks - weights).max()), float(np.abs(now - gathered).max())
    return found


def _attended(arrays: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    return scaled_dot_product_attention(arrays["queries"], arrays["keys"], arrays["values"])


def _toy_head(recording: Recording) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    query, key, value = recording.query, recording.key, recording.value
    if query is None or key is None or value is None:
        raise ValueError("the toy's recording has its queries, keys and values")
    return query[0, 0], key[0, 0], value[0, 0]  # each [token, d_head]


def mixing() -> tuple[np.ndarray, np.ndarray]:
    """Return the second word of *money bank*, side by side and after the last matrix.

    Each is float64 [with head 1 and without, d_model].
    """
    steps, d_head = walk("slices"), PRESETS["slices"].heads().d_head
    beside = steps["concatenation"][1]  # [d_model]
    without = np.where(np.arange(len(beside)) < d_head, beside, 0)
    return np.stack([beside, without]), np.stack([steps["output"][1], steps["contributions"][0, 1]])


@dataclass(frozen=True)
class Redundancy:
    """How many different looks there are, in all and in each layer, and the two most alike heads.

    ``apart`` is the mean divergence of two heads in bits, ``bound`` the number of looks were every two that far apart.
    """

    different: Different
    alike: tuple[HeadId, HeadId] | None
    divergence: float
    apart: float
    bound: float


def redundancy(maps: AttentionMaps) -> Redundancy:
    """Return how alike the heads of merged maps look; a layer's number counts the heads of that layer alone."""
    divergence = jensen_shannon(maps)
    first, second = np.triu_indices(len(divergence), 1)
    alike, least = None, float("nan")
    if len(first):
        closest = int(divergence[first, second].argmin())
        alike = (maps.heads[first[closest]], maps.heads[second[closest]])
        least = float(divergence[first[closest], second[closest]])
    different = Different.of(divergence, maps.n_heads)
    return Redundancy(different, alike, least, *equally_apart(divergence))
