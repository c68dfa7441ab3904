"""Arrays with their numbers in the cells, and what stands between them: arrows, rows, columns, boxes, sentences.

Python decides what stands where and how a number is to be read (signed, or a share of 1); the browser draws. A number
that is not there (masked) is None and drawn hatched; words of the reader's text only ever become text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from mha.formats import cut, number
from mha.screens.blocks import Block, Said, Spans

Line = tuple[str | Spans, str, str]  # of a calculation: what, number, how

W_O: Spans = (("plain", "W"), ("sub", "O"))
MOST_ROWS, MOST_COLUMNS = 8, 8  # of an array that is shown in full; of a larger one, its first
MOST_BARS = 512  # of a vector that is drawn as bars; of more, neighbours share one
FULL_INK = 2.5  # the number that has full colour, unless a larger one stands beside it


class Array(Block, kind="array"):
    """One array [row, column] as a table of numbers; ``name`` finds it again, ``now`` frames it.

    ``shape`` stands muted after the title. ``shares`` are drawn as whole per cents; ``rows`` and ``columns`` are words
    on the axes; ``cell`` is framed; ``sums`` heads a last column with each row's ``total``; a click on a cell follows
    it in head ``picks``.
    ``drawn`` as "bars" it has two rows: the smallest and the largest number that each bar stands for.
    """

    name: str
    title: Spans
    shape: str
    values: tuple[tuple[float | None, ...], ...]
    shares: bool = False
    now: bool = False
    decimals: int = 1
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    cell: tuple[int, int] | None = None
    sums: str = ""
    total: tuple[float, ...] = ()
    picks: int | None = None
    drawn: Literal["bars"] | None = None


class Arrow(Block, kind="arrow"):
    """An arrow, or another sign between two arrays; a plain arrow points down on a phone."""

    sign: str = "→"


@dataclass(frozen=True)
class Group:
    """Parts side by side (where there is room), below each other, or framed with a title, such as one head."""

    kind: Literal["row", "column", "box"]
    parts: tuple[Node, ...]
    title: str = ""
    spread: bool = False  # a row over the whole width


class Sentence(Block, kind="sentence"):
    """The words, large; the one that looks is underlined, the one that is looked at has a thin line.

    ``quiet`` are the places of what is not a word of the text; ``rtl`` says that the text runs from right to left.
    """

    words: Sequence[str]
    asking: int
    asked: int
    quiet: Sequence[int] = ()
    rtl: bool | None = None


class Calculation(Block, kind="calculation"):
    """Lines (what, number, how) of one number worked out by hand; style sheets know it by its ``name``.

    ``bars`` draw each number on one scale; their tones are "aside", "whole" and "part", one of the line before.
    """

    lines: Sequence[Line]
    name: str = "by_hand"
    bars: Sequence[tuple[float, str]] | None = None


Node = Array | Arrow | Group | Said | Sentence | Calculation


class Flow(Block, kind="flow"):
    """A tree of nodes with a text alternative; all its signed arrays share one ``ink``, the number of full colour."""

    root: Node
    label: str
    compact: bool = False
    ink: float = field(init=False)

    def __post_init__(self) -> None:
        signed = (abs(v) for a in arrays(self.root).values() if not a.shares for line in a.values for v in line if v)
        object.__setattr__(self, "ink", max([FULL_INK, *signed]))


def array(
    values: ArrayLike,
    title: Spans | str,
    *,
    name: str = "",
    shape: str | None = None,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    cell: tuple[int, int] | None = None,
    sums: str = "",
    most_columns: int = MOST_COLUMNS,
    **look: Any,
) -> Array:
    """Return an array [row, column] (a vector is one row), of a large one its first rows and columns.

    ``shape`` is said of it, its size unless given; ``look`` are the other fields of `Array`.
    """
    whole = np.atleast_2d(np.asarray(values, dtype=np.float64))
    shown = whole[:MOST_ROWS, :most_columns]
    said = size(whole) if shape is None else shape
    first = f", first {size(shown)}" if shown.shape != whole.shape and said else ""
    return Array(
        name or str(title),
        ((("plain", title),) if isinstance(title, str) else title),
        said + first,
        tuple(tuple(round(float(v), 6) if np.isfinite(v) else None for v in row) for row in shown),
        rows=tuple(cut(row) for row in rows[:MOST_ROWS]),
        columns=tuple(cut(column) for column in columns[:most_columns]),
        cell=cell if cell is not None and cell[0] < MOST_ROWS and cell[1] < most_columns else None,
        sums=sums,
        total=tuple(round(float(row[np.isfinite(row)].sum()), 6) for row in whole[:MOST_ROWS]) if sums else (),
        **look,
    )


def strip(values: np.ndarray, title: Spans) -> Array:
    """Return a vector as bars, of neighbours the smallest and the largest number (and 0), with its size beside it."""
    starts = np.arange(0, len(values), -(-len(values) // MOST_BARS))
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    bars = np.array([np.minimum(low, 0), np.maximum(high, 0)])  # [end, bar]
    said = f"{len(values):,} numbers, size {number(float(np.linalg.norm(values)))}"
    return array(bars, title, name="bars", shape=said, most_columns=MOST_BARS, drawn="bars")


def size(values: np.ndarray) -> str:
    """Return the shape of an array as it is said, with spaces that do not break.

    >>> size(np.zeros((2, 1024)))
    '2\\xa0×\\xa01,024'
    """
    return "\u00a0×\u00a0".join(f"{length:,}" for length in np.shape(values))


def row(*parts: Node, spread: bool = False) -> Group:
    """Return parts side by side, below each other where there is no room."""
    return Group("row", parts, spread=spread)


def column(*parts: Node) -> Group:
    """Return parts below each other."""
    return Group("column", parts)


def box(title: str, *parts: Node) -> Group:
    """Return a framed group."""
    return Group("box", parts, title)


def arrays(node: Node) -> dict[str, Array]:
    """Return all arrays below a node by their names."""
    if isinstance(node, Array):
        return {node.name: node}
    found: dict[str, Array] = {}
    for part in node.parts if isinstance(node, Group) else ():
        found |= arrays(part)
    return found
