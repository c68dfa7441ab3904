"""What an answer is made of: captions, small arrays, a table, formulas, charts. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mha.screens.arrays import Array
from mha.screens.blocks import say


@dataclass(frozen=True)
class Said:
    """A caption; ``key`` says which: q_found, q_note or q_none."""

    key: str
    spans: Sequence[Sequence[str]]
    style: str = "cap"


@dataclass(frozen=True)
class Arrays:
    """Small arrays in lines, with operators between them."""

    lines: tuple[Sequence[Array | str], ...]


@dataclass(frozen=True)
class Table:
    """Columns by name."""

    columns: Mapping[str, Sequence[str]]
    alt: str


@dataclass(frozen=True)
class Formula:
    """Lines of LaTeX."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Chart:
    """A figure, made for a theme when it is drawn."""

    figure: Callable[..., Any]
    alt: str


Part = Said | Arrays | Table | Formula | Chart


@dataclass(frozen=True)
class Answer:
    """The parts from top to bottom; ``right`` is the option that came true where that depends on these numbers."""

    parts: tuple[Part, ...]
    right: int | None = None


def answer(*parts: Part, right: int | None = None) -> Answer:
    """Return an answer of these parts."""
    return Answer(parts, right)


def lines(*lines: Sequence[Array | str]) -> Arrays:
    """Return small arrays, line by line."""
    return Arrays(lines)


def found(spans: Sequence[Sequence[str]]) -> Said:
    """Return what was found, as it stands first."""
    return Said("q_found", spans, "found")


def note(text: str) -> Said:
    """Return where the numbers come from, as `say` takes it."""
    return Said("q_note", say(text))


def none(text: str) -> Answer:
    """Return an answer that has nothing to show, and says why."""
    return answer(Said("q_none", say(text), "sub"))
