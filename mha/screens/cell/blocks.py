"""The blocks of one cell: what each picture draws, decided to the number; `assets/js/cell` lays it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mha.brief import brief
from mha.screens.blocks import NumberRow, Span
from mha.screens.pieces import Piece


@dataclass(frozen=True)
class Hero:
    """The sentence with two words and one arc; ``cut`` says that words before or behind were left out."""

    kind: ClassVar[str] = "cell_hero"
    pieces: tuple[Piece, ...]
    query: int
    key: int
    share: str
    weight: float
    cut: tuple[bool, bool]
    label: str


@dataclass(frozen=True, eq=False)
class Dims:
    """Query, key and their products, column by column; NaN where a column stands for several numbers.

    ``wash`` columns from the left are marked, ``called`` are those whose numbers stand at the bars.
    """

    kind: ClassVar[str] = "cell_dims"
    numbers: tuple[str, ...]
    q: NumberRow
    k: NumberRow
    products: NumberRow
    wash: int
    called: tuple[int, ...]
    decimals: int
    query_name: str
    key_name: str
    count: int
    total: str
    label: str

    __repr__ = brief


@dataclass(frozen=True)
class ScoreStep:
    """One step from the products to the weight; ``absent`` where this model or this cell lacks it."""

    title: tuple[Span, ...]
    value: str
    note: str
    absent: bool = False


@dataclass(frozen=True)
class Steps:
    """All steps, in their order."""

    kind: ClassVar[str] = "cell_steps"
    steps: tuple[ScoreStep, ...]


@dataclass(frozen=True)
class KeyRow:
    """One key: bars are parts of the largest of their column, texts what stands at them; None where there is none."""

    name: str
    special: bool
    chosen: bool
    score: float | None
    score_text: str
    weight: float
    weight_text: str
    length: float | None = None
    length_text: str = ""
    brought: float | None = None
    brought_text: str = ""
    rest: bool = False


@dataclass(frozen=True)
class Keys:
    """All keys of one query; ``ticks`` are scores on the axis, with their texts; ``told`` whether lengths are."""

    kind: ClassVar[str] = "cell_keys"
    rows: tuple[KeyRow, ...]
    score_title: str
    ticks: tuple[tuple[float, str], ...]
    told: bool
    label: str


@dataclass(frozen=True)
class Length:
    """One length as a bar; ``indent`` of a part of the one before, ``tone`` "aside", "whole" or "part"."""

    spans: tuple[Span, ...]
    value: float
    text: str
    tone: str
    indent: bool = False


@dataclass(frozen=True)
class Lengths:
    """Lengths on one scale."""

    kind: ClassVar[str] = "cell_lengths"
    rows: tuple[Length, ...]
    label: str


@dataclass(frozen=True, eq=False)
class VectorStrip:
    """Numbers of a vector as bars: of each column the smallest and the largest number that it stands for."""

    title: tuple[Span, ...]
    note: str
    low: NumberRow
    high: NumberRow

    __repr__ = brief


@dataclass(frozen=True)
class Strips:
    """Vectors under each other, each on its own scale."""

    kind: ClassVar[str] = "cell_strips"
    strips: Sequence[VectorStrip]
    label: str
