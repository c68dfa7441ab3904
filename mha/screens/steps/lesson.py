"""The lesson as numbers: from what the reader chose to a traced layer and the cell that is followed. Pure.

Edits to the layer's numbers are as the link has them: ``Q0.1.2=-0.5 X.0.3=1.4`` and nothing more. X are the words'
numbers, Q0 K0 V0 the three matrices of head 0, O is W_O; then row, column and the new number.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.brief import with_arrays
from mha.core import PRESETS, CellByHand, MultiHead, Trace, causal_mask, cell, sinusoidal_positions, trace
from mha.errors import InputError, ShapeError
from mha.export.provenance import Provenance, without_maps
from mha.formats import labels
from mha.link.steps import LAYERS, WORDS, StepsWords
from mha.maps import Token
from mha.words import accept
from mha.words import words as words_of

MOST_EDITS = 96
LARGEST = 99.0
TITLES = {"X": "X, a row for each word", "O": "W_O"}
NAMES = {"Q": "w_query", "K": "w_key", "V": "w_value"}

_EDIT = re.compile(r"(X|O|[QKV]\d{1,3})\.(\d{1,3})\.(\d{1,3})=(-?\d{1,3}(?:\.\d{1,4})?)")
Edits = Mapping[tuple[str, int, int], float]


def read_edits(text: str) -> tuple[dict[tuple[str, int, int], float], tuple[str, ...]]:
    """Return what a link's edits say, and a sentence for each that cannot be read.

    >>> read_edits("X.0.3=1.4")[0]
    {('X', 0, 3): 1.4}
    """
    edits: dict[tuple[str, int, int], float] = {}
    notes: list[str] = []
    for part in text.split():
        found = _EDIT.fullmatch(part)
        if found is None or abs(float(found[4])) > LARGEST:
            notes.append(f"An edit reads like Q0.1.2=-0.5, with a number from −99 to 99; “{part[:40]}” was skipped.")
        elif len(edits) >= MOST_EDITS:
            notes.append(f"A link holds {MOST_EDITS} edits; the rest was skipped.")
            break
        else:
            edits[found[1], int(found[2]), int(found[3])] = float(found[4])
    return edits, tuple(dict.fromkeys(notes))


def write_edits(edits: Edits) -> str:
    """Return edits as the link has them, sorted.

    >>> write_edits({("X", 0, 3): 1.40})
    'X.0.3=1.4'
    """
    return " ".join(f"{name}.{row}.{column}={value:.4g}" for (name, row, column), value in sorted(edits.items()))


@with_arrays
class ToyMatrices:
    """The numbers of a small layer: its heads and its words' rows, float64 [token, d_model]."""

    heads: MultiHead
    embeddings: np.ndarray

    def matrix(self, name: str) -> np.ndarray:
        """Return the matrix of a name (X, O, Q0, K1 …); raise InputError where there is none."""
        if name == "X":
            return self.embeddings
        if name == "O":
            return self.heads.w_output
        if int(name[1:]) >= self.heads.n_heads:
            raise InputError(f"This layer has {self.heads.n_heads} heads, counted from 0; there is no {name}.")
        return self.heads.of_head(NAMES[name[0]], int(name[1:]))

    @property
    def names(self) -> tuple[str, ...]:
        """All names, in the order in which they are used."""
        own = tuple(f"{kind}{head}" for head in range(self.heads.n_heads) for kind in NAMES)
        return ("X", *own, "O")

    def columns(self, name: str, words: Sequence[str]) -> dict[str, list[Any]]:
        """Return the matrix of a name as columns of a table, behind what each row is called: X has a word a row."""
        matrix = self.matrix(name)
        rows = list(words) if name == "X" else [str(row) for row in range(matrix.shape[0])]
        return {"row": rows} | {str(place): list(column) for place, column in enumerate(matrix.T)}

    def edited(self, edits: Edits) -> tuple[ToyMatrices, tuple[str, ...]]:
        """Return the numbers with the edits made, and a sentence for each that does not fit."""
        numbers, notes = self, []
        for (name, row, column), value in edits.items():
            try:
                matrix = np.array(numbers.matrix(name))
                if row >= matrix.shape[0] or column >= matrix.shape[1]:
                    raise InputError(
                        f"{name} is {matrix.shape[0]} × {matrix.shape[1]}; there is no {name}.{row}.{column}."
                    )
                matrix[row, column] = value
                numbers = numbers.replaced(name, matrix)
            except ShapeError:
                notes.append(f"Head {name[1:]} does not read number {row} of a word, so {name}.{row}.{column} stays 0.")
            except InputError as error:
                notes.append(f"{error} This edit was skipped.")
        return numbers, tuple(notes)

    def replaced(self, name: str, matrix: np.ndarray) -> ToyMatrices:
        """Return the numbers with one matrix replaced."""
        if name == "X":
            return ToyMatrices(self.heads, matrix)
        if name == "O":
            return ToyMatrices(dataclasses.replace(self.heads, w_output=matrix), self.embeddings)
        return ToyMatrices(self.heads.with_head(NAMES[name[0]], int(name[1:]), matrix), self.embeddings)


