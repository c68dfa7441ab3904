"""Attention of each head between two readings: strength of their links, lean, share, and controls of a lean.

A reading joins a pivot (the ambiguous word) with a partner (a candidate). The strength of a link is the mean of both
directions, a = ½ (w[pivot, A] + w[A, pivot]), on words, sinks set aside; lean = a − b. A lean is a difference of
attention; it is no evidence of the model's interpretation. Nearest predecessor: Klein & Nabi 2019.

A lean in shuffled copies depends on the words, not on their order. p compares the maximum over heads and sides
(Westfall & Young 1993). For a set of sentences one control is the mean lean with one shuffled order of each sentence.
A lean that few shuffles reach (small `p`) depends on the order of the words; nearness is enough.
"""

import random
from collections.abc import Callable, Collection, Sequence
from functools import cached_property

import numpy as np

from mha.analysis.proposals import Proposal, suggested
from mha.analysis.sinks import rescaled, sink_columns
from mha.errors import InputError, NotComparable, ShapeError
from mha.formats import join_list
from mha.maps import AttentionMaps, HeadId, Reading, heads_of, ranked, readings_of
from mha.memo import array_dataclass
from mha.tokens import Token, written_so
from mha.words import TextRun, split

Readings = Sequence[Reading] | Proposal  # two readings, or a proposal, whose two readings are taken


def word_position(maps: AttentionMaps, word: int | str) -> int:
    """Return the position of a word on the axis of merged maps; the word may be its text if it occurs once.

    Numbers go on through a second text; texts are looked for in the first.

    Raises:
        InputError: no such word, or several; the message lists the words.
    """
    words = [(position, token) for position, token in enumerate(maps.tokens) if token.word is not None]
    places = [(position, token) for position, token in words if token.segment == 0]
    if isinstance(word, str):
        positions = written_so(places, word)
        if len(positions) > 1:
            numbers = ", ".join(str(maps.tokens[position].word) for position in positions)
            raise InputError(f"The word {word!r} occurs {len(positions)} times; say which by its number: {numbers}.")
    else:
        positions = [position for position, token in places if token.word == word]
        positions = positions or [position for position, token in words if token.word == word]
    if not positions:
        names = ", ".join(f"{token.word} {token.text}" for _, token in places[:40])
        raise InputError(f"There is no word {word!r} in this text. Its words: {names}.")
    return positions[0]


def link_positions(maps: AttentionMaps, reading: Reading) -> tuple[tuple[int, int], ...]:
    """Return the positions (pivot, partner) of each link of a reading on the axis of merged maps.

    Raises:
        InputError: a word is missing or ambiguous, the two are the same word, or the maps join two texts.
    """
    if maps.kind != "self":
        raise InputError("A reading joins two words of one text; these maps look from one text into another.")
    if maps.units != "words":
        raise InputError("A reading joins words, and these maps are by token; call maps.merged() first.")
    maps.check_every_row()
    pairs = []
    for pivot, partner in reading.links:
        pair = word_position(maps, pivot), word_position(maps, partner)
        if pair[0] == pair[1]:
            raise InputError(f"The reading {reading.name!r} joins {partner!r} with itself; choose two different words.")
        pairs.append(pair)
    return tuple(pairs)


def given_to(word_maps: AttentionMaps, looking: int | str, keys: Sequence[int | str]) -> np.ndarray:
    """Return the attention of a word to several words together in every head: shares of all its attention, [layer,
    head].

    ``word_maps`` are maps by words, float64 comes back; the words are named as `word_position` takes them.

    Raises:
        InputError: a word is missing or ambiguous.
    """
    row = word_maps.weights[:, :, word_position(word_maps, looking)].astype(np.float64)  # [layer, head, key]
    return row[..., [word_position(word_maps, key) for key in keys]].sum(axis=-1)


FIRST_WORD = (
    "Not comparable: {model} reads from left to right, and its first position collects attention whatever word is "
    "there, so no share is counted for {word}. Put a word such as “Yesterday” in front of it."
)


def first_word(word_maps: AttentionMaps, positions: Collection[int]) -> str:
    """Return the word at the first position of a causal model if the positions include it, else "".

    ``word_maps`` has words as axes. That position is an attention sink (Xiao et al. 2024); connections to it do not
    count.
    """
    is_first = word_maps.causal and 0 in positions and word_maps.tokens[0].word is not None
    return word_maps.tokens[0].text if is_first else ""


UNDEFINED_BELOW = 1e-6  # a + b below which the two cannot be divided


def _exchanged(weights: np.ndarray, pivot: int, partner: int) -> np.ndarray:
    return 0.5 * (weights[..., pivot, partner] + weights[..., partner, pivot])


