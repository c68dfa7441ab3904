"""Maps on one scale, labels of rows once: one head, two to four side by side, two versions and their change, all heads.

A change is squares whose area is what changes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mha.errors import InputError
from mha.figures.print import table
from mha.figures.print.marks import Lettering, Rect, Sheet, Style, label, width, within
from mha.maps import ATTENTION, AttentionMaps, HeadId
from mha.theme import printed
from mha.words import right_to_left

LETTERS = "abcd"
BETWEEN = 14  # pt between two maps
SHORTEST_LEGEND = 150  # pt


def heads_beside(maps: AttentionMaps, heads: Sequence[HeadId], style: Style) -> tuple[Sheet, bool]:
    """Return the sheet of one to four heads, several each under its letter and name, and whether cells have numbers.

    Those of a single head have them where there is room.
    """
    columns = column_names(maps)
    sheet, where, how = frames([(str(head), columns) for head in heads], row_names(maps), style)
    numbers = len(heads) == 1 and table.fits_numbers(how.pitch, style)
    for head, place in zip(heads, where, strict=True):
        fill(sheet, maps, maps[head], place, how.pitch, style, numbers)
    finish(sheet, legend_word(maps), where[-1][0] + how.pitch * maps.n_keys, style)
    return sheet, numbers


def frames(
    maps: Sequence[tuple[str, Sequence[str]]], rows: Sequence[str], style: Style
) -> tuple[Sheet, list[tuple[float, float]], table.Axis]:
    """Return a sheet with all labels, the upper left corner of each map on it, and how columns are labelled.

    Of each of the ``maps`` the title that follows its letter, and the labels of its columns.
    """
    widest = max(width(name, style.size, style.font) for name in rows)
    left = max(widest, width("from", style.small, style.font)) + table.GAP + 1
    several = len(maps) > 1
    head_room = style.size * 1.9 if several else 1.0
    room = (style.points - left - BETWEEN * (len(maps) - 1)) / len(maps) - 1
    each = zip(*(names for _, names in maps), strict=True)
    columns = [max(names, key=lambda name: width(name, style.size, style.font)) for names in each]
    how = table.axis(columns, room, style)
    top = max(head_room + how.above, table.corner(style))
    step = how.pitch * len(columns) + max(how.beyond, 0) + BETWEEN
    sheet = Sheet(style.points)
    where = [(left + number * step, top) for number in range(len(maps))]
    for number, ((title, names), (x, y)) in enumerate(zip(maps, where, strict=True)):
        if several:
            ink, large = printed("ink"), style.size + 1
            sheet.add(Lettering(x, large, LETTERS[number], large, ink, style.strong))
            until = where[number + 1][0] if number + 1 < len(where) else style.points
            title = within(title, until - x - large * 1.4 - 2, style.size, style.font)
            sheet.add(Lettering(x + large * 1.4, large, title, style.size, ink, style.font))
        table.column_labels(sheet, names, x, y, how, style)
    table.directions(sheet, left, top, style)
    table.row_labels(sheet, rows, left, top, how.pitch, style)
    sheet.height = top + how.pitch * len(rows)
    return sheet, where, how


def fill(
    sheet: Sheet,
    maps: AttentionMaps,
    weights: np.ndarray,
    place: tuple[float, float],
    pitch: float,
    style: Style,
    numbers: bool = False,
) -> None:
    """Draw the cells of one map at its place, and the edge of its mask."""
    visible = maps.visible
    if right_to_left(maps.text):
        weights, visible = weights[:, ::-1], visible[:, ::-1]
    table.cells(sheet, weights, *place, pitch, style, numbers)
    table.stairs(sheet, visible, *place, pitch)


def finish(sheet: Sheet, word: str, right: float, style: Style) -> None:
    """Draw the legend below what is there, and close the sheet under it."""
    right = min(max(right, SHORTEST_LEGEND), style.points - 1)
    sheet.height = table.legend(sheet, word, right, sheet.height + 8, style) + 1


def legend_word(maps: AttentionMaps) -> str:
    """Return what the scale is of."""
    return "Attention" if maps.measure == ATTENTION else "Share of the row"


def row_names(maps: AttentionMaps) -> list[str]:
    """Return the labels of rows."""
    return [label(token.text) for token in maps.tokens]


def column_names(maps: AttentionMaps) -> list[str]:
    """Return the labels of columns as they stand from left to right."""
    names = [label(token.text) for token in maps.key_tokens]
    return names[::-1] if right_to_left(maps.text) else names


STEPS = 32  # of colour: one path each
SMALLEST_MAP = 6.0  # pt


def all_heads(maps: AttentionMaps, framed: Sequence[HeadId], style: Style) -> Sheet:
    """Return the sheet of all heads, with a frame around those that are given.

    Raises:
        InputError: there is no room for so many heads.
    """
    names = [f"Layer {layer}" for layer in range(maps.n_layers)]
    left = max(width(name, style.size, style.font) for name in names) + 5
    step = min((style.points - left - 1) / maps.n_heads, 90)
    gap = min(max(step * 0.1, 1.5), 5)
    side = step - gap
    if side < SMALLEST_MAP:
        more = "174 mm" if style.width < 174 else "the kind maps"
        raise InputError(f"At {style.width:g} mm there is no room for {maps.n_heads} heads in a row. Choose {more}.")
    cell = side / max(maps.n_keys, maps.n_queries)
    wide, high = cell * maps.n_keys, cell * maps.n_queries
    top = style.size + 4
    sheet = Sheet(style.points, top + maps.n_layers * (high + gap))
    ink, size = printed("ink"), style.size
    every = _every(step, width(f"H{maps.n_heads - 1}", size, style.font) + 2)
    for head in range(0, maps.n_heads, every):
        sheet.add(Lettering(left + head * step + wide / 2, size * 0.8, f"H{head}", size, ink, style.font, "middle"))
    for layer in range(0, maps.n_layers, _every(high + gap, size * 1.1)):
        y = top + layer * (high + gap) + high / 2 + size * 0.34
        sheet.add(Lettering(left - 5, max(y, top), names[layer], size, ink, style.font, "end"))
    corners = {head: (left + head.head * step, top + head.layer * (high + gap)) for head in maps.heads}
    _cells(sheet, maps, corners, cell, style)
    for x, y in corners.values():
        sheet.add(Rect(x, y, wide, high, stroke=printed("rule")))
    for one in framed:
        x, y = corners[one]
        sheet.add(Rect(x - 1, y - 1, wide + 2, high + 2, stroke=ink, line=1.1))
    finish(sheet, legend_word(maps), left + maps.n_heads * step - gap, style)
    return sheet


def _every(pitch: float, needed: float) -> int:
    """Return how many labels go by from one that is written to the next."""
    return max(1, int(np.ceil(needed / pitch)))


def _cells(
    sheet: Sheet, maps: AttentionMaps, corners: dict[HeadId, tuple[float, float]], cell: float, style: Style
) -> None:
    """Fill the cells of all maps, one path a colour; neighbours in a row that have the same are one rectangle."""
    areas: dict[int, list[tuple[float, float, float, float]]] = {step: [] for step in range(1, STEPS + 1)}
    for head, (x, y) in corners.items():
        shares = maps[head][:, ::-1] if right_to_left(maps.text) else maps[head]
        for row, steps in enumerate(np.rint(shares * STEPS).astype(int)):
            ends = np.flatnonzero(np.diff(steps, append=-1))
            starts = np.concatenate([[0], ends[:-1] + 1])
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
                if steps[start]:
                    area = x + start * cell, y + row * cell, (end - start + 1) * cell, cell
                    areas[int(steps[start])].append(area)
    for step, rectangles in areas.items():
        sheet.area(rectangles, style.colour(step / STEPS))


CHANGED = "…"  # in the place of the words that differ
CHANGE_FROM = 0.02  # of all attention; a smaller change has no square
EXAMPLE = 0.5  # the change of the square in the legend
OPEN, THINNEST = 0.7, 0.4  # pt, the line of a square that is open, and of a small one


def head_in_two(first: AttentionMaps, second: AttentionMaps, head: HeadId, style: Style) -> Sheet:
    """Return the sheet of a head in both versions and of what changes.

    Raises:
        InputError: the versions do not match piece for piece, or labels would touch.
    """
    check_versions(first, second)
    change = second[head] - first[head]
    names = _names(first, second)
    columns = column_names(first), column_names(second), names[::-1] if right_to_left(first.text) else names
    sheet, where, how = frames(list(zip(_titles(first, second), columns, strict=True)), names, style)
    fill(sheet, first, first[head], where[0], how.pitch, style)
    fill(sheet, second, second[head], where[1], how.pitch, style)
    _squares(sheet, first, change, where[2], how.pitch, style)
    below = sheet.height
    finish(sheet, legend_word(first), where[1][0] + how.pitch * first.n_keys, style)
    _legend(sheet, where[2][0], below + 8, how.pitch, style)
    return sheet


def check_versions(first: AttentionMaps, second: AttentionMaps) -> None:
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
    for row, column in np.argwhere(np.abs(change) >= CHANGE_FROM):
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


def largest_change(first: AttentionMaps, second: AttentionMaps, head: HeadId) -> tuple[int, int] | None:
    """Return the row and column of the largest change; None where no change is drawn."""
    change = np.abs(second[head] - first[head])
    row, column = np.unravel_index(int(change.argmax()), change.shape)
    return (int(row), int(column)) if change[row, column] >= CHANGE_FROM else None
