"""The pictures of this page as blocks: what each is drawn from. Arrays are [layer, head] unless said otherwise.

``label`` is a picture's text alternative. A name that travels as "from" is ``from_`` here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mha.brief import brief
from mha.maps import HeadId
from mha.screens.blocks import Span
from mha.screens.pieces import Piece

Spans = tuple[Span, ...]
Range = tuple[float, float]
MARKS_KEY, LEAN_LEGEND, CARRIED_LEGEND = "marks_key", "lean_legend", "carried_legend"


@dataclass(frozen=True)
class Legend:
    """One of the legends, which are the same for every sentence."""

    kind: str


@dataclass(frozen=True)
class MutedTabs:
    """The names of tabs that are not open yet."""

    kind: ClassVar[str] = "muted_tabs"
    names: tuple[str, ...]


@dataclass(frozen=True)
class HeadLine:
    """One head's line above its picture."""

    kind: ClassVar[str] = "head_line"
    letter: str
    name: str
    badge: str


@dataclass(frozen=True)
class Marks:
    """Where pivot, partners and cue stand on the axis of a small picture."""

    label: str
    pivot: int
    a: tuple[int, ...]
    b: tuple[int, ...]
    cue: int | None


@dataclass(frozen=True, eq=False)
class MiniSentence(Marks):
    """One head's arcs around the pivot; ``weights`` [query, key], ``empty`` the rows with nothing left."""

    kind: ClassVar[str] = "mini_sentence"
    empty: Sequence[int]
    weights: np.ndarray
    pieces: Sequence[Piece]

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class MiniHeatmap(Marks):
    """One head's weights [query, key] in words, with the mass that was set aside [query]."""

    kind: ClassVar[str] = "mini_heatmap"
    words: tuple[str, ...]
    weights: np.ndarray
    mass: np.ndarray
    causal: bool

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class LeanMap:
    """Both links' strengths of every head; ``none`` marks heads that look along neither."""

    kind: ClassVar[str] = "lean_map"
    size: str
    a: np.ndarray
    b: np.ndarray
    none: np.ndarray
    label: str
    chosen: tuple[HeadId, ...] | None = None
    roles: Sequence[Sequence[str]] | None = None
    hint: str | None = None

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Maxima:
    """The furthest lean of any head in each order of the same words, beside the furthest here; ``notes`` beside it."""

    kind: ClassVar[str] = "maxima"
    furthest: np.ndarray
    here: float
    name: str
    reached: str
    often: dict[str, Any] | None
    label: str

    __repr__ = brief


@dataclass(frozen=True)
class Looks:
    """The strongest looks from the pivot at each partner, each {name, share, at, side}, drawn on the sentence."""

    kind: ClassVar[str] = "looks"
    pieces: Sequence[Piece]
    pivot: int
    a: tuple[int, ...]
    b: tuple[int, ...]
    looks: Sequence[dict[str, Any]]
    label: str


@dataclass(frozen=True)
class Mark:
    """A word on the score line: ``side`` is "a", "b" or "" where nobody has said it, ``first`` not a second word."""

    word: str
    score: float
    side: str
    first: bool


@dataclass(frozen=True, eq=False)
class ScoreLine:
    """Words on one line by their score, the typed one first, and how far the score moves where the reading stays.

    ``span`` is how much of the score the line is wide, on a desk and on a phone; ``sizes`` are the changes that keep
    the reading [swap] and ``floor`` their φ; ``beyond`` whether the move passes it; ``order`` what is said of the
    order of four words; ``further`` stands beside the arrow.
    """

    kind: ClassVar[str] = "score_line"
    marks: Sequence[Mark]
    ends: dict[str, str]
    span: Range
    label: str
    grey: bool = False
    sizes: np.ndarray | None = None
    floor: float | None = None
    beyond: bool = False
    order: str = ""
    further: str = ""

    __repr__ = brief


@dataclass(frozen=True)
class Slot:
    """The words that force one reading: a second one may be given, from some ``offered`` or any other."""

    side: str
    first: str
    second: str
    ask: str
    offered: tuple[str, ...] = ()


@dataclass(frozen=True)
class SecondWords:
    """Two words for each reading, the second of each to be given; ``taken`` is refused."""

    kind: ClassVar[str] = "second_words"
    slots: tuple[Slot, Slot]
    taken: tuple[str, ...]


@dataclass(frozen=True)
class Own:
    """The path followed in this sentence: shares of the receiver's turn, and between what other senders lie."""

    share: float
    direct: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, eq=False)
