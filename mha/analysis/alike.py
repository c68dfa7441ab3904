"""Which heads look alike, in one text or over the rows of words of many, and what goes with it.

Distances and the nearest heads of one head come from the divergences of `mha.analysis.between`. Similar heads may have
different effects.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from mha.analysis.between import diverging, effective_heads
from mha.analysis.sinks import set_aside
from mha.analysis.whole import words_of
from mha.brief import with_arrays
from mha.errors import InputError
from mha.maps import AttentionMaps
from mha.stepwise import Steps


def distances(divergence: np.ndarray) -> np.ndarray:
    """Return √ of divergences [head, head] in bits: a metric, [0, 1]. Source: Endres & Schindelin 2003."""
    return np.sqrt(np.clip(np.asarray(divergence, dtype=np.float64), 0, 1))


def nearest(distance: np.ndarray, head: int, count: int = 5) -> list[tuple[int, float]]:
    """Return the heads most like one, with their distances, nearest first; itself left out.

    Raises:
        InputError: there is no such head.
    """
    _check(distance)
    if not 0 <= head < len(distance):
        raise InputError(f"There are {len(distance)} heads, counted from 0; {head} is not one of them.")
    order = [int(other) for other in np.argsort(distance[head], kind="stable") if other != head]
    return [(other, float(distance[head, other])) for other in order[:count]]


def _check(distance: np.ndarray) -> None:
    if distance.ndim != 2 or distance.shape[0] != distance.shape[1] or not len(distance):
        raise InputError(f"Distances are [head, head], a row and a column a head; these are {distance.shape}.")


MOST_DRAWN = 400  # heads whose distances are exported
FEWEST_FOR_LAYERS = 2  # heads in a layer, and its effective number says something


def between_heads(maps: AttentionMaps, aside: bool = False) -> Steps[tuple[np.ndarray, int]]:
    """Find the mean divergence of every two heads over the rows of words, float64 [head, head], and how many rows.

    With ``aside`` sinks are set aside and rows rescaled; a row with nothing left counts as one key of its own.
    """
    merged, words = words_of(maps)
    if aside:
        setting = set_aside(merged)
        merged = setting.maps
        words = np.array([place for place, token in enumerate(merged.tokens) if token.word is not None], dtype=int)
        if not len(words):
            return np.zeros((maps.n_layers * maps.n_heads,) * 2), 0
    cut = dataclasses.replace(
        merged,
        weights=merged.weights[:, :, words],
        tokens=tuple(merged.tokens[place] for place in words),
        key_tokens=merged.key_tokens,
        kind="cross",
    )
    return (yield from diverging(cut)), len(words)


@dataclass(frozen=True)
class Different:
    """How many different heads there are in effect: in the whole model, and in each layer."""

    whole: float
    layers: tuple[float, ...]

    @classmethod
    def of(cls, divergence: np.ndarray, n_heads: int) -> Different:
        """Return it from mean divergences [head, head] of layers of so many heads."""
        blocks = range(0, len(divergence), n_heads)
        layers = (effective_heads(divergence[at : at + n_heads, at : at + n_heads]) for at in blocks)
        return cls(effective_heads(divergence), tuple(layers))


@with_arrays
class Alike:
    """Which heads look alike over ``n_texts`` texts: ``divergence`` is float64 [head, head], layer by layer.

    ``here`` is of the model itself, ``aside`` with its sinks set aside, ``twin`` of its scrambled twin on the same
    texts; None where there is no twin, and then no number of different heads is shown.
    """

    n_texts: int
    divergence: np.ndarray
    here: Different
    aside: Different
    twin: Different | None

    @classmethod
    def of(
        cls, n_texts: int, n_heads: int, here: np.ndarray, aside: np.ndarray, twin: np.ndarray | None = None
    ) -> Alike:
        """Return it from mean divergences [head, head] of layers of so many heads: plain, sinks aside, a twin's."""
        own, left = (Different.of(one, n_heads) for one in (here, aside))
        beside = None if twin is None else Different.of(twin, n_heads)
        return cls(n_texts, here, own, left, beside)

    @property
    def distance(self) -> np.ndarray:
        """The distance of every two heads, [0, 1]."""
        return distances(self.divergence)
