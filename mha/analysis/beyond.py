"""The looks of a head that are furthest beyond its habit, over many texts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mha.analysis.habit import N_DISTANCES, column
from mha.analysis.sinks import sink_columns
from mha.analysis.whole import words_of
from mha.maps import AttentionMaps

N_LOOKS = 10


@dataclass(frozen=True)
class Extreme:
    """One look beyond a head's habit: text, looking word and looked-at word by number, its weight, the habit there."""

    text: int
    query: int
    key: int
    weight: float
    habit: float


class BeyondHabit:
    """Each text's look of every head that is furthest beyond the head's habit at that distance."""

    def __init__(self, habit: np.ndarray) -> None:
        self._habit = habit.reshape(-1, N_DISTANCES)  # [head of all, distance]
        self._found: list[tuple[int, np.ndarray, list[str]]] = []  # text, [head of all, 4], its words

    def add(self, number: int, maps: AttentionMaps) -> None:
        """Look through one text; a word's look at itself is no look at another."""
        merged, words = words_of(maps)
        where = np.arange(len(words))
        far = column(where - where[:, None])
        allowed = merged.visible[np.ix_(words, words)] & ~sink_columns(merged)[words] & (where != where[:, None])
        if not allowed.any():
            return
        query, key = np.nonzero(allowed)
        looks = merged.weights[:, :, words[query], words[key]].reshape(len(self._habit), -1)  # [head, look]
        usual = self._habit[:, far[query, key]]
        best = (looks - usual).argmax(axis=-1)
        head = np.arange(len(best))
        numbers = [merged.tokens[place].word or 0 for place in words]
        found = np.stack(
            [np.take(numbers, query[best]), np.take(numbers, key[best]), looks[head, best], usual[head, best]], axis=-1
        )
        said = [merged.tokens[place].text.casefold() for place in words]
        by_number = dict(zip(numbers, said, strict=True))
        self._found.append((number, found, [by_number.get(n, "") for n in range(max(numbers) + 1)]))

    def strongest(self, head: int, count: int = N_LOOKS) -> tuple[Extreme, ...]:
        """Return a head's looks furthest beyond its habit: one a text, no two words twice."""
        ordered = sorted(self._found, key=lambda one: float(one[1][head, 3] - one[1][head, 2]))
        found: list[Extreme] = []
        seen: set[tuple[str, str]] = set()
        for number, rows, said in ordered:
            query, key, weight, usual = rows[head]
            pair = said[int(query)], said[int(key)]
            if weight > usual and pair not in seen and len(found) < count:
                seen.add(pair)
                found.append(Extreme(number, int(query), int(key), float(weight), float(usual)))
        return tuple(found)
