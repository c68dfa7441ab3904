"""The pictures of Whole model and of a head's sheet, as blocks: what `assets/js/blocks/atlas` draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mha.brief import with_arrays
from mha.screens.blocks import FlagRows, NumberRows, Span
from mha.screens.pieces import Piece


@with_arrays
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
    pins: Sequence[str]
    focus: str
    counts: Sequence[tuple[str, str]]
    label: str


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


@with_arrays
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


@with_arrays
class AtlasPlane:
    """Heads as points in the plane, [head, 2]; lines go from the focus to the ``near`` ones."""

    kind: ClassVar[str] = "atlas_plane"
    points: NumberRows
    names: Sequence[str]
    layers: Sequence[int]
    focus: str
    near: Sequence[str]
    label: str


@dataclass(frozen=True)
class AtlasDifferent:
    """Effective numbers of heads, the model's beside its twin's: the name of each row, and both."""

    kind: ClassVar[str] = "atlas_different"
    rows: Sequence[tuple[str, float, float]]
    label: str


@with_arrays
class Thumb:
    """One head on the typed text: name, what stands under it, its map [query, key] (None where there is no text)."""

    name: str
    text: str
    weights: NumberRows | None


@dataclass(frozen=True)
class AtlasLike:
    """A head and those most like it; the first is the head itself."""

    kind: ClassVar[str] = "atlas_like"
    heads: Sequence[Thumb]
    label: str


@with_arrays
class AtlasHeat:
    """Words looking at words, shares of a row [query, key] in the ink of weights."""

    kind: ClassVar[str] = "atlas_heat"
    words: Sequence[str]
    weights: NumberRows
    label: str


@dataclass(frozen=True)
class SheetHabit:
    """Mean shares by distance from word to word: (how many words on, share)."""

    kind: ClassVar[str] = "sheet_habit"
    bars: Sequence[tuple[int, float]]
    label: str


@dataclass(frozen=True)
class SheetStrip:
    """One number of all heads as ticks, this head's as a disc with its interval; all as parts of the axis."""

    title: str
    others: Sequence[float]
    own: float
    low: float | None
    high: float | None
    text: str
    rank: str


@dataclass(frozen=True)
class SheetPlace:
    """Where a head stands among all, a strip each; ``ends`` are the numbers under the axis of a single one."""

    kind: ClassVar[str] = "sheet_place"
    strips: Sequence[SheetStrip]
    ends: Sequence[str]
    label: str


@dataclass(frozen=True)
class SheetLook:
    """One look on its sentence: ``query`` and ``key`` are places of pieces; beside it what the habit gives.

    ``brought`` is the share of what the look brings, None where that is not told.
    """

    pieces: Sequence[Piece]
    query: int
    key: int
    weight: float
    habit: float
    label: str
    brought: float | None = None


@dataclass(frozen=True)
class SheetLooks:
    """The looks furthest beyond the habit, in two columns."""

    kind: ClassVar[str] = "sheet_looks"
    looks: Sequence[SheetLook]


@dataclass(frozen=True)
class CarriedKind:
    """What a head carries over the pairs of one kind.

    ``band`` is what three other heads of its layer carry together (least, mean, most); ``best`` the head that carries
    most, and how much.
    """

    title: str
    pairs: str
    share: float | None
    low: float
    high: float
    band: tuple[float, float, float] | None
    best: tuple[str, float]
    text: str


@dataclass(frozen=True)
class SheetCarries:
    """What a head carries, a row a kind; ``top`` ends the axis."""

    kind: ClassVar[str] = "sheet_carries"
    rows: Sequence[CarriedKind]
    top: float
    label: str


@dataclass(frozen=True)
class SheetNot:
    """What may not be concluded, a line each."""

    kind: ClassVar[str] = "sheet_not"
    lines: Sequence[tuple[Span, ...]]
