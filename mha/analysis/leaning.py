"""Leans and their controls: the same words in other orders, and scrambled copies; of one sentence and of many.

The lean in shuffled copies comes from the words, not from their order: one maximum over heads and sides (Westfall &
Young 1993), and the measured tables of this project. Over sentences the control is the mean of as many orders, one of
each sentence at a time. A lean is a difference of attention. A lean beyond its control limit depends on the positions
of the words (nearness is enough); it is no evidence of the meaning.
"""

import random
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from mha.analysis.readings import Leans
from mha.errors import InputError, ShapeError
from mha.maps import HeadId, Reading, heads_of, ranked
from mha.memo import array_dataclass
from mha.words import split

COUNT, SEED = 20, 7  # for means over many sentences
MANY = 199  # for one sentence: p can be as small as 1 / 200
SAME = 1e-6  # leans this near are equal: of few words, some orders are the sentence again, in another batch


def orders(n_words: int, count: int = COUNT, seed: int = SEED, fixed: int = 0) -> np.ndarray:
    """Return ``count`` seeded orders of the words, as int [order, place]: the old number of the word at each place.

    The first ``fixed`` words keep their places.
    """
    generator = random.Random(seed)
    permutations = [list(range(fixed, n_words)) for _ in range(count)]
    for order in permutations:
        generator.shuffle(order)
    return np.array([[*range(fixed), *order] for order in permutations], dtype=int).reshape(count, n_words)


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


def move_reading(reading: Reading, text: str, order: Sequence[int]) -> Reading:
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


@array_dataclass
class ShuffleSummary:
    """A lean and its shuffles. ``leans`` is float64 [shuffle, layer, head], ``lean`` [layer, head]."""

    lean: np.ndarray
    leans: np.ndarray

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
        return int((furthest >= np.abs(self.lean).max() - SAME).sum())

    @property
    def p(self) -> float:
        """p value of the furthest lean: (1 + shuffles in which some head reaches it) / (1 + shuffles).

        One maximum over heads and both sides (Westfall & Young 1993). A small p means that the lean is unusual for
        these words; it is no evidence of a reading.
        """
        return (1 + self.reach) / (1 + len(self.leans))


UNUSUAL_AT = 0.05  # p at which a sentence's furthest lean is unusual for its words


@array_dataclass
class Leaning:
    """The lean of every head in the sentence and in each shuffle.

    Raises:
        ShapeError: the controls have other heads than the sentence, or the shuffles are missing.
    """

    here: Leans
    shuffles: tuple[Leans, ...]

    def __post_init__(self) -> None:
        shapes = {leans.a.shape for leans in (self.here, *self.shuffles)}
        if len(shapes) != 1 or not self.shuffles:
            raise ShapeError(f"A sentence and its shuffles, at least one, need the same heads; they have {shapes}.")

    @cached_property
    def summary(self) -> ShuffleSummary:
        """The leans and those of the shuffles."""
        return ShuffleSummary(self.here.lean, np.stack([leans.lean for leans in self.shuffles]))

    @cached_property
    def furthest(self) -> tuple[HeadId, HeadId]:
        """The heads with the furthest lean to A and to B, among heads with a link to either.

        Without such heads all heads count.
        """
        live = ~self.here.no_opinion if not self.here.no_opinion.all() else np.ones_like(self.here.no_opinion)
        lean = self.here.lean
        return ranked(np.where(live, lean, -np.inf))[0], ranked(np.where(live, -lean, -np.inf))[0]

    @property
    def unusual(self) -> bool:
        """Whether the furthest lean is unusual for these words: p ≤ .05 over heads, sides and shuffles.

        The side of the lean is no evidence of the meaning.
        """
        return self.summary.p <= UNUSUAL_AT

    @cached_property
    def furthest_in_shuffles(self) -> tuple[np.ndarray, tuple[HeadId, ...]]:
        """How far the furthest head of each shuffle leans, either way, float64 [shuffle], and which head that is."""
        flat = np.abs(self.summary.leans.reshape(len(self.shuffles), -1))
        heads = heads_of(*self.here.lean.shape)
        return flat.max(axis=1), tuple(heads[furthest] for furthest in flat.argmax(axis=1))
