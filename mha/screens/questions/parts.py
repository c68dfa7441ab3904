"""What an answer is made of: captions, small arrays, a table, formulas, charts. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.screens.arrays import Array
from mha.screens.blocks import say

Columns = Mapping[str, Sequence[str] | np.ndarray]  # of one length


@dataclass(frozen=True)
class Said:
    """A caption; ``key`` says which: q_found, q_note or q_none."""

    key: str
    spans: Sequence[Sequence[str]]
    style: str = "cap"


@dataclass(frozen=True)
class Arrays:
    """Small arrays in lines, with operators between them."""

    lines: tuple[Sequence[Array | str], ...]


@dataclass(frozen=True)
class Table:
    """Columns by name."""

    columns: Mapping[str, Sequence[str]]
    alt: str


@dataclass(frozen=True)
class Formula:
    """Lines of LaTeX."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Chart:
    """A figure, made for a theme when it is drawn; ``columns`` are its numbers, to be taken away."""

    figure: Callable[..., Any]
    alt: str
    columns: Columns


Part = Said | Arrays | Table | Formula | Chart


@dataclass(frozen=True)
class Answer:
    """The parts from top to bottom; ``right`` is the option that came true where that depends on these numbers."""

    parts: tuple[Part, ...]
    right: int | None = None


def numbers_of(part: Part) -> Columns:
    """Return the numbers of a part as columns; none where it has none. Small arrays are one row a number."""
    if isinstance(part, Table | Chart):
        return part.columns
    if not isinstance(part, Arrays):
        return {}
    arrays = [one for line in part.lines for one in line if isinstance(one, Array)]
    each = [
        ("".join(span[1] for span in one.title), row, column, float("nan") if value is None else value)
        for one in arrays
        for row, values in enumerate(one.values)
        for column, value in enumerate(values)
    ]
    names, rows, columns, values = zip(*each, strict=True)
    return {"array": names, "row": np.array(rows), "column": np.array(columns), "value": np.array(values)}


def answer(*parts: Part, right: int | None = None) -> Answer:
    """Return an answer of these parts."""
    return Answer(parts, right)


def lines(*lines: Sequence[Array | str]) -> Arrays:
    """Return small arrays, line by line."""
    return Arrays(lines)


def found(spans: Sequence[Sequence[str]]) -> Said:
    """Return what was found, as it stands first."""
    return Said("q_found", spans, "found")


def note(text: str) -> Said:
    """Return where the numbers come from, as `say` takes it."""
    return Said("q_note", say(text))


def none(text: str) -> Answer:
    """Return an answer that has nothing to show, and says why."""
    return answer(Said("q_none", say(text), "sub"))
