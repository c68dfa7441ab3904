"""What a question is and what an answer is made of: the eleven questions, models and sources; arrays, tables, charts.

The texts are those of `assets/questions.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mha import assets
from mha.assets import ASSETS
from mha.models.files.catalog import CATALOG
from mha.screens.arrays import Array, Lines
from mha.screens.blocks import Block
from mha.screens.places import Chart, PageTable
from mha.screens.takings import Numbers

FILE = ASSETS / "questions.json"


@dataclass(frozen=True)
class Paper:
    """One paper; ``who`` is how it is named in a sentence."""

    who: str
    title: str
    url: str

    @property
    def line(self) -> str:
        """The source as a line of markdown."""
        return f"{self.who}, [{self.title}]({self.url})"


@dataclass(frozen=True)
class QuizQuestion:
    """One question; ``name`` is its word in the link.

    ``guess`` is asked first, with ``options``; ``right`` is the number of the true one, None where that depends on
    numbers that are computed when the answer is shown. ``pages`` explore it, the best one first; ``step`` is where Step
    by step opens, where it is not its first; ``also`` are further pages, each with a link of its own.
    """

    name: str
    ask: str
    guess: str
    options: tuple[str, ...]
    right: int | None
    answer: str
    sources: tuple[str, ...]
    pages: tuple[str, ...]
    step: str = ""
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class RealModel:
    """One row of the table of real models; ``width`` is d_model."""

    model: str
    layers: int
    heads: int
    width: int
    source: str

    @property
    def d_head(self) -> int:
        """How wide one head is."""
        return self.width // self.heads


Texts = tuple[tuple[QuizQuestion, ...], dict[str, Paper], tuple[RealModel, ...]]


def questions() -> tuple[QuizQuestion, ...]:
    """Return the eleven questions in their order."""
    return _file()[0]


def question(name: str) -> QuizQuestion:
    """Return the question of a name in the link."""
    return next(one for one in questions() if one.name == name)


def sources() -> dict[str, Paper]:
    """Return every source by its short name."""
    return _file()[1]


def verdict(question: QuizQuestion, guess: str | None, right: int | None) -> str:
    """Return what became of a guess, in one line; ``right`` is None while the numbers are not there yet.

    >>> verdict(questions()[3], "√d", 2)
    'You guessed “√d”. The answer is “d”.'
    """
    asked = question.guess
    if guess is None:
        return asked if right is None else f"In this experiment: “{question.options[right]}”."
    if right is None:
        return f"You guessed “{guess}”. {asked}"
    if guess == question.options[right]:
        return f"You guessed “{guess}”. Correct."
    return f"You guessed “{guess}”. The answer is “{question.options[right]}”."


def real_models() -> tuple[RealModel, ...]:
    """Return the models of the table, and last the pretrained ones of this app, as the catalog has them."""
    ours = [
        RealModel(row.short, row.n_layers, row.n_heads, row.n_heads * row.d_head, row.name)
        for row in CATALOG
        if row.origin == "pretrained"
    ]
    return (*_file()[2], *ours)


def _file() -> Texts:
    """Return what the file has: the questions in their order, each source by its short name, the table's models."""
    return assets.read(FILE, _texts)


def _texts(content: bytes) -> Texts:
    found = json.loads(content)
    lists = ("options", "sources", "pages", "also")
    return (
        tuple(QuizQuestion(**row | {name: tuple(row.get(name, ())) for name in lists}) for row in found["questions"]),
        {name: Paper(**row) for name, row in found["sources"].items()},
        tuple(RealModel(**row) for row in found["models"]),
    )


TAKEN_AS = "parallax-answer"
Columns = Mapping[str, Sequence[str] | np.ndarray]  # of one length


@dataclass(frozen=True)
class Answer:
    """What an answer says and draws, from top to bottom, and behind a picture its numbers, to be taken away.

    ``right`` is the option that came true where that depends on these numbers.
    """

    parts: tuple[Block | Columns, ...]
    right: int | None = None


def blocks_of(answer: Answer, about: str) -> Iterator[Block]:
    """Yield what an answer says and draws, and the numbers of each picture and table as those of ``about``."""
    for part in answer.parts:
        columns = part.columns if isinstance(part, PageTable) else part
        if isinstance(part, Block):
            yield part
        if isinstance(columns, Mapping):
            yield Numbers("The numbers of this answer", TAKEN_AS, columns, about)


def lines(*drawn: Sequence[Array | str]) -> tuple[Block, Columns]:
    """Return small arrays in lines, with operators between them, and their numbers, a row each."""
    each = [
        ("".join(span[1] for span in one.title), row, column, float("nan") if value is None else value)
        for line in drawn
        for one in line
        if isinstance(one, Array)
        for row, values in enumerate(one.values)
        for column, value in enumerate(values)
    ]
    names, rows, columns, values = zip(*each, strict=True)
    numbers = {"row": np.array(rows), "column": np.array(columns), "value": np.array(values)}
    return Lines(drawn), {"array": names, **numbers}


def figure(name: str, alt: str, numbers: Columns, **given: Any) -> tuple[Block, Columns]:
    """Return a figure of `mha.figures.named` and its numbers; ``given`` is what it draws."""
    return Chart(name, given, alt), numbers
