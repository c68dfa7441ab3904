"""Where the words of two readings stand among a model's tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.analysis.readings import checked, word_position
from mha.errors import InputError
from mha.intervention.subject import Subject
from mha.maps import AttentionMaps, Reading, Token
from mha.models.watch.tokens import Encoded
from mha.words import accept, words

Links = tuple[tuple[int, int], ...]  # pairs (pivot, partner) of word numbers
Readings = Sequence[Reading]


@dataclass(frozen=True, eq=False)
class PlacedText:
    """A text as the model reads it, with the links of both readings, and the cue, as word numbers."""

    text: str
    encoded: Encoded
    a: Links
    b: Links
    cue: int | None = None

    def tokens_of(self, word: int) -> list[int]:
        """Return the positions of a word's tokens; raise InputError if the model does not see it."""
        return tokens_of(self.encoded, word)

    @property
    def readings(self) -> tuple[Reading, Reading]:
        """Both readings by word number, which are the same in the other version of the sentence."""
        return Reading("A", self.a, self.cue), Reading("B", self.b, self.cue)


def placed(experiment: Subject, text: str, readings: Readings) -> PlacedText:
    """Return where the words of two readings stand in a text.

    Raises:
        InputError: a word is not in the text, was cut away, occurs twice, or the readings are no two readings.
    """
    accepted = accept(text).text
    encoded = experiment.encoded(accepted)
    for reading in readings:
        for word in (*(word for link in reading.links for word in link), reading.cue):
            _check_not_cut(accepted, encoded.tokens, word)
    axis = _axis(accepted, encoded.tokens)
    first, second = checked(axis, readings)
    cue = next((reading.cue for reading in readings if reading.cue is not None), None)
    return PlacedText(
        accepted,
        encoded,
        _numbers(axis, first),
        _numbers(axis, second),
        None if cue is None else axis.tokens[word_position(axis, cue)].word,
    )


def tokens_of(encoded: Encoded, word: int) -> list[int]:
    """Return the positions of the tokens of one word; raise InputError if there are none."""
    found = [position for position, token in enumerate(encoded.tokens) if token.word == word and token.segment == 0]
    if not found:
        raise InputError(f"There is no word {word} in this text.")
    return found


def _axis(text: str, tokens: Sequence[Token]) -> AttentionMaps:
    """Return maps of no head at all, whose axis are the words of the text."""
    nothing = np.zeros((0, 0, len(tokens), len(tokens)), dtype=np.float32)
    return AttentionMaps(nothing, tuple(tokens), text=text).merged()


def _numbers(axis: AttentionMaps, positions: Sequence[tuple[int, int]]) -> Links:
    number = [-1 if token.word is None else token.word for token in axis.tokens]
    return tuple((number[pivot], number[partner]) for pivot, partner in positions)


def _check_not_cut(text: str, tokens: Sequence[Token], word: int | str | None) -> None:
    said = words(text)
    seen = {token.word for token in tokens}
    if isinstance(word, str):
        numbers = [number for number, one in enumerate(said) if one == word]
        word = numbers[0] if len(numbers) == 1 else None
    if word is not None and 0 <= word < len(said) and word not in seen:
        raise InputError(
            f"The word {said[word]!r} was cut away: the model reads only the first {len(tokens)} tokens of this text. "
            f"Choose a word before it, or shorten the text."
        )
