"""What an answer is made of: captions, small arrays, a table, formulas, charts. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.screens.arrays import Array, small
from mha.screens.blocks import Block, Caption, Span, caption
from mha.screens.places import Chart, Formula, PlainTable
from mha.screens.takings import Numbers

FILE = "parallax-answer"
Columns = Mapping[str, Sequence[str] | np.ndarray]  # of one length


@dataclass(frozen=True)
class ArrayLines:
    """Small arrays in lines, with operators between them."""

    lines: tuple[Sequence[Array | str], ...]


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure, and its numbers, to be taken away."""

    drawn: Chart
    columns: Columns


Part = Caption | ArrayLines | PlainTable | Formula | Figure


@dataclass(frozen=True)
class Answer:
    """The parts from top to bottom; ``right`` is the option that came true where that depends on these numbers."""

    parts: tuple[Part, ...]
    right: int | None = None


def blocks_of(answer: Answer, about: str) -> Iterator[Block]:
    """Yield what an answer says and draws, and its numbers, to be taken away as those of ``about``."""
    for part in answer.parts:
        if isinstance(part, ArrayLines):
            yield small(*part.lines)
        else:
            yield part.drawn if isinstance(part, Figure) else part
        columns = numbers_of(part)
        if columns:
            yield Numbers("The numbers of this answer", FILE, columns, about)


def numbers_of(part: Part) -> Columns:
    """Return the numbers of a part as columns; none where it has none. Small arrays are one row a number."""
    if isinstance(part, PlainTable | Figure):
        return part.columns
    if not isinstance(part, ArrayLines):
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


def lines(*lines: Sequence[Array | str]) -> ArrayLines:
    """Return small arrays, line by line."""
    return ArrayLines(lines)


def found(spans: Sequence[Span]) -> Caption:
    """Return what was found, as it stands first."""
    return caption(spans, style="found")


def note(text: str) -> Caption:
    """Return where the numbers come from, as `say` takes it."""
    return caption(text)


def none(text: str) -> Answer:
    """Return an answer that has nothing to show, and says why."""
    return answer(caption(text, style="sub"))


def figure(name: str, alt: str, numbers: Columns, **given: Any) -> Figure:
    """Return a figure of `mha.figures.named` with its numbers; ``given`` is what it draws."""
    return Figure(Chart(name, given, alt), numbers)
