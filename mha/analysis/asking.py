"""Asking a word: which looks go from it, and which at it, most above the habit of their heads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mha.analysis.habit import Habit, bundled, column, word_looks
from mha.analysis.places import word_position
from mha.maps import AttentionMaps, HeadId

MOST = 8  # looks on a list
LEAST = 0.1  # how far above its habit a look must lie to be on it


class AskedConnection(NamedTuple):
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
) -> tuple[tuple[AskedConnection, ...], tuple[AskedConnection, ...]]:
    """Return the looks from a word, and those at it, furthest above the habit of their heads first.

    Every look that lies at least ``least`` above; at most so many, or all with ``most=None``: a head that looks at two
    words is listed twice. A word's look at itself is not asked for. ``word`` is a word number, or a word that occurs
    once. Without a habit the one that comes with the program for this model is taken; where there is none either,
    looks are ranked by weight.

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
        places = np.argwhere(above >= least)  # [look, (layer, head, other)]
        furthest = places[np.argsort(-above[tuple(places.T)], kind="stable")][:most]
        found.append(
            tuple(
                AskedConnection(
                    HeadId(int(layer), int(head)),
                    int(looks.places[other]),
                    float(weights[layer, head, other]),
                    None if habit is None else float(usual[layer, head, other]),
                    float(above[layer, head, other]),
                )
                for layer, head, other in furthest
            )
        )
    return found[0], found[1]
