"""One head in two versions of a sentence, and the difference: squares whose area is the change."""

from __future__ import annotations

import math

import numpy as np

from mha.errors import InputError
from mha.figures.print import table
from mha.figures.print.marks import Lettering, Rect, Sheet, Style, width
from mha.figures.print.panels import Panel, column_names, fill, finish, frames, legend_word, row_names
from mha.maps import AttentionMaps, HeadId
from mha.theme import printed
from mha.words import right_to_left

CHANGED = "…"  # in the place of the words that differ
DRAWN_FROM = 0.02  # of all attention; a smaller change has no square
EXAMPLE = 0.5  # the change of the square in the legend
OPEN, THINNEST = 0.7, 0.4  # pt, the line of a square that is open, and of a small one


def head_in_two(first: AttentionMaps, second: AttentionMaps, head: HeadId, style: Style) -> Sheet:
    """Return the sheet of a head in both versions and of what changes.

    Raises:
        InputError: the versions do not match piece for piece, or labels would touch.
    """
    check(first, second)
    change = second[head] - first[head]
    names, titles = _names(first, second), _titles(first, second)
    both = column_names(first), column_names(second)
    columns = (*both, names[::-1] if right_to_left(first.text) else names)
    panels = [
        Panel(weights, title, tuple(labels))
        for weights, title, labels in zip((first[head], second[head], change), titles, columns, strict=True)
    ]
    sheet, where, how = frames(panels, names, style)
    fill(sheet, first, first[head], where[0], how.pitch, style)
    fill(sheet, second, second[head], where[1], how.pitch, style)
    _squares(sheet, first, change, where[2], how.pitch, style)
    below = sheet.height
    finish(sheet, legend_word(first), where[1][0] + how.pitch * first.n_keys, style)
    _legend(sheet, where[2][0], below + 8, how.pitch, style)
    return sheet


def check(first: AttentionMaps, second: AttentionMaps) -> None:
    """Raise InputError unless two versions match piece for piece."""
    if (first.units, first.measure, first.kind) != (second.units, second.measure, second.kind):
        raise InputError("Both versions of a change have to be of one measure, and both of words or both of tokens.")
    if first.weights.shape != second.weights.shape:
        raise InputError(
            f"A change needs versions with as many words of one model: {first.weights.shape} and "
            f"{second.weights.shape} do not match."
        )


def changed(first: AttentionMaps, second: AttentionMaps) -> tuple[int, ...]:
    """Return the places in which two versions have different pieces."""
    both = zip(first.tokens, second.tokens, strict=True)
    return tuple(place for place, (one, other) in enumerate(both) if one.text != other.text)


def _names(first: AttentionMaps, second: AttentionMaps) -> list[str]:
    differ = changed(first, second)
    return [CHANGED if place in differ else name for place, name in enumerate(row_names(first))]


def _titles(first: AttentionMaps, second: AttentionMaps) -> tuple[str, str, str]:
    """Return what stands over the three maps: the words that differ, where it is one."""
    differ = changed(first, second)
    if len(differ) != 1:
        return "", "", "b minus a"
    one, other = (row_names(maps)[differ[0]] for maps in (first, second))
    return one, other, "b minus a"


def _squares(
    sheet: Sheet, maps: AttentionMaps, change: np.ndarray, place: tuple[float, float], pitch: float, style: Style
) -> None:
    visible = maps.visible
    if right_to_left(maps.text):
        change, visible = change[:, ::-1], visible[:, ::-1]
    for row, column in np.argwhere(np.abs(change) >= DRAWN_FROM):
        middle = place[0] + (column + 0.5) * pitch, place[1] + (row + 0.5) * pitch
        sheet.add(_square(*middle, float(change[row, column]), pitch, style))
    sheet.add(Rect(*place, change.shape[1] * pitch, change.shape[0] * pitch, stroke=printed("rule")))
    table.stairs(sheet, visible, *place, pitch)


def _square(x: float, y: float, change: float, pitch: float, style: Style) -> Rect:
    """Return a square about a point whose area is the change; a change of 1 fills its cell."""
    side = pitch * math.sqrt(min(abs(change), 1))
    if change > 0:
        return Rect(x - side / 2, y - side / 2, side, side, style.colour(0.8))
    line = max(min(OPEN, side / 3), THINNEST)
    inner = max(side - line, line)
    return Rect(x - inner / 2, y - inner / 2, inner, inner, "", printed("ink"), line)


def _legend(sheet: Sheet, left: float, y: float, pitch: float, style: Style) -> None:
    """Draw which squares are more and which less, and one of known size; in a line of its own where room is short."""
    size, example = style.small, pitch * math.sqrt(EXAMPLE)
    sides = (5.0, 5.0, example)
    words = ("more", "less", f"{round(100 * EXAMPLE)} points")
    long = sum(side + 3 + width(word, size, style.font) for side, word in zip(sides, words, strict=True)) + 2 * 8
    if left + long > style.points - 1:
        left, y = style.points - 1 - long, sheet.height + 4
    middle = y + max(example, size) / 2
    for side, word, sign in zip(sides, words, (1, -1, -1), strict=True):
        sheet.add(_square(left + side / 2, middle, sign * (side / pitch) ** 2, pitch, style))
        sheet.add(Lettering(left + side + 3, middle + size * 0.34, word, size, printed("ink"), style.font))
        left += side + 3 + width(word, size, style.font) + 8
    sheet.height = max(sheet.height, middle + max(example, size) / 2 + 1)


def largest(first: AttentionMaps, second: AttentionMaps, head: HeadId) -> tuple[int, int] | None:
    """Return the row and column of the largest change; None where no change is drawn."""
    change = np.abs(second[head] - first[head])
    row, column = np.unravel_index(int(change.argmax()), change.shape)
    return (int(row), int(column)) if change[row, column] >= DRAWN_FROM else None
