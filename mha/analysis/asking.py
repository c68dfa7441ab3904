"""Asking a word: which heads look from it, and which look at it, most above their habit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mha.analysis.habit import Habit, bundled, column, word_looks
from mha.analysis.places import word_position
from mha.maps import AttentionMaps, HeadId

MOST = 8  # heads on a list
LEAST = 0.1  # how far above its habit a look must lie to be on it


class Asked(NamedTuple):
    """One head's look from the word that was asked about, or at it.

    ``other`` is the position of the other word on the axis of the merged maps, ``weight`` the share of all attention,
    ``usual`` the head's habit at that distance (None where none was measured), ``above`` the weight minus the habit.
    """

    head: HeadId
    other: int
    weight: float
    usual: float | None
    above: float


def ask(
    maps: AttentionMaps,
    word: int | str,
    habit: Habit | None = None,
    most: int | None = MOST,
    least: float = LEAST,
) -> tuple[tuple[Asked, ...], tuple[Asked, ...]]:
    """Return the heads that look from a word, and those that look at it, furthest above their habit first.

    For each head its one look that lies furthest above, at least ``least``; at most so many heads, or all with
    ``most=None``. A word's look at itself is not asked for. ``word`` is a word number, or a word that occurs once.
    Without a habit the one that comes with the program for this model is taken; where there is none either, looks are
    ranked by weight.

    Raises:
        InputError: there is no such word, or several, or the maps look from one text into another.
    """
    looks = word_looks(maps)
    merged = maps.merged()
    habit = habit or bundled(maps)
    asked = int(np.flatnonzero(looks.places == word_position(merged, word))[0])
    apart = looks.distance != 0
    found = []
    for weights, counts, distance in (
        (looks.weights[:, :, asked], looks.counts[asked] & apart[asked], looks.distance[asked]),  # [layer, head, key]
        (looks.weights[..., asked], looks.counts[:, asked] & apart[:, asked], looks.distance[:, asked]),  # [… query]
    ):
        usual = np.zeros_like(weights) if habit is None else habit.weights[..., column(distance)]
        above = np.where(counts, weights.astype(np.float64) - usual, -np.inf)
        other = above.argmax(axis=-1)  # [layer, head]
        rows = [
            Asked(
                head,
                int(looks.places[other[head]]),
                float(weights[head][other[head]]),
                None if habit is None else float(usual[head][other[head]]),
                float(above[head][other[head]]),
            )
            for head in maps.heads
        ]
        listed = sorted((row for row in rows if row.above >= least), key=lambda row: -row.above)
        found.append(tuple(listed[:most]))
    return found[0], found[1]
