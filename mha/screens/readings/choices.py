"""The words of two readings as a link chooses them, for Heads; leaves with the old page of Heads."""

from __future__ import annotations

from collections.abc import Sequence

from mha.examples import example_for
from mha.link.readings import ReadingsWords
from mha.screens.readings.ambiguity import Ambiguity
from mha.words import words


def word_labels(text: str) -> list[str]:
    """Return the label of every word of a text.

    >>> word_labels("It rained.")
    ['0 It', '1 rained']
    """
    return [f"{number} {word}" for number, word in enumerate(words(text))]


def resolved(text: str, choices: ReadingsWords) -> Ambiguity:
    """Return the ambiguity of a text: what was chosen, the rest from its example if it is one."""
    example, labels, usual = example_for(text), word_labels(text), Ambiguity(text)
    if example and example.readings:
        a, b = (tuple(int(partner) for _, partner in reading.links) for reading in example.readings)
        usual = Ambiguity(text, int(example.readings[0].links[0][0]), a, b)

    def chosen(given: Sequence[str]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(labels.index(label) for label in given if label in labels))

    pivot = next(iter(chosen([choices.pivot] if choices.pivot else [])), usual.pivot)
    a, b = (
        tuple(number for number in chosen(given) or theirs if number != pivot)
        for given, theirs in ((choices.a, usual.a), (choices.b, usual.b))
    )
    return Ambiguity(text, pivot, a, () if a and set(a) == set(b) else b)
