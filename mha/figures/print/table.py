"""One attention map on a sheet: cells, frame, and labels that do not touch each other, level, slanted or upright."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.errors import InputError
from mha.figures.print.marks import ASCENT, Lettering, Line, Rect, Sheet, Style, width
from mha.formats import whole_percent
from mha.theme import printed

SHOWN_FROM = 0.10  # a cell has its number from this share on
LARGEST_CELL = 40  # pt: a sentence of three words does not fill a page
GAP = 3  # pt between a label and what it names
SLANTED, UPRIGHT = 1.12, 1.1  # the least pitch of labels, across their direction, in type sizes
ROOT = math.sqrt(0.5)


@dataclass(frozen=True)
class Axis:
    """How the columns of maps are labelled: the pitch in points, the turn of labels in degrees, and what they take.

    ``above`` is their height over the frame, ``beyond`` how far the labels reach over the right edge.
    """

    pitch: float
    turn: int
    above: float
    beyond: float


def axis(names: Sequence[str], room: float, style: Style) -> Axis:
    """Return the columns that fit into ``room`` points, labels' overhang included.

    Raises:
        InputError: every label would touch the next one; the message says what to choose.
    """
    widest, size = max(width(name, style.size, style.font) for name in names), style.size
    count = len(names)
    level = min(room / count, LARGEST_CELL)
    if widest <= level - 2 and level >= UPRIGHT * size:
        return Axis(level, 0, size * 1.0 + GAP, 0)
    pitch = min(_slanted_pitch(names, room, style), LARGEST_CELL)
    if pitch * ROOT >= SLANTED * size:
        above = (widest + size * ASCENT) * ROOT + GAP
        return Axis(pitch, 45, above, _overhang(names, pitch, style))
    if level >= UPRIGHT * size:
        return Axis(level, 90, widest + GAP, 0)
    raise InputError(f"At {style.width:g} mm and {size:g} pt the labels of {count} words would touch. {_else(style)}")


def _else(style: Style) -> str:
    ways = (["174 mm"] if style.width < 174 else []) + (["6 pt"] if style.size > 6 else [])
    return f"Choose {' or '.join(ways)}." if ways else "Choose a shorter sentence, or the kind grid."


def _reach(name: str, style: Style) -> float:
    """Return how far a slanted label reaches to the right of its cell's centre."""
    return (width(name, style.size, style.font) + style.size * 0.5) * ROOT


def _slanted_pitch(names: Sequence[str], room: float, style: Style) -> float:
    count = len(names)
    return min([room / count, *((room - _reach(name, style)) / (place + 0.5) for place, name in enumerate(names))])


def _overhang(names: Sequence[str], pitch: float, style: Style) -> float:
    edge = pitch * len(names)
    return max(0, *((place + 0.5) * pitch + _reach(name, style) - edge for place, name in enumerate(names)))


def column_labels(sheet: Sheet, names: Sequence[str], x: float, y: float, how: Axis, style: Style) -> None:
    """Write the labels of columns above the line ``y``."""
    for place, name in enumerate(names):
        middle = x + (place + 0.5) * how.pitch
        ink, third = printed("ink"), style.size * 0.34
        if how.turn == 0:
            sheet.add(Lettering(middle, y - GAP - style.size * 0.2, name, style.size, ink, style.font, "middle"))
        elif how.turn == 45:
            sheet.add(Lettering(middle + third * ROOT, y - GAP, name, style.size, ink, style.font, turn=45))
        else:
            sheet.add(Lettering(middle + third, y - GAP, name, style.size, ink, style.font, turn=90))


LEADING = 1.15  # from "to" to the "from" below it, in type sizes


def corner(style: Style) -> float:
    """Return what `directions` takes above the frame: beside level labels "from" alone would name the columns."""
    return GAP + style.small * (LEADING + ASCENT) + 1


def directions(sheet: Sheet, x: float, y: float, style: Style) -> None:
    """Write in the corner before ``x`` and above ``y`` that rows look from a word, and columns say at which."""
    ink = printed("muted")
    for text, line in (("from", y - GAP), ("to", y - GAP - style.small * LEADING)):
        sheet.add(Lettering(x - GAP, line, text, style.small, ink, style.font, "end"))


def row_labels(sheet: Sheet, names: Sequence[str], x: float, y: float, pitch: float, style: Style) -> None:
    """Write the labels of rows, right-aligned before ``x``."""
    for place, name in enumerate(names):
        line = y + (place + 0.5) * pitch + style.size * 0.34
        sheet.add(Lettering(x - GAP, line, name, style.size, printed("ink"), style.font, "end"))


def cells(
    sheet: Sheet, weights: np.ndarray, x: float, y: float, pitch: float, style: Style, numbers: bool = False
) -> None:
    """Draw weights [query, key] as squares, with their whole per cents from 10 % on, and the frame around them."""
    n_queries, n_keys = weights.shape
    for (row, column), share in np.ndenumerate(weights):
        colour = style.colour(share)
        if colour != printed("paper"):
            sheet.add(Rect(x + column * pitch, y + row * pitch, pitch, pitch, colour))
    for row, column in np.argwhere(weights >= SHOWN_FROM) if numbers else ():
        share = float(weights[row, column])
        at = x + (column + 0.5) * pitch, y + (row + 0.5) * pitch + style.small * 0.34
        sheet.add(Lettering(*at, str(whole_percent(share)), style.small, style.on(share), style.font, "middle"))
    sheet.add(Rect(x, y, n_keys * pitch, n_queries * pitch, stroke=printed("rule")))


def fits_numbers(pitch: float, style: Style) -> bool:
    """Return whether a cell has room for the number 100."""
    return pitch >= max(width("100", style.small, style.font) + 1, 1.1 * style.small)


def stairs(sheet: Sheet, visible: np.ndarray, x: float, y: float, pitch: float) -> None:
    """Draw the edge between what rows may look at and what a mask hides; ``visible`` is bool [query, key]."""
    for row, column in np.argwhere(visible[:, 1:] != visible[:, :-1]):
        edge = x + (column + 1) * pitch
        sheet.add(Line(edge, y + row * pitch, edge, y + (row + 1) * pitch, printed("rule")))
    for row, column in np.argwhere(visible[1:] != visible[:-1]):
        edge = y + (row + 1) * pitch
        sheet.add(Line(x + column * pitch, edge, x + (column + 1) * pitch, edge, printed("rule")))


def legend(sheet: Sheet, word: str, right: float, y: float, style: Style) -> float:
    """Draw the scale from 0 to 100 % up to ``right``; return the line below it."""
    size, ink = style.small, printed("ink")
    half, beyond = width("100", size, style.font) / 2, width("\u00a0%", size, style.font)
    bar = min(88.0, right - width(word, size, style.font) - half - beyond - 8)
    left, high, steps = right - bar - half - beyond, 6.0, 20
    for step in range(steps):
        share = (step + 0.5) / steps
        sheet.add(Rect(left + step * bar / steps, y, bar / steps, high, style.colour(share)))
    sheet.add(Rect(left, y, bar, high, stroke=printed("rule")))
    sheet.add(Lettering(left - 5, y + high / 2 + size * 0.34, word, size, ink, style.font, "end"))
    below = y + high + 2
    for share, text in ((0, "0"), (0.5, "50"), (1, "100")):
        sheet.add(Line(left + share * bar, y + high, left + share * bar, below, printed("rule")))
        sheet.add(Lettering(left + share * bar, below + size * 0.8, text, size, ink, style.font, "middle"))
    sheet.add(Lettering(left + bar + half, below + size * 0.8, "\u00a0%", size, ink, style.font))
    return below + size * 1.05
