"""Blocks of the tab "What carries it": the tested path, what each head carries, and its leans with each word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.maps import HeadId
from mha.screens.pieces import Piece
from mha.screens.readings.drawn.shapes import Drawn, Picture, Placed, Range, Spans


@dataclass(frozen=True)
class Own:
    """The path followed in this sentence: shares of the receiver's turn, and between what other senders lie."""

    share: float
    direct: float | None
    low: float | None
    high: float | None


class PathStrip(Picture, kind="path_strip"):
    """The tested arrow: what of a receiver's turn follows some senders, over pairs, and in this sentence.

    ``control`` has the share of every other set of senders; ``own`` is None where this sentence was not tested, and
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
    control: np.ndarray
    follows: str
    others: str
    own: Own | None
    own_says: str


class Version(Placed):
    """One version of the sentence in the story: its looks in two steps, and what is said of them."""

    title: str
    pieces: Sequence[Piece]
    cue: int
    names: dict[str, str]
    looks: Sequence[dict[str, Any]]
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
class Bar:
    """One head in units of the score: the mean of both directions, each of them, and whether it is named."""

    name: str
    mean: float
    into: float
    back: float
    named: bool
    share: str
    ways: str


class CarriedBars(Picture, kind="carried_bars"):
    """What heads carry, in units of the score, before what one head moves where the reading stays (``floor``)."""

    bars: Sequence[Bar]
    whole: float
    floor: float
    rest: np.ndarray
    rest_says: str
    direct: np.ndarray
    direct_says: str


class CarriedMap(Picture, kind="carried_map"):
    """What each head carries; ``control`` has the range of three others for each layer that acts.

    Parts within ``floor`` either way are drawn empty: one head moves as much where the reading stays.
    """

    carried: np.ndarray
    control: Sequence[dict[str, float] | None] | None = None
    named: tuple[HeadId, ...] = ()
    direct: int | None = None
    absent: str = ""
    floor: float = 0.0


class Slopes(Picture, kind="slopes"):
    """Every head's lean in both versions, ``lines`` [head, version]."""

    left: str
    right: str
    lines: np.ndarray
    named: Sequence[dict[str, Any]]
    about: str


class SlopesTable(Drawn, kind="slopes_table"):
    """A few heads with small slopes: lean and looks before and after; ``reach`` is each kind's range."""

    columns: Sequence[dict[str, Any]]
    rows: Sequence[dict[str, Any]]
    reach: dict[str, Range]
