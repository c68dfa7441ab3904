"""The pictures of Whole model, as blocks: what `assets/js/blocks/atlas` draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mha.brief import brief
from mha.screens.blocks import FlagRows, NumberRows


@dataclass(frozen=True, eq=False)
class AtlasMap:
    """Every head as a cell: its value [layer, head] as a part of ``top``, as text, its mark and its share set aside.

    ``order`` is which head stands where in its layer, ``kept`` which do not fade; ``attention`` whether values are
    shares of attention, in the ink of weights. ``ends`` are the ends of the legend, ``counts`` of the marks by name.
    """

    kind: ClassVar[str] = "atlas_map"
    values: NumberRows
    texts: Sequence[Sequence[str]]
    marks: Sequence[Sequence[str]]
    aside: NumberRows
    order: NumberRows
    kept: FlagRows
    attention: bool
    ends: tuple[str, str]
    of: str
    pins: Sequence[str]
    focus: str
    counts: Sequence[tuple[str, str]]
    label: str

    __repr__ = brief


@dataclass(frozen=True)
class Interval:
    """One head of the row: its mean, its interval (None where there is none), and the typed text's value."""

    name: str
    mean: float
    low: float | None
    high: float | None
    here: float | None
    text: str


@dataclass(frozen=True)
class AtlasRow:
    """The heads of one layer by their value, with intervals; ``top`` ends the axis, in ``unit``."""

    kind: ClassVar[str] = "atlas_row"
    rows: Sequence[Interval]
    top: float
    unit: str
    label: str


@dataclass(frozen=True, eq=False)
class AtlasMatrix:
    """Distances of all pairs in an order in which like stands by like.

    ``cells`` are bytes, row by row, in base64: a distance times 255. ``forks`` are the tree above, each two places, two
    heights and its own height. ``names`` are in the order, ``layers`` theirs.
    """

    kind: ClassVar[str] = "atlas_matrix"
    names: Sequence[str]
    layers: Sequence[int]
    cells: str
    forks: NumberRows
    focus: str
    label: str

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class AtlasPlane:
    """Heads as points in the plane, [head, 2]; lines go from the focus to the ``near`` ones."""

    kind: ClassVar[str] = "atlas_plane"
    points: NumberRows
    names: Sequence[str]
    layers: Sequence[int]
    focus: str
    near: Sequence[str]
    label: str

    __repr__ = brief


@dataclass(frozen=True)
class AtlasDifferent:
    """Effective numbers of heads, the model's beside its twin's: the name of each row, and both."""

    kind: ClassVar[str] = "atlas_different"
    rows: Sequence[tuple[str, float, float]]
    label: str


@dataclass(frozen=True, eq=False)
class Thumb:
    """One head on the typed text: name, what stands under it, its map [query, key] (None where there is no text)."""

    name: str
    text: str
    weights: NumberRows | None

    __repr__ = brief


@dataclass(frozen=True)
class AtlasLike:
    """A head and those most like it; the first is the head itself."""

    kind: ClassVar[str] = "atlas_like"
    heads: Sequence[Thumb]
    label: str


@dataclass(frozen=True, eq=False)
class AtlasHeat:
    """Words looking at words, shares of a row [query, key] in the ink of weights."""

    kind: ClassVar[str] = "atlas_heat"
    words: Sequence[str]
    weights: NumberRows
    label: str

    __repr__ = brief
