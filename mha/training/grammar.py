"""A small language in which one word must resolve two readings at once.

    the [adjective] NOUN1 [adverb] VERB the [adjective] NOUN2   with the THING .
                                                                because it was PREDICATE .

From the *pivot* (the thing, or "it") reading 1 names the first noun, reading 2 the second. With three readings a third
noun follows ("… near the ANIMAL"), which reading 3 names. A quarter of the ordered pairs of first and second noun are
held out: never seen in training, and used for testing only.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields

import numpy as np

from mha.brief import with_arrays
from mha.errors import InputError

PEOPLE = (
    *("man", "woman", "boy", "girl", "king", "queen", "farmer", "sailor", "teacher", "doctor"),
    *("astronomer", "painter", "baker", "soldier", "singer", "judge", "guard", "thief", "poet", "pilot"),
    *("robot", "ghost", "giant", "pirate", "dancer", "hunter", "nurse", "clerk", "monk", "prince"),
)
ANIMALS = ("dog", "cat", "horse", "bird", "fox", "bear", "wolf", "mouse", "duck", "goat")
NOUNS = PEOPLE + ANIMALS
ADJECTIVES = ("tall", "small", "old", "young")
ADVERBS = ("often", "quickly")
VERBS = ("saw", "met", "liked", "followed")
THINGS = ("telescope", "camera", "lamp")
PREDICATES = ("hungry", "tired", "happy")
GLUE = ("the", "with", "because", "it", "was", ".")
THIRD = ("near",)  # only with three readings

HELD_OUT = 0.25  # share of the ordered pairs of nouns that training never shows
PAD = -1


@with_arrays
class Sentences:
    """Sentences as numbers of words: ``tokens`` int [sentence, token], padded with the number of no word.

    ``visible`` is bool [sentence, token], False on padding; ``pivot`` int [sentence] and ``nouns`` int
    [sentence, reading] are positions, ``answers`` int [sentence, reading] the numbers of the nouns to be named.
    """

    tokens: np.ndarray
    visible: np.ndarray
    pivot: np.ndarray
    nouns: np.ndarray
    answers: np.ndarray

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, rows: slice) -> Sentences:
        return Sentences(*(getattr(self, field.name)[rows] for field in fields(self)))


@dataclass(frozen=True)
class Grammar:
    """The language with two or three readings, and the pairs of nouns that ``seed`` holds out."""

    n_readings: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        if self.n_readings not in (2, 3):
            raise InputError(f"The grammar has two or three readings; you asked for {self.n_readings}.")

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Every word, nouns first: a word's number is its place here, and a noun's answer is its number."""
        return NOUNS + ADJECTIVES + ADVERBS + VERBS + THINGS + PREDICATES + GLUE + THIRD * (self.n_readings == 3)

    def pairs(self, held_out: bool) -> np.ndarray:
        """Return the ordered pairs of different nouns that training shows, or those it never does, int [pair, 2]."""
        first, second = np.divmod(np.arange(len(NOUNS) ** 2), len(NOUNS))
        ordered_pairs = np.stack([first, second], axis=1)[first != second]
        ordered_pairs = np.random.default_rng([self.seed, 1]).permutation(ordered_pairs)
        cut = round(HELD_OUT * len(ordered_pairs))
        return ordered_pairs[:cut] if held_out else ordered_pairs[cut:]

    def sentences(self, count: int, generator: np.random.Generator, held_out: bool = False) -> Sentences:
        """Return so many random sentences whose first two nouns are of the chosen pairs."""
        number = {word: place for place, word in enumerate(self.vocabulary)}
        pairs = self.pairs(held_out)
        nouns = pairs[generator.integers(len(pairs), size=count)]  # [sentence, 2]
        if self.n_readings == 3:
            animals = len(PEOPLE) + generator.integers(len(ANIMALS), size=count)
            nouns = np.column_stack([nouns, animals])  # [sentence, 3]

        def one_of(words: tuple[str, ...], always: bool = True) -> np.ndarray:
            sample = np.array([number[word] for word in words])[generator.integers(len(words), size=count)]
            return sample if always else np.where(generator.random(count) < 0.5, sample, PAD)  # [sentence]

        def word(text: str) -> np.ndarray:
            return np.full(count, number[text])

        nothing = np.full(count, PAD)
        slots = [word("the"), one_of(ADJECTIVES, always=False), nouns[:, 0], one_of(ADVERBS, always=False)]
        slots += [one_of(VERBS), word("the"), one_of(ADJECTIVES, always=False), nouns[:, 1]]
        at_nouns = [2, 7]
        if self.n_readings == 3:
            slots += [word("near"), word("the"), nouns[:, 2]]
            at_nouns.append(10)
        tool = generator.random(count) < 0.5
        with_thing = (word("with"), word("the"), one_of(THINGS), word("."), nothing)
        because = (word("because"), word("it"), word("was"), one_of(PREDICATES), word("."))
        at_pivot = len(slots) + np.where(tool, 2, 1)  # [sentence]
        slots += [np.where(tool, thing, reason) for thing, reason in zip(with_thing, because, strict=True)]
        return _packed(np.stack(slots, axis=1), at_pivot, np.array(at_nouns), nouns)

    def words(self, sentences: Sentences, index: int) -> tuple[str, ...]:
        """Return one sentence as words, without padding."""
        tokens = sentences.tokens[index][sentences.visible[index]]
        return tuple(self.vocabulary[token] for token in tokens)

    def example(self) -> Sentences:
        """Return one sentence to look at, of the first held-out pair: the tall … saw the … with the telescope."""
        return _example(self)


@functools.lru_cache(maxsize=64)  # a page asks for it a hundred times, and it shuffles every pair
def _example(grammar: Grammar) -> Sentences:
    first, second = grammar.pairs(held_out=True)[0]
    nouns = np.array([[first, second, len(PEOPLE)][: grammar.n_readings]])
    text = f"the tall {NOUNS[first]} saw the {NOUNS[second]} "
    text += f"near the {ANIMALS[0]} " * (grammar.n_readings == 3) + "with the telescope ."
    tokens = np.array([[grammar.vocabulary.index(word) for word in text.split()]])
    at_nouns = np.array([[2, 5, 8][: grammar.n_readings]])
    return Sentences(tokens, np.ones_like(tokens, dtype=bool), np.array([tokens.shape[1] - 2]), at_nouns, nouns)


def _packed(slots: np.ndarray, at_pivot: np.ndarray, at_nouns: np.ndarray, nouns: np.ndarray) -> Sentences:
    """Return the sentences [sentence, slot] without their gaps: words move left, padding gathers on the right."""
    empty = slots == PAD
    order = np.argsort(empty, axis=1, kind="stable")
    place = np.argsort(order, axis=1)  # where each slot went, [sentence, slot]
    tokens = np.take_along_axis(slots, order, axis=1)
    visible = tokens != PAD
    rows = np.arange(len(slots))
    return Sentences(np.where(visible, tokens, 0), visible, place[rows, at_pivot], place[:, at_nouns], nouns)