def _from_pivot(weights: np.ndarray, pivot: int, partner: int) -> np.ndarray:
    return weights[..., pivot, partner]


# name → whether sinks are set aside and rows rescaled, and the strength of a link in weights [..., place, place]
MEASURES: dict[str, tuple[bool, Callable[[np.ndarray, int, int], np.ndarray]]] = {
    "default": (True, _exchanged),
    "raw": (False, _exchanged),
    (ONE_DIRECTION := "one direction"): (True, _from_pivot),
}


@array_dataclass
class Leans:
    """Where every head looks between two readings; all arrays are [layer, head].

    ``a`` and ``b`` are float64 strengths in [0, 1]. ``lean`` = a − b, in [−1, 1]. ``share`` = (a − b) / (a + b), NaN
    where a + b < 1e-6. ``is_below_even_share`` is True where a + b is below ``even`` = 1 / number of words.
    """

    a: np.ndarray
    b: np.ndarray
    even: float

    @property
    def lean(self) -> np.ndarray:
        """Strength of A minus strength of B."""
        return self.a - self.b

    @property
    def share(self) -> np.ndarray:
        """The division of attention between the two links: 1 all to A, −1 all to B, NaN if neither gets attention."""
        total = self.a + self.b
        return np.divide(self.lean, total, out=np.full_like(total, np.nan), where=total >= UNDEFINED_BELOW)

    @property
    def is_below_even_share(self) -> np.ndarray:
        """Whether both links together get less than an even spread would give."""
        return self.a + self.b < self.even


Pieces = Sequence[TextRun | Token]  # the words and marks of a text, in order


def check_change_is_read(text: Pieces, contrast: Pieces, compared: Collection[int], model: str = "") -> None:
    """Raise NotComparable if every compared word of a causal model comes before the first word or mark that changes.

    ``compared`` are the numbers of the words whose rows or vectors are compared. Under a causal mask these are equal in
    both versions for every model.
    """
    first = first_change(*([piece.text for piece in pieces] for pieces in (text, contrast)))
    places = [place for place, piece in enumerate(text) if piece.word in compared]
    if first > max(places, default=-1):
        changed = (*text[first : first + 1], *contrast[first : first + 1], text[-1])[0]
        names = join_list([f"“{text[place].text}”" for place in places[-3:]])
        kind = "mark" if changed.word is None else "word"
        raise NotComparable(
            f"Not comparable: {model or 'this model'} reads from left to right, and the changed {kind} "
            f"“{changed.text}” comes after {names}. So both versions give equal numbers there, whatever the model "
            "does. Change an earlier word, or compare two continuations: which next words the model expects."
        )


