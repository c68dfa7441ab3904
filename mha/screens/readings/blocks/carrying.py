"""Blocks of the tab "What carries the change": the path, what heads carry, their leans in both versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from mha.maps import HeadId
from mha.screens.blocks import NumberRow, NumberRows
from mha.screens.pieces import Piece
from mha.screens.readings.blocks.shapes import Drawn, LabelledPicture, PlacedPicture, Range, Spans


@dataclass(frozen=True)
class Own:
    """The path followed in this sentence: shares of the receiver's turn, and between what other senders lie."""

    share: float
    direct: float | None
    low: float | None
    high: float | None


class PathStrip(LabelledPicture, kind="path_strip"):
    """The tested arrow: what of a receiver's turn follows some senders, over pairs, and in this sentence.

    ``control`` has the share of every other set of senders; ``kept`` is the share, with its interval, over swaps that
    keep the reading; ``own`` is None where this sentence was not tested, and
    ``own_says`` why, or what its controls are.
    """

    first: Spans
    looks: Sequence[str]
    second: Spans
    turns: Sequence[Spans]
    share: float
    low: float
    high: float
    direct: float | None
    control: NumberRow
    follows: str
    kept: Sequence[float] | None
    kept_says: str
    others: str
    own: Own | None
    own_says: str


class Sender(TypedDict):
    """A head that looks from the pivot at the cue, and how far."""

    name: str
    share: float


class Version(PlacedPicture):
    """One version of the sentence in the story: its looks in two steps, and what is said of them."""

    title: str
    pieces: Sequence[Piece]
    cue: int
    names: dict[str, str]
    looks: Sequence[Sender]
    turn: dict[str, float]
    mean: dict[str, float]
    first: Spans
    mean_first: Spans
    second: Spans
    mean_second: Spans


class Story(Drawn, kind="story"):
    """The two-step story, as typed and with the other word."""

    versions: tuple[Version, Version]


@dataclass(frozen=True)
class CarriedBar:
    """One head in units of the score: the mean of both directions, each of them, and whether both pass its limit."""

    name: str
    mean: float
    into: float
    back: float
    beyond: bool
    share: str
    ways: str


class CarriedBars(LabelledPicture, kind="carried_bars"):
    """What heads carry, in units of the score, before what one head moves where the reading stays (``floor``)."""

    bars: Sequence[CarriedBar]
    whole: float
    floor: float
    rest: NumberRow
    rest_says: str
    direct: NumberRow
    direct_says: str


class CarriedMap(LabelledPicture, kind="carried_map"):
    """What each head carries; ``control`` has the range of three others for each layer that acts.

    Parts within ``floor`` either way are drawn empty: one head moves as much where the reading stays.
    """

    carried: NumberRows
    control: Sequence[dict[str, float] | None] | None = None
    named: tuple[HeadId, ...] = ()
    direct: int | None = None
    absent: str = ""
    floor: float = 0.0


class Named(TypedDict):
    """A head by its name and its number among all."""

    name: str
    index: int


class Slopes(LabelledPicture, kind="slopes"):
    """Every head's lean in both versions, ``lines`` [head, version]."""

    left: str
    right: str
    lines: NumberRows
    named: Sequence[Named]
    about: str


class SlopeTitle(TypedDict):
    """The head of a column, perhaps with the letter of a reading."""

    spans: Spans
    chip: NotRequired[str]


class Slope(TypedDict):
    """A small slope: what of, "lean", "cue", "a" or "b", and the numbers before and after."""

    kind: str
    values: tuple[float, float]


class SlopeRow(TypedDict):
    """A head with its slopes, and what it carries where that is known."""

    name: str
    values: Sequence[Slope]
    carries: NotRequired[str]
    direct: NotRequired[bool]


class SlopesTable(Drawn, kind="slopes_table"):
    """A few heads with small slopes: lean and looks before and after; ``reach`` is each kind's range."""

    columns: Sequence[SlopeTitle]
    rows: Sequence[SlopeRow]
    reach: dict[str, Range]
