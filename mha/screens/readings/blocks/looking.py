"""Blocks of the tab "Where heads look": where heads look and how far they lean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from mha.maps import HeadId
from mha.screens.blocks import FlagRows, NumberRow, NumberRows
from mha.screens.pieces import Piece
from mha.screens.readings.blocks.shapes import Drawn, LabelledPicture, PlacedPicture


class HeadLine(Drawn, kind="head_line"):
    """One head's line above its picture."""

    letter: str
    name: str
    badge: str


class Marks(PlacedPicture):
    """Where pivot, partners and cue stand on the axis of a small picture."""

    cue: int | None


class MiniSentence(Marks, kind="mini_sentence"):
    """One head's arcs around the pivot; ``weights`` [query, key], ``empty`` the rows with nothing left."""

    empty: Sequence[int]
    weights: NumberRows
    pieces: Sequence[Piece]


class MiniHeatmap(Marks, kind="mini_heatmap"):
    """One head's weights [query, key] in words, with the mass that was set aside [query]; ``rtl`` mirrors it."""

    words: tuple[str, ...]
    weights: NumberRows
    mass: NumberRow
    causal: bool
    rtl: bool | None = None


class LeanMap(LabelledPicture, kind="lean_map"):
    """Both links' strengths of every head; ``none`` marks heads that look along neither."""

    size: str
    a: NumberRows
    b: NumberRows
    none: FlagRows
    chosen: tuple[HeadId, ...] | None = None
    roles: Sequence[Sequence[str]] | None = None
    hint: str | None = None


class Often(TypedDict):
    """The head that leans furthest in one order of the words more often than here: its lean, and what is said of it."""

    name: str
    at: float
    says: str


class Maxima(LabelledPicture, kind="maxima"):
    """The furthest lean of any head in each order of the same words, beside the furthest here; ``notes`` beside it."""

    furthest: NumberRow
    here: float
    name: str
    reached: str
    often: Often | None


class PartnerLook(TypedDict):
    """A head's attention from the ambiguous word: how much, to which place, and on which side, "a" or "b".

    ``usual`` is what the head gives at this distance on average, where that is measured.
    """

    name: str
    share: float
    at: int
    side: str
    usual: NotRequired[float]


class Looks(PlacedPicture, kind="looks"):
    """The strongest attention from the ambiguous word to each candidate, drawn on the sentence; ``cue`` decides."""

    pieces: Sequence[Piece]
    looks: Sequence[PartnerLook]
    cue: int | None = None
