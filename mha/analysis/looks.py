"""Looks worth a sentence: the strongest of a head, and those of a word that lie furthest above the habit of heads."""

from typing import NamedTuple

import numpy as np

from mha.analysis.readings import word_position
from mha.analysis.usual import Habit, bundled, column, word_looks
from mha.errors import InputError
from mha.maps import AttentionMaps, HeadId, parts
from mha.old_names import takes_old_names

FAINTEST = 0.01  # a look below this is not worth a sentence


class Look(NamedTuple):
    """One word looking at another: positions on the axes of the maps, and the weight."""

    query: int
    key: int
    weight: float


class HeadLooks(NamedTuple):
    """One look of each head, layer by layer: positions and weights, each [head]; ``found`` is bool, who has one."""

    query: np.ndarray
    key: np.ndarray
    weight: np.ndarray
    found: np.ndarray

    def of(self, number: int) -> Look | None:
        """Return the connection of a head by its index, or None."""
        if not self.found[number]:
            return None
        return Look(int(self.query[number]), int(self.key[number]), float(self.weight[number]))


def strongest_look(
    maps: AttentionMaps, head: tuple[int, int], key: int | None = None, query: int | None = None
) -> Look | None:
    """Return one head's strongest connection from a word to another word, for a given key or a given query only.

    A connection of a word with itself does not count, nor does punctuation; special tokens count if they are on the
    axis. The result is None if no connection reaches 1 %.

    Raises:
        InputError: the head, the key or the query does not exist.
    """
    return strongest_looks(maps, maps[head][None, None], key=key, query=query).of(0)


def strongest_looks(
    maps: AttentionMaps, weights: np.ndarray | None = None, /, key: int | None = None, query: int | None = None
) -> HeadLooks:
    """Return `strongest_look` of every head, or of ``weights`` of some [layer, head, query, key], in new arrays."""
    if key is not None and not 0 <= key < maps.n_keys:
        raise InputError(f"There are {maps.n_keys} words to look at, counted from 0; you asked for {key}.")
    if query is not None and not 0 <= query < maps.n_queries:
        raise InputError(f"There are {maps.n_queries} words that look, counted from 0; you asked for {query}.")
    rows = np.array([not token.punctuation for token in maps.tokens], dtype=bool)
    columns = np.array([not token.punctuation for token in maps.key_tokens], dtype=bool)
    if key is not None:
        columns = np.arange(maps.n_keys) == key  # a mark may be asked for by name
    if query is not None:
        rows = np.arange(maps.n_queries) == query
    allowed = np.outer(rows, columns) & maps.visible
    if maps.kind == "self":
        allowed &= ~np.eye(maps.n_queries, maps.n_keys, maps.first_query, dtype=bool)
    weights = maps.weights if weights is None else weights
    flat_weights = weights.reshape(-1, maps.n_queries, maps.n_keys)  # [head, query, key]
    n_heads = len(flat_weights)
    if not allowed.any():
        place, nothing = np.zeros(n_heads, dtype=int), np.zeros(n_heads)
        return HeadLooks(place, place.copy(), nothing, nothing > 0)
    queries, keys = np.nonzero(allowed)
    best = np.concatenate([weights[part][..., queries, keys].argmax(axis=-1).ravel() for part in parts(weights)])
    strongest = flat_weights[np.arange(n_heads), queries[best], keys[best]]
    return HeadLooks(queries[best], keys[best], strongest, strongest >= FAINTEST)


MOST = 8  # looks on a list
SMALLEST_EXCESS = 0.1  # how far above its habit a look must lie to be on it


class AskedConnection(NamedTuple):
    """One head's connection from the selected word, or to it.

    ``other`` is the position of the other word on the axis of the merged maps, ``weight`` the share of all attention,
    ``usual`` the head's usual share at that distance (None if unknown), ``above`` the weight minus the usual share.
    """

    head: HeadId
    other: int
    weight: float
    usual: float | None
    above: float


@takes_old_names
def ask(
    maps: AttentionMaps,
    word: int | str,
    habit: Habit | None = None,
    limit: int | None = MOST,
    minimum: float = SMALLEST_EXCESS,
) -> tuple[tuple[AskedConnection, ...], tuple[AskedConnection, ...]]:
    """Return the connections from a word and those to it, furthest above the usual share of their heads first.

    A connection counts if it lies at least ``minimum`` above. There are ``limit`` at most, or all with ``limit=None``;
    a head that looks at two words has two. A word's attention to itself does not count. ``word`` is a word number, or a
    word that occurs once. ``usual`` is by default the bundled usual attention of this model; if the model has none,
    connections are ranked by weight. `impossible_connections` has the reason if a mask hides all of them.

    Raises:
        InputError: the text lacks this word or has it twice, or the maps look from one text into another.
    """
    looks = word_looks(maps)
    word_maps = maps.merged()
    habit = habit or bundled(maps)
    index = int(np.flatnonzero(looks.places == word_position(word_maps, word))[0])
    is_other_word = looks.distance != 0
    connections = []
    for weights, counts, distance in (
        (
            looks.weights[:, :, index],
            looks.counts[index] & is_other_word[index],
            looks.distance[index],
        ),  # [layer, head, key]
        (
            looks.weights[..., index],
            looks.counts[:, index] & is_other_word[:, index],
            looks.distance[:, index],
        ),  # [… query]
    ):
        usual = np.zeros_like(weights) if habit is None else habit.weights[..., column(distance)]
        above = np.where(counts, weights.astype(np.float64) - usual, -np.inf)
        places = np.argwhere(above >= minimum)  # [look, (layer, head, other)]
        furthest = places[np.argsort(-above[tuple(places.T)], kind="stable")][:limit]
        connections.append(
            tuple(
                AskedConnection(
                    HeadId(int(layer), int(head)),
                    int(looks.places[other_index]),
                    float(weights[layer, head, other_index]),
                    None if habit is None else float(usual[layer, head, other_index]),
                    float(above[layer, head, other_index]),
                )
                for layer, head, other_index in furthest
            )
        )
    return connections[0], connections[1]


NONE_FROM = "{word} has no other word to look at: every word that it can see is excluded."
NONE_AT = "No word can look at {word}: this model reads left to right, and no word comes after it."


def impossible_connections(maps: AttentionMaps, word: int | str) -> tuple[str, str]:
    """Return why no head can have a connection from a word, and one at it; "" if it can, ``{word}`` for the word.

    Raises:
        InputError: as `ask`.
    """
    looks = word_looks(maps)
    index = int(np.flatnonzero(looks.places == word_position(maps.merged(), word))[0])
    possible = looks.counts & (looks.distance != 0)
    is_sink = not looks.counts[:, index].any()
    from_it = "" if possible[index].any() else NONE_FROM
    return from_it, "" if possible[:, index].any() or is_sink else NONE_AT