def titled(name: str) -> str:
    """Return what a matrix is called where it is edited."""
    return TITLES.get(name) or f"head {name[1:]}: W{name[0]}"


def differences(name: str, before: np.ndarray, after: np.ndarray) -> dict[tuple[str, int, int], float]:
    """Return the edits that turn one matrix into another of the same shape, numbers cut to what a link can say."""
    places = np.argwhere(np.isfinite(after) & ~np.isclose(before, after))
    return {(name, int(r), int(c)): float(np.clip(np.round(after[r, c], 4), -LARGEST, LARGEST)) for r, c in places}


MOST_WORDS = 8
SHOWN_HEADS = 2  # of a layer with more, the first and the followed one are drawn


@dataclass(frozen=True, eq=False)
class Lesson:
    """A small layer, everything on its way, and one cell: head ``head``, word ``query`` looks at word ``key``."""

    choices: StepsWords
    words: tuple[str, ...]
    seeded: ToyMatrices
    numbers: ToyMatrices
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
        return self.numbers.heads.n_heads

    @property
    def d_head(self) -> int:
        """Width of a head."""
        return self.numbers.heads.d_head

    @property
    def d_model(self) -> int:
        """How many numbers a word has."""
        return self.numbers.heads.d_model

    @property
    def editable(self) -> bool:
        """Whether the layer is small enough to be edited by hand."""
        return self.d_model <= 8

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
    seeded = ToyMatrices(preset.heads(), preset.embeddings(words))
    edits, wrong = read_edits(choices.edits)
    numbers, unfit = seeded.edited(edits)
    positions = sinusoidal_positions(len(words), preset.d_model) if choices.positions else None
    how: dict[str, Any] = {"mask": causal_mask(len(words)) if choices.mask == "causal" else None}
    how |= {"scale": None if choices.scale else 1.0, "temperature": choices.temperature}
    steps = trace(numbers.heads, numbers.embeddings, positions, **how)
    head = _within(choices.head, numbers.heads.n_heads, numbers.heads.n_heads - 1)
    query = _within(choices.query, len(words), len(words) - 1 if choices.mask == "causal" else 0)
    key = _within(choices.key, len(words), int(steps["weights"][head, query].argmax()))
    followed = cell(steps["query"][head], steps["key"][head], (query, key), **how)
    notes = (*notes, *wrong, *unfit)
    return Lesson(choices, words, seeded, numbers, steps, head, query, key, followed, seed, notes)


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
    about = "Toy", f"seed {lesson.seed}, {len(lesson.choices.edits.split())} numbers edited", "toy"
    return without_maps((" ".join(lesson.words),), about, "words are tokens", link=link)