def first_change(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the number of the first item in which two lists differ, or the length of the shorter one.

    >>> first_change(["a", "dog", "ran"], ["a", "cat", "ran"])
    1
    """
    pairs = enumerate(zip(first, second, strict=False))
    return next((number for number, (a, b) in pairs if a != b), min(len(first), len(second)))


def lean(maps: AttentionMaps, readings: Readings | None = None, measure: str = "default") -> np.ndarray:
    """Return each head's lean between two readings, positive towards the first, as float64 [layer, head].

    Without ``readings`` they are those of the first of `mha.propose` for the text of the maps.

    Raises:
        InputError: there are not two readings, they are the same, a word is not in the text, nothing is suggested for
            it, or no such measure.
        NotComparable: as `leans`.
    """
    return leans(maps, suggested(maps.text) if readings is None else readings, measure).lean


def leans(maps: AttentionMaps, readings: Readings, measure: str = "default") -> Leans:
    """Return strengths of both readings, with lean and share.

    Raises:
        NotComparable: one direction of a causal model, whose mask hides later words; or a reading names the word at
            its first position, which is an attention sink.
        InputError: as `lean`.
    """
    if measure not in MEASURES:
        raise InputError(f"A measure is one of {', '.join(MEASURES)}; this is {measure!r}.")
    aside, strength = MEASURES[measure]
    axes = maps.merged_axes()
    first, second = positions_of_readings(axes, readings)
    if measure == ONE_DIRECTION and maps.causal:
        raise NotComparable(
            f"Not comparable in one direction: {maps.model or 'this model'} reads from left to right, so a word "
            "attends to earlier words only. Use both directions: of two words, only the later one attends to the other."
        )
    places = sorted({position for pair in (*first, *second) for position in pair})
    if word := first_word(axes, places):
        raise NotComparable(FIRST_WORD.format(model=maps.model or "this model", word=f"“{word}”"))
    weights = maps.merged_weights(rows=places)  # [layer, head, place, piece]: of all rows a lean needs these
    if aside:
        words = {axes.tokens[position].word for position in places}
        weights = rescaled(weights, ~sink_columns(maps, keep={word for word in words if word is not None}, merge=True))
    among = weights[..., places].astype(np.float64)  # [layer, head, place, place]
    number = {position: number for number, position in enumerate(places)}
    a, b = (np.mean([strength(among, number[p], number[q]) for p, q in pairs], axis=0) for pairs in (first, second))
    return Leans(a, b, 1 / sum(token.word is not None for token in axes.tokens))


def positions_of_readings(
    word_maps: AttentionMaps, readings: Readings
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the positions of both readings' links on the axis of merged maps.

    Raises:
        InputError: not two readings, both join the same words, or a word is missing, ambiguous or joined with itself.
    """
    readings = readings_of(readings)
    first, second = (list(link_positions(word_maps, reading)) for reading in readings)
    if {frozenset(pair) for pair in first} == {frozenset(pair) for pair in second}:
        raise InputError("Both readings join the same words; choose another candidate for one of them.")
    for reading in readings:
        if reading.cue is not None:
            word_position(word_maps, reading.cue)
    return first, second


N_ORDERS, SEED = 20, 7  # for means over many sentences
N_SHUFFLES = 199  # for one sentence: p can be as small as 1 / 200
TOLERANCE = (
    1e-6  # leans this close are equal: with few words an order may repeat the sentence, rounded in another batch
)


def orders(n_words: int, count: int = N_ORDERS, seed: int = SEED, fixed: int = 0) -> np.ndarray:
    """Return ``count`` seeded orders of the words, as int [order, place]: the old number of the word at each place.

    The first ``fixed`` words keep their places.
    """
    generator = random.Random(seed)
    permutations = [list(range(fixed, n_words)) for _ in range(count)]
    for order in permutations:
        generator.shuffle(order)
    return np.array([[*range(fixed), *order] for order in permutations], dtype=int).reshape(count, n_words)


def reorder_words(text: str, order: Sequence[int]) -> str:
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
    word_texts = [piece.text for piece in split(text) if piece.word is not None]

    def follow(word: int | str) -> int:
        if isinstance(word, str):
            if word_texts.count(word) != 1:
                raise InputError(
                    f"The word {word!r} occurs {word_texts.count(word)} times in this text; give its number."
                )
            word = word_texts.index(word)
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
    def n_reached(self) -> int:
        """Number of shuffles in which some head leans as far, to either side, as the furthest head in the sentence."""
        furthest = np.abs(self.leans).reshape(len(self.leans), -1).max(axis=1)  # [shuffle]
        return int((furthest >= np.abs(self.lean).max() - TOLERANCE).sum())

    @property
    def p(self) -> float:
        """p value of the furthest lean: (1 + `n_reached`) / (1 + shuffles).

        One maximum over heads and both sides (Westfall & Young 1993). A small p means that the lean is unusual for
        these words, which is no evidence of a reading.
        """
        return (1 + self.n_reached) / (1 + len(self.leans))


UNUSUAL_P = 0.05  # p at which a sentence's furthest lean is unusual for its words


@array_dataclass
class Leaning:
    """The lean of every head in the sentence and in each shuffle.

    Raises:
        ShapeError: the controls have other heads than the sentence, or the shuffles are missing.
    """

    sentence_leans: Leans
    shuffles: tuple[Leans, ...]

    def __post_init__(self) -> None:
        shapes = {leans.a.shape for leans in (self.sentence_leans, *self.shuffles)}
        if len(shapes) != 1 or not self.shuffles:
            raise ShapeError(f"A sentence and its shuffles, at least one, need the same heads; they have {shapes}.")

    @cached_property
    def summary(self) -> ShuffleSummary:
        """The leans and those of the shuffles."""
        return ShuffleSummary(self.sentence_leans.lean, np.stack([leans.lean for leans in self.shuffles]))

    @cached_property
    def furthest(self) -> tuple[HeadId, HeadId]:
        """The heads with the furthest lean to A and to B, among heads whose two links have at least an even share.

        Without such heads all heads count.
        """
        has_link = (
            ~self.sentence_leans.is_below_even_share
            if not self.sentence_leans.is_below_even_share.all()
            else np.ones_like(self.sentence_leans.is_below_even_share)
        )
        lean = self.sentence_leans.lean
        return ranked(np.where(has_link, lean, -np.inf))[0], ranked(np.where(has_link, -lean, -np.inf))[0]

    @cached_property
    def furthest_in_shuffles(self) -> tuple[np.ndarray, tuple[HeadId, ...]]:
        """How far the furthest head of each shuffle leans, either way, float64 [shuffle], and which head that is."""
        flat = np.abs(self.summary.leans.reshape(len(self.shuffles), -1))
        heads = heads_of(*self.sentence_leans.lean.shape)
        return flat.max(axis=1), tuple(heads[furthest] for furthest in flat.argmax(axis=1))
