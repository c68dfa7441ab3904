"""The lesson as numbers: from what the reader chose to a traced layer and the cell that is followed. Pure."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mha.brief import with_arrays
from mha.core import PRESETS, CellByHand, MultiHead, Trace, causal_mask, cell, sinusoidal_positions, trace
from mha.errors import InputError
from mha.export.provenance import Provenance, without_maps
from mha.formats import labels
from mha.link.steps import LAYERS, WORDS, StepsWords
from mha.maps import Token
from mha.words import accept
from mha.words import words as words_of

MOST_WORDS = 8
SHOWN_HEADS = 2  # of a layer with more, the first and the followed one are drawn


@with_arrays
class Lesson:
    """A small layer, everything on its way, and one cell: head ``head``, word ``query`` looks at word ``key``."""

    choices: StepsWords
    words: tuple[str, ...]
    heads: MultiHead
    embeddings: np.ndarray
    steps: Trace
    head: int
    query: int
    key: int
    by_hand: CellByHand
    seed: int
    notes: tuple[str, ...]

    @property
    def n_heads(self) -> int:
        """Number of heads."""
        return self.heads.n_heads

    @property
    def d_head(self) -> int:
        """Width of a head."""
        return self.heads.d_head

    @property
    def d_model(self) -> int:
        """How many numbers a word has."""
        return self.heads.d_model

    @property
    def masked(self) -> bool:
        """Whether words may look only at themselves and what came before."""
        return self.choices.mask == "causal"

    @property
    def shown_heads(self) -> tuple[int, ...]:
        """The heads that are drawn: all of two, else the first and the followed one."""
        if self.n_heads <= SHOWN_HEADS:
            return tuple(range(self.n_heads))
        return (0, self.head) if self.head else (0, 1)

    def of(self, step: str, head: int | None = None) -> np.ndarray:
        """Return a step's array [row, column]; of one head where it has a head axis (the followed one)."""
        array = self.steps[step]
        return array[self.head if head is None else head] if array.ndim == 3 else array


def lesson(choices: StepsWords) -> Lesson:
    """Return the walk that the choices ask for, with a sentence for each of them that cannot be."""
    preset = PRESETS[LAYERS[choices.layer]]
    seed = preset.seed if choices.seed is None else choices.seed
    preset = dataclasses.replace(preset, seed=seed)
    words, notes = _words(preset.text, choices)
    heads, embeddings = preset.heads(), preset.embeddings(words)
    positions = sinusoidal_positions(len(words), preset.d_model) if choices.positions else None
    how: dict[str, Any] = {"mask": causal_mask(len(words)) if choices.mask == "causal" else None}
    how |= {"scale": None if choices.scale else 1.0, "temperature": choices.temperature}
    steps = trace(heads, embeddings, positions, **how)
    head = _within(choices.head, heads.n_heads, heads.n_heads - 1)
    query = _within(choices.query, len(words), len(words) - 1 if choices.mask == "causal" else 0)
    key = _within(choices.key, len(words), int(steps["weights"][head, query].argmax()))
    followed = cell(steps["query"][head], steps["key"][head], (query, key), **how)
    return Lesson(choices, words, heads, embeddings, steps, head, query, key, followed, seed, notes)


def _within(chosen: int | None, count: int, automatic: int) -> int:
    return automatic if chosen is None or not 0 <= chosen < count else chosen


def _words(own: str, choices: StepsWords) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if choices.words == WORDS[0]:
        return tuple(own.split()), ()
    try:
        typed = words_of(accept(choices.text).text)
    except InputError:
        return tuple(own.split()), (f"Your sentence has no word, so the example continues with “{own}”.",)
    if len(typed) > MOST_WORDS:
        note = f"The toy example uses the first {MOST_WORDS} of your {len(typed)} words."
        return tuple(typed[:MOST_WORDS]), (note,)
    return tuple(typed), ()


def labelled(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words as they are named in sentences: cut, and numbered where one occurs more than once."""
    return labels([Token(word, raw=word, word=place) for place, word in enumerate(words)])


def provenance(lesson: Lesson, link: str) -> Provenance:
    """Return where the toy's numbers come from."""
    about = "Toy", f"seed {lesson.seed}", "toy"
    return without_maps((" ".join(lesson.words),), about, "words are tokens", link=link)
