"""The pictures of Whole model and of a head's sheet, as blocks: what `assets/js/blocks/atlas` draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mha.brief import with_arrays
from mha.screens.blocks import Block, FlagRows, NumberRows, Span
from mha.screens.pieces import Piece


class AtlasMap(Block, kind="atlas_map", arrays=True):
    """Every head as a cell: its value [layer, head] as a part of ``top``, as text, its mark and its share set aside.

    ``order`` is which head stands where in its layer, ``kept`` which do not fade; ``attention`` whether values are
    shares of attention, in the ink of weights. ``ends`` are the ends of the legend, ``counts`` of the marks by name.
    """

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


class AtlasRow(Block, kind="atlas_row"):
    """The heads of one layer by their value, with intervals; ``top`` ends the axis, in ``unit``."""

    rows: Sequence[Interval]
    top: float
    unit: str
    label: str


class AtlasMatrix(Block, kind="atlas_matrix", arrays=True):
    """Distances of all pairs in an order in which like stands by like.

    ``cells`` are bytes, row by row, in base64: a distance times 255. ``forks`` are the tree above, each two places, two
    heights and its own height. ``names`` are in the order, ``layers`` theirs.
    """

    names: Sequence[str]
    layers: Sequence[int]
    cells: str
    forks: NumberRows
    focus: str
    label: str


class AtlasPlane(Block, kind="atlas_plane", arrays=True):
    """Heads as points in the plane, [head, 2]; lines go from the focus to the ``near`` ones."""

    points: NumberRows
    names: Sequence[str]
    layers: Sequence[int]
    focus: str
    near: Sequence[str]
    label: str


class AtlasDifferent(Block, kind="atlas_different"):
    """Effective numbers of heads, the model's beside its twin's: the name of each row, and both."""

    rows: Sequence[tuple[str, float, float]]
    label: str


@with_arrays
class Thumb:
    """One head on the typed text: name, what stands under it, its map [query, key] (None where there is no text)."""

    name: str
    text: str
    weights: NumberRows | None


class AtlasLike(Block, kind="atlas_like"):
    """A head and those most like it; the first is the head itself."""

    heads: Sequence[Thumb]
    label: str


class AtlasHeat(Block, kind="atlas_heat", arrays=True):
    """Words looking at words, shares of a row [query, key] in the ink of weights."""

    words: Sequence[str]
    weights: NumberRows
    label: str


class SheetHabit(Block, kind="sheet_habit"):
    """Mean shares by distance from word to word: (how many words on, share)."""

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


class SheetPlace(Block, kind="sheet_place"):
    """Where a head stands among all, a strip each; ``ends`` are the numbers under the axis of a single one."""

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


class SheetLooks(Block, kind="sheet_looks"):
    """The looks furthest beyond the habit, in two columns."""

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


class SheetCarries(Block, kind="sheet_carries"):
    """What a head carries, a row a kind; ``top`` ends the axis."""

    rows: Sequence[CarriedKind]
    top: float
    label: str


class SheetNot(Block, kind="sheet_not"):
    """What may not be concluded, a line each."""

    lines: Sequence[tuple[Span, ...]]
