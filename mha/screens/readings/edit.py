"""What an edit does to the choices: kept where a word stands where it stood; and a contrast made of one word. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from mha.errors import InputError
from mha.examples import example_for
from mha.screens.readings.ambiguity import ROLES, Ambiguity, Choices, quoted, word_labels
from mha.words import split, words


def carried_over(before: Ambiguity, choices: Choices, text: str) -> tuple[Choices, tuple[str, ...]]:
    """Return the choices for an edited text: kept by position where the word is the same, else cleared with a sentence.

    An example brings its own choices, so that nothing is kept for it.
    """
    if example_for(text) is not None:
        return Choices(), ()
    labels, lost = word_labels(text), []

    def kept(role: str, numbers: Sequence[int]) -> tuple[str, ...]:
        old = [before.label(number) for number in numbers]
        for label in old:
            if label not in labels:
                lost.append(f"The {ROLES[role]} {quoted(label)} is gone with the edit; choose it again.")
        return tuple(label for label in old if label in labels)

    pivot = kept("pivot", [] if before.pivot is None else [before.pivot])
    a, b = kept("a", before.a), kept("b", before.b)
    cue = kept("cue", [] if before.cue is None else [before.cue])
    contrast = ""
    if before.contrast and len(before.contrast.changed) == 1:
        number = before.contrast.changed[0]
        if before.label(number) in labels:
            contrast = with_word(text, number, words(before.contrast.text)[number])
    return (
        Choices(pivot[0] if pivot else None, a, b, cue[0] if cue else None, contrast, choices.kind),
        tuple(lost),
    )


def with_word(text: str, number: int, other: str) -> str:
    """Return the text with one word replaced; raise InputError if there is no such word or nothing to put there."""
    said = words(text)
    if not 0 <= number < len(said):
        raise InputError(f"There is no word {number} in this text; it has words 0 to {len(said) - 1}.")
    other = " ".join(other.split())
    if not other:
        raise InputError("A word is needed in the place of the one that is changed.")
    piece = next(piece for piece in split(text) if piece.word == number)
    return text[: piece.start] + other + text[piece.end :]
