"""Every head of a model in one text: shares of attention by pattern, and statistics.

Rows are those of words alone, keys are everything, and nothing is rescaled: a share is one of all attention. Nearly all
numbers are sums of weights with coefficients that depend on the words only, so that one product of matrices a text
gives them for all heads at once.
"""

from __future__ import annotations

import numpy as np

from mha.analysis.patterns import PATTERNS, Shade
from mha.analysis.sinks import EMPTY_BELOW, on_tokens, sink_columns
from mha.brief import with_arrays
from mha.errors import InputError
from mha.maps import AttentionMaps

SHADES: tuple[Shade, ...] = (
    *PATTERNS,
    Shade("broad", "Broad", "share", "entropy of a row, as a share of the largest possible", "Clark et al. 2019",
          False),
    Shade("sink_share", "Set aside", "share",
          "share of attention to attention sinks: special tokens, final punctuation, in causal models the first token",
          "Clark et al. 2019; Kovaleva et al. 2019", False),
    Shade("largest_weight", "Largest weight", "share", "largest share of a row, attention sinks excluded",
          "Voita et al. 2019"),
    Shade("entropy", "Entropy", "bits", "entropy of a row, in bits", "Clark et al. 2019", False),
    Shade("mean_distance", "Mean distance", "places",
          "how far a row looks on average, in places; punctuation and special tokens are places, too",
          "Vig & Belinkov 2019", False),
)  # fmt: skip
KEYS = tuple(row.key for row in SHADES)


@with_arrays
class OneText:
    """The numbers of every head in one text: by key float64 [layer, head], NaN without a value; ``n_words``."""

    values: dict[str, np.ndarray]
    n_words: int


def one_text(maps: AttentionMaps) -> OneText:
    """Return every number of `SHADES`, and the looks by distance, of one text; tokens are merged first.

    Raises:
        InputError: the text has no words, or the maps have two texts.
    """
    word_maps, words = words_of(maps)
    weights = word_maps.weights[:, :, words]  # [layer, head, word, key]
    rows = np.nan_to_num(on_tokens(weights))
    visible = word_maps.visible[words]  # [word, key]
    special = np.array([token.special for token in word_maps.tokens])
    masks = {row.key: row.mask(word_maps)[words] & visible for row in SHADES if row.mask is not None}
    sinks = sink_columns(word_maps)
    words_as_sinks = sinks & np.array([token.word is not None for token in word_maps.tokens])
    for key in ("previous_word", "next_word", "same_word", "elsewhere", "induction"):
        masks[key] = masks[key] & ~words_as_sinks  # attention to a sink is not a pattern of words
    for key in ("previous_word", "next_word"):
        masks[key] = masks[key] & ~special  # [CLS] is not a word before the first
    place = np.arange(word_maps.n_keys)
    linear = np.stack(
        [
            *(_mean_over(mask) for mask in masks.values()),
            np.abs(words[:, None] - place) / len(words),
        ]
    )  # [number, word, key]
    flat = rows.reshape(rows.shape[0] * rows.shape[1], -1)  # [head of all, word · key]
    sums = (flat @ linear.reshape(len(linear), -1).T.astype(np.float32)).astype(np.float64)
    sums = sums.reshape(*rows.shape[:2], -1)  # [layer, head, number]
    values = {
        key: np.clip(sums[..., number], 0, 1) if mask.any() else np.full(rows.shape[:2], np.nan)
        for number, (key, mask) in enumerate(masks.items())
    }
    logs = np.log2(np.maximum(rows, np.finfo(np.float32).tiny))
    entropy = np.maximum(-np.einsum("lhqk,lhqk->lhq", rows, logs), 0).astype(np.float64)
    largest_entropy = np.log2(np.maximum(visible.sum(axis=-1), 1))  # [word]
    wide = largest_entropy > 0
    kept_weights = rows[..., ~sinks]
    total = kept_weights.sum(axis=-1)
    counted_rows = (total >= EMPTY_BELOW) & ~sinks[words]
    largest = np.divide(kept_weights.max(axis=-1, initial=0), total, out=np.zeros_like(total), where=counted_rows)
    n_kept = counted_rows.sum(axis=-1)
    values |= {
        "broad": np.minimum((entropy[..., wide] / largest_entropy[wide]).mean(axis=-1), 1)
        if wide.any()
        else np.full(rows.shape[:2], np.nan),
        "sink_share": np.clip(1 - weights[..., ~sinks].sum(axis=-1, dtype=np.float64).mean(axis=-1), 0, 1),
        "largest_weight": np.where(n_kept > 0, largest.sum(axis=-1) / np.maximum(n_kept, 1), np.nan),
        "entropy": entropy.mean(axis=-1),
        "mean_distance": sums[..., len(masks)],
    }
    return OneText({key: values[key] for key in KEYS}, len(words))


def words_of(maps: AttentionMaps) -> tuple[AttentionMaps, np.ndarray]:
    """Return merged maps and the places of their words."""
    if maps.kind != "self":
        raise InputError("A model is measured where words and keys are of one text; these maps join two.")
    maps.check_every_row()
    word_maps = maps.merged()
    words = np.array([place for place, token in enumerate(word_maps.tokens) if token.word is not None], dtype=int)
    if not len(words):
        raise InputError("There is no word in this text.")
    return word_maps, words


def _mean_over(mask: np.ndarray) -> np.ndarray:
    """Return the coefficients of the mean mass on a mask over the rows where it can occur."""
    rows = mask.any(axis=-1)
    return mask / max(int(rows.sum()), 1)
