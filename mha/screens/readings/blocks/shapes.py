"""What the blocks of this page have in common. Arrays are [layer, head] unless said otherwise.

A name that travels as "from" is ``from_`` here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal, dataclass_transform

from mha.brief import brief
from mha.screens.blocks import Span

Spans = tuple[Span, ...]
Range = tuple[float, float]
MARKS_KEY: Final = "marks_key"
LEAN_LEGEND: Final = "lean_legend"
CARRIED_LEGEND: Final = "carried_legend"
EFFECT_KEY: Final = "effect_key"


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
class Drawn:
    """A block with its ``kind``; every class below it is a frozen dataclass, compared by identity, shown in short."""

    kind: ClassVar[str]
    __repr__ = brief

    def __init_subclass__(cls, kind: str = "") -> None:
        if kind:
            cls.kind = kind
        dataclass(frozen=True, eq=False, repr=False)(cls)


class LabelledPicture(Drawn):
    """A picture; ``label`` is its text alternative."""

    label: str = field(kw_only=True)


class PlacedPicture(LabelledPicture):
    """A picture of the sentence: where the pivot and the partners of both readings stand on its axis."""

    pivot: int = field(kw_only=True)
    a: tuple[int, ...] = field(kw_only=True)
    b: tuple[int, ...] = field(kw_only=True)


@dataclass(frozen=True)
class Legend:
    """One of the legends, which are the same for every sentence."""

    kind: Literal["marks_key", "lean_legend", "carried_legend", "effect_key"]
