"""Neutral swaps: words that may replace a word and are near to it, so that the replacement changes little.

They follow the same two words (or one, if there are too few) in bundled sentences, and have its part of speech and
form; the nearest by the model's own word vectors are taken. They are not normed on people.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mha.analysis.proposals.lexicon import bundled
from mha.analysis.proposals.tagging import tagged
from mha.errors import InputError
from mha.words import with_word, words

BEFORE = 2  # words that a swap must follow, as the replaced word does; one where too few follow both
OPEN = ("N", "M", "V", "J", "R")  # classes of words with neutral replacements


@dataclass(frozen=True)
class Neutral:
    """Words for one place of a text, nearest first; ``follow`` are the words that each of them follows somewhere."""

    words: tuple[str, ...] = ()
    follow: tuple[str, ...] = ()


def candidates(text: str, number: int, sentences: Sequence[str], n_before: int = BEFORE) -> Neutral:
    """Return the words that follow, in some sentence, the ``n_before`` words before word ``number``; itself left out.

    >>> candidates("I saw it", 2, ["We saw him", "I saw her"])
    Neutral(words=('her',), follow=('I', 'saw'))

    Raises:
        InputError: the text has no such word.
    """
    text_words = words(text)
    if not 0 <= number < len(text_words):
        raise InputError(f"The text has {len(text_words)} words, counted from 0; there is no word {number}.")
    if not 0 < n_before <= number:
        return Neutral()
    follow = text_words[number - n_before : number]
    context = [word.casefold() for word in follow]
    folded = ([word.casefold() for word in words(sentence)] for sentence in sentences)
    followers = (
        line[place + n_before]
        for line in folded
        for place in range(len(line) - n_before)
        if line[place : place + n_before] == context
    )
    folded_words = [word.casefold() for word in text_words]
    return Neutral(
        tuple(word for word in dict.fromkeys(followers) if word.isalpha() and word not in folded_words), follow
    )


def of_class(text: str, number: int) -> Callable[[str], bool]:
    """Return a predicate: does a word have the part of speech and the form of the word at this position?

    This has to be its usual part of speech; number counts for nouns and tense for verbs. No word replaces a word of a
    closed class neutrally: *she* for *he* decides. Without the lexicon every word fits.

    >>> fits = of_class("The dog slept.", 2)
    >>> fits("barked"), fits("hides"), fits("and")
    (True, False, False)
    """
    lexicon = bundled()
    if lexicon is None:
        return lambda word: True

    def form(sentence: str) -> tuple[str, bool | str]:
        token = next(token for token in tagged(sentence, lexicon) if token.number == number)
        entry = token.entry
        weights = {"N": entry.noun, "V": entry.verb, "J": entry.adjective, "R": entry.adverb}
        mostly = sentence is text or weights.get(token.tag, 0) == max(weights.values())
        return token.tag if mostly else "", entry.plural if token.tag == "N" else entry.form if token.tag == "V" else ""

    own_form = form(text)
    return lambda word: own_form[0] in OPEN and form(with_word(text, number, word)) == own_form


def nearest(vector: np.ndarray, vectors: np.ndarray) -> list[int]:
    """Return the rows of ``vectors`` [row, d] by their cosine to a vector [d], nearest first."""
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(vector)
    cosines = np.divide(vectors @ vector, lengths, out=np.full(len(vectors), -1.0), where=lengths > 0)
    return [int(row) for row in np.argsort(-cosines, kind="stable")]
