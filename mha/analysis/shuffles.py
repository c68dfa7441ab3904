"""The first control of a lean: the same words in other orders.

What remains of a lean when the words are shuffled comes from which words stand there, not from the sentence.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.brief import brief
from mha.errors import InputError
from mha.maps import Reading
from mha.words import split

COUNT, SEED = 20, 7  # for means over many sentences
MANY = 199  # for one sentence: p can be as small as 1 / 200


def orders(n_words: int, count: int = COUNT, seed: int = SEED) -> np.ndarray:
    """Return ``count`` seeded orders of the words, as int [order, place]: the old number of the word at each place."""
    generator = random.Random(seed)
    found = [list(range(n_words)) for _ in range(count)]
    for order in found:
        generator.shuffle(order)
    return np.array(found, dtype=int).reshape(count, n_words)


def reordered(text: str, order: Sequence[int]) -> str:
    """Return the words of a text in another order; final punctuation stays last, other punctuation is left out.

    Raises:
        InputError: the order does not name every word once.
    """
    pieces = split(text)
    words = [piece.text for piece in pieces if piece.word is not None]
    if sorted(order) != list(range(len(words))):
        raise InputError(f"An order of this text names its words 0 to {len(words) - 1} once each.")
    last = pieces[-1].text if pieces and pieces[-1].word is None else ""
    return " ".join(words[number] for number in order) + last


def moved(reading: Reading, text: str, order: Sequence[int]) -> Reading:
    """Return the reading with its words followed to their new places; words given as text are looked up first."""
    place = {int(old): new for new, old in enumerate(order)}
    numbers = [piece.text for piece in split(text) if piece.word is not None]

    def follow(word: int | str) -> int:
        if isinstance(word, str):
            if numbers.count(word) != 1:
                raise InputError(f"The word {word!r} occurs {numbers.count(word)} times in this text; give its number.")
            word = numbers.index(word)
        if word not in place:
            raise InputError(f"There is no word {word} in this text; it has words 0 to {len(place) - 1}.")
        return place[word]

    links = tuple((follow(pivot), follow(partner)) for pivot, partner in reading.links)
    return Reading(reading.name, links, None if reading.cue is None else follow(reading.cue))


@dataclass(frozen=True, eq=False)
class ShuffleSummary:
    """A lean beside its shuffles. ``leans`` is float64 [shuffle, layer, head], ``lean`` [layer, head]."""

    lean: np.ndarray
    leans: np.ndarray

    __repr__ = brief

    @property
    def mean(self) -> np.ndarray:
        """Mean of the shuffles, float64 [layer, head]."""
        return self.leans.mean(axis=0)

    @property
    def spread(self) -> np.ndarray:
        """Standard deviation over the shuffles, float64 [layer, head]."""
        return self.leans.std(axis=0)

    @property
    def reach(self) -> int:
        """In how many shuffles some head reaches as far, either way, as the furthest lean here."""
        furthest = np.abs(self.leans).reshape(len(self.leans), -1).max(axis=1)  # [shuffle]
        return int((furthest >= np.abs(self.lean).max()).sum())

    @property
    def p(self) -> float:
        """How often chance reaches the furthest lean here: (1 + shuffles in which some head does) / (1 + shuffles).

        One maximum over heads and both sides (Westfall & Young 1993). A small one says that the lean is unusual for
        these words, never which reading is meant.
        """
        return (1 + self.reach) / (1 + len(self.leans))