class PathStrip:
    """The tested arrow: what of a receiver's turn follows some senders, over pairs, and in this sentence.

    ``control`` has the share of every other set of senders; ``own`` is None where this sentence was not tested, and
    ``own_says`` why, or what its controls are.
    """

    kind: ClassVar[str] = "path_strip"
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
    label: str

    __repr__ = brief


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


@dataclass(frozen=True, eq=False)
class CarriedBars:
    """What heads carry, in units of the score, before what one head moves where the reading stays (``floor``)."""

    kind: ClassVar[str] = "carried_bars"
    bars: Sequence[Bar]
    whole: float
    floor: float
    rest: np.ndarray
    rest_says: str
    direct: np.ndarray
    direct_says: str
    label: str

    __repr__ = brief


@dataclass(frozen=True)
class Version:
    """One version of the sentence in the story: its looks in two steps, and what is said of them."""

    label: str
    title: str
    pieces: Sequence[Piece]
    pivot: int
    a: tuple[int, ...]
    b: tuple[int, ...]
    cue: int
    names: dict[str, str]
    looks: Sequence[dict[str, Any]]
    turn: dict[str, float]
    mean: dict[str, float]
    first: Spans
    mean_first: Spans
    second: Spans
    mean_second: Spans


@dataclass(frozen=True)
class Story:
    """The two-step story, as typed and with the other word."""

    kind: ClassVar[str] = "story"
    versions: tuple[Version, Version]


@dataclass(frozen=True, eq=False)
class CarriedMap:
    """What each head carries; ``control`` has the range of three others for each layer that acts.

    Parts within ``floor`` either way are drawn empty: one head moves as much where the reading stays.
    """

    kind: ClassVar[str] = "carried_map"
    carried: np.ndarray
    label: str
    control: Sequence[dict[str, float] | None] | None = None
    named: tuple[HeadId, ...] = ()
    direct: int | None = None
    absent: str = ""
    floor: float = 0.0

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Slopes:
    """Every head's lean in both versions, ``lines`` [head, version]."""

    kind: ClassVar[str] = "slopes"
    left: str
    right: str
    lines: np.ndarray
    named: Sequence[dict[str, Any]]
    about: str
    label: str

    __repr__ = brief


@dataclass(frozen=True)
class SlopesTable:
    """A few heads with small slopes: lean and looks before and after; ``reach`` is each kind's range."""

    kind: ClassVar[str] = "slopes_table"
    columns: Sequence[dict[str, Any]]
    rows: Sequence[dict[str, Any]]
    reach: dict[str, Range]


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


@dataclass(frozen=True)
class CalibrationStrip:
    """Every head on two axes, joined."""

    kind: ClassVar[str] = "calibration_strip"
    heads: Sequence[PairsHead]
    limit: float
    n_pairs: int
    n_patched: int
    label: str


@dataclass(frozen=True)
class ForestRow:
    """A number, perhaps with its interval; the sentence's own are ``loud``."""

    name: str
    value: float
    from_: float | None = None
    to: float | None = None
    loud: bool = False


@dataclass(frozen=True)
class Forest:
    """Plain intervals below each other."""

    kind: ClassVar[str] = "forest"
    rows: Sequence[ForestRow]
    label: str


@dataclass(frozen=True, eq=False)
class PairDots:
    """The score's difference in every forced pair, with words shuffled, and in this sentence."""

    kind: ClassVar[str] = "pair_dots"
    pairs: np.ndarray
    shuffled: np.ndarray
    mine: float | None
    titles: Sequence[Sequence[str]]
    label: str

    __repr__ = brief


@dataclass(frozen=True)
class ScatterHead:
    """A head by its lean and its effect."""

    name: str
    lean: float
    effect: float
    none: bool
    direct: bool
    named: bool


@dataclass(frozen=True)
class Scatter:
    """Leaning against mattering."""

    kind: ClassVar[str] = "scatter"
    heads: Sequence[ScatterHead]
    label: str


@dataclass(frozen=True, eq=False)
class EffectMap:
    """How far silencing each head moves the score, written ``times`` as large."""

    kind: ClassVar[str] = "effect_map"
    digits: ClassVar[int] = 5
    times: int
    effect: np.ndarray
    reach: int
    direct: int | None
    hint: str
    label: str

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class SteerLine:
    """One version's score at each strength [strength], and the other heads' [head, strength]."""

    word: str
    line: np.ndarray
    others: np.ndarray

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Steer:
    """The score over the strength of one head."""

    kind: ClassVar[str] = "steer"
    name: str
    strengths: tuple[float, ...]
    few: tuple[float, ...]
    now: float
    versions: Sequence[SteerLine]
    label: str
