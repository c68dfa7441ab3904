"""The pictures of Change a word, as blocks: what `assets/js/blocks/change` draws; ``rtl`` mirrors what is in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NotRequired, TypedDict

from mha.screens.blocks import Block, NumberRow, NumberRows, Span


@dataclass(frozen=True)
class ChangeColumn:
    """One place of both sentences: the word of each side, or None; ``same`` where the word stayed."""

    first: str | None
    second: str | None
    same: bool


class ChangeHero(Block, kind="change_hero"):
    """Both sentences with equal words above each other, and one row's looks in each, as [place, share].

    ``query`` is the place of the word that looks, ``key`` of the word whose share changes most.
    """

    head: str
    columns: Sequence[ChangeColumn]
    query: int
    key: int
    first: Sequence[tuple[int, float]]
    second: Sequence[tuple[int, float]]
    label: str
    rtl: bool | None = None


class ChangeMap(Block, kind="change_map", arrays=True):
    """Every head as a disc, its area the ``change`` in bits [layer, head]; a ring for its ``floor``, if there is one.

    ``top`` is what a full cell stands for; ``pins`` are numbered in their order.
    """

    digits: ClassVar[int] = 5
    change: NumberRows
    floor: NumberRows | None
    top: float
    pins: Sequence[str]
    label: str


@dataclass(frozen=True)
class MovedHead:
    """One named head: its change, its floor, each swap's change, all in bits, and the word whose row moved most."""

    name: str
    change: float
    floor: float
    swaps: Sequence[float]
    word: str


class ChangeRank(Block, kind="change_rank"):
    """The named heads, furthest beyond their floors first."""

    rows: Sequence[MovedHead]
    top: float
    label: str


class ChangePin(Block, kind="change_pin", arrays=True):
    """One head on both sides and the difference: shares [row, place], and of everything else [row].

    ``cell`` is the row and place of the largest change; ``spans`` the line below; ``brought`` says that shares are of
    what comes to a word, not of attention; ``copy`` that the second side is the scrambled copy.
    """

    head: str
    number: int
    badge: str
    rows: Sequence[str]
    keys_first: Sequence[str]
    keys_second: Sequence[str]
    keys: Sequence[str]
    first: NumberRows
    second: NumberRows
    rest_first: NumberRow
    rest_second: NumberRow
    cell: tuple[int, int]
    spans: tuple[Span, ...]
    label: str
    rtl: bool | None = None
    brought: bool | None = None
    copy: bool | None = None


class ChangeScale(Block, kind="change_scale"):
    """What the colours of the pinned heads say."""


class WordVariant(TypedDict):
    """A word in the changed place, or a sentence: its shares [row, place], the one that is told, and in per cents.

    A sentence says which ``row`` is framed, and between which words the share is.
    """

    word: str
    cells: NumberRows
    share: float
    percent: int
    row: NotRequired[int]
    at: NotRequired[str]


class ChangeVariants(Block, kind="change_variants"):
    """One head over several words in one place, or over sentences; ``row`` is framed where one names none."""

    variants: Sequence[WordVariant]
    row: int
    label: str
    rtl: bool | None = None


class ChangeWords(Block, kind="change_words"):
    """The words without a partner, and buttons to pair two by hand: ``act`` names side and number."""

    first: Sequence[tuple[str, int, str]]  # text, number, "same", "paired", "alone" or "chosen"
    second: Sequence[tuple[str, int, str]]
    rtl: bool | None = None
