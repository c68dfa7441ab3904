"""The pictures of a head's sheet, as blocks: what `assets/js/blocks/atlas/sheet.js` draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mha.screens.blocks import Span
from mha.screens.pieces import Piece


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
