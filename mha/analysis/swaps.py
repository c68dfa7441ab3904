"""Neutral swaps: words that may stand where a word stands, and are near to it, so that putting them there says little.

They follow the same words in sentences that come with the program, two words before them or, where too few do, one; the
nearest in the model's own word vectors are taken. Nobody normed them on people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.errors import InputError
from mha.words import split, words

BEFORE = 2  # words that a swap must follow, as the replaced word does
FEWEST = 12  # candidates that follow both; with fewer, one word before them is enough


@dataclass(frozen=True)
class Neutral:
    """Words for one place of a text, nearest first; ``follow`` are the words that each of them follows somewhere."""

    words: tuple[str, ...] = ()
    follow: tuple[str, ...] = ()


def candidates(text: str, number: int, sentences: Sequence[str], fewest: int = FEWEST) -> Neutral:
    """Return the words that follow, in some sentence, what word ``number`` of the text follows; itself left out.

    >>> candidates("I saw it", 2, ["We saw him", "I saw her"], fewest=1)
    Neutral(words=('her',), follow=('I', 'saw'))

    Raises:
        InputError: the text has no such word.
    """
    own = words(text)
    if not 0 <= number < len(own):
        raise InputError(f"The text has {len(own)} words, counted from 0; there is no word {number}.")
    folded = [[word.casefold() for word in words(sentence)] for sentence in sentences]
    found = Neutral()
    for before in range(min(BEFORE, number), 0, -1):
        follow = own[number - before : number]
        wanted = [word.casefold() for word in follow]
        after = (
            line[place + before]
            for line in folded
            for place in range(len(line) - before)
            if line[place : place + before] == wanted
        )
        known = tuple(word for word in dict.fromkeys(after) if word.isalpha() and word not in map(str.casefold, own))
        if len(known) > len(found.words):
            found = Neutral(known, follow)
        if len(found.words) >= fewest:
            break
    return found


def nearest(vector: np.ndarray, others: np.ndarray, count: int) -> list[int]:
    """Return the rows of ``others`` [row, d] with the largest cosine to a vector [d], nearest first."""
    lengths = np.linalg.norm(others, axis=1) * np.linalg.norm(vector)
    cosines = np.divide(others @ vector, lengths, out=np.full(len(others), -1.0), where=lengths > 0)
    return [int(row) for row in np.argsort(-cosines, kind="stable")[:count]]


def with_word(text: str, number: int, word: str) -> str:
    """Return the text with another word in one place, with a capital where there was one.

    >>> with_word("The dog ran.", 1, "cat")
    'The cat ran.'

    Raises:
        InputError: the text has no such word.
    """
    for piece in split(text):
        if piece.word == number:
            given = word[:1].upper() + word[1:] if piece.text[:1].isupper() and number == 0 else word
            return text[: piece.start] + given + text[piece.end :]
    raise InputError(f"The text has no word {number}.")
