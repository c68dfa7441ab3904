"""Blocks of scores: words on a line, the forced pairs, silencing and turning heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mha.brief import brief
from mha.screens.blocks import NumberRow, NumberRows
from mha.screens.readings.blocks.shapes import Drawn, LabelledPicture, Range


@dataclass(frozen=True)
class Mark:
    """A word on the score line: ``side`` is "a", "b" or "" where nobody has said it, ``first`` not a second word."""

    word: str
    score: float
    side: str
    first: bool


class ScoreLine(LabelledPicture, kind="score_line"):
    """Words on one line by their score, the typed one first, and how far the score moves where the reading stays.

    ``span`` is how much of the score the line is wide, on a desk and on a phone; ``sizes`` are the changes that keep
    the reading [swap] and ``floor`` their control limit; ``beyond`` whether the move passes it; ``order`` what is said
    of the order of four words; ``further`` stands beside the arrow.
    """

    marks: Sequence[Mark]
    ends: dict[str, str]
    span: Range
    grey: bool = False
    sizes: NumberRow | None = None
    floor: float | None = None
    beyond: bool = False
    order: str = ""
    further: str = ""


@dataclass(frozen=True)
class Slot:
    """The words that force one reading: a second one may be given, from some ``offered`` or any other."""

    side: str
    first: str
    second: str
    ask: str
    offered: tuple[str, ...] = ()


class SecondWords(Drawn, kind="second_words"):
    """Two words for each reading, the second of each to be given; ``taken`` is refused."""

    slots: tuple[Slot, Slot]
    taken: tuple[str, ...]


class PairDots(LabelledPicture, kind="pair_dots"):
    """The score's difference in every forced pair, with words shuffled, and in this sentence."""

    pairs: NumberRow
    shuffled: NumberRow
    mine: float | None
    titles: Sequence[Sequence[str]]


@dataclass(frozen=True)
class ScatterHead:
    """A head by its lean and its effect."""

    name: str
    lean: float
    effect: float
    none: bool
    direct: bool
    named: bool


class Scatter(LabelledPicture, kind="scatter"):
    """Leaning against mattering."""

    heads: Sequence[ScatterHead]


class EffectMap(LabelledPicture, kind="effect_map"):
    """How far silencing each head moves the score, written ``times`` as large."""

    digits: ClassVar[int] = 5
    times: int
    effect: NumberRows
    reach: int
    direct: int | None
    hint: str


@dataclass(frozen=True, eq=False)
class SteerLine:
    """One version's score at each strength [strength], and the other heads' [head, strength]."""

    word: str
    line: NumberRow
    others: NumberRows

    __repr__ = brief


class Steer(LabelledPicture, kind="steer"):
    """The score over the strength of one head."""

    name: str
    strengths: tuple[float, ...]
    few: tuple[float, ...]
    now: float
    versions: Sequence[SteerLine]


@dataclass(frozen=True)
class DirectBar:
    """What one head gives by itself, and what goes with it when it is silenced, where that is known.

    ``role`` is "head", "rest" for what is no head's or no named one's, and "total" for the sum of all.
    """

    name: str
    gives: float
    role: str = "head"
    silenced: float | None = None


class DirectBars(LabelledPicture, kind="direct_bars"):
    """What the heads that give most add to one next word over another, what all others add, and the sum."""

    rows: Sequence[DirectBar]


@dataclass(frozen=True)
class PairsHead:
    """One head over the forced pairs: how often it is right, and what it carries, each with its interval."""

    name: str
    pair: float
    pair_from: float
    pair_to: float
    tells: bool
    share: float
    from_: float
    to: float
    named: bool
    sure: bool


class CalibrationStrip(LabelledPicture, kind="calibration_strip"):
    """Every head on two axes, joined."""

    heads: Sequence[PairsHead]
    limit: float
    n_pairs: int
    n_patched: int


@dataclass(frozen=True)
class ForestRow:
    """A number, perhaps with its interval; the sentence's own are ``loud``."""

    name: str
    value: float
    from_: float | None = None
    to: float | None = None
    loud: bool = False


class Forest(LabelledPicture, kind="forest"):
    """Plain intervals below each other."""

    rows: Sequence[ForestRow]
