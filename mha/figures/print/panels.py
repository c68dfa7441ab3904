"""One head, two to four side by side, or all heads of a model: maps on one scale, labels of rows once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mha.brief import with_arrays
from mha.errors import InputError
from mha.figures.print import table
from mha.figures.print.marks import Lettering, Rect, Sheet, Style, label, width, within
from mha.maps import ATTENTION, AttentionMaps, HeadId
from mha.theme import printed
from mha.words import right_to_left

LETTERS = "abcd"
BETWEEN = 14  # pt between two maps
SHORTEST_LEGEND = 150  # pt


@with_arrays
class Panel:
    """One map of several: weights [query, key], the title that follows its letter, and the labels of columns."""

    weights: np.ndarray
    title: str
    columns: tuple[str, ...]


def heads_beside(maps: AttentionMaps, heads: Sequence[HeadId], style: Style) -> tuple[Sheet, bool]:
    """Return the sheet of one to four heads, several each under its letter and name, and whether cells have numbers.

    Those of a single head have them where there is room.
    """
    columns = tuple(column_names(maps))
    panels = [Panel(maps[head], str(head), columns) for head in heads]
    sheet, where, how = frames(panels, row_names(maps), style)
    numbers = len(heads) == 1 and table.fits_numbers(how.pitch, style)
    for panel, place in zip(panels, where, strict=True):
        fill(sheet, maps, panel.weights, place, how.pitch, style, numbers)
    finish(sheet, legend_word(maps), where[-1][0] + how.pitch * maps.n_keys, style)
    return sheet, numbers


def frames(
    panels: Sequence[Panel], rows: Sequence[str], style: Style
) -> tuple[Sheet, list[tuple[float, float]], table.Axis]:
    """Return a sheet with all labels, the upper left corner of each map on it, and how columns are labelled."""
    widest = max(width(name, style.size, style.font) for name in rows)
    left = max(widest, width("from", style.small, style.font)) + table.GAP + 1
    several = len(panels) > 1
    head_room = style.size * 1.9 if several else 1.0
    room = (style.points - left - BETWEEN * (len(panels) - 1)) / len(panels) - 1
    each = zip(*(panel.columns for panel in panels), strict=True)
    columns = [max(names, key=lambda name: width(name, style.size, style.font)) for names in each]
    how = table.axis(columns, room, style)
    top, step = head_room + how.above, how.pitch * len(columns) + max(how.beyond, 0) + BETWEEN
    sheet = Sheet(style.points)
    where = [(left + number * step, top) for number in range(len(panels))]
    for number, (panel, (x, y)) in enumerate(zip(panels, where, strict=True)):
        if several:
            ink, large = printed("ink"), style.size + 1
            sheet.add(Lettering(x, large, LETTERS[number], large, ink, style.strong))
            until = where[number + 1][0] if number + 1 < len(where) else style.points
            title = within(panel.title, until - x - large * 1.4 - 2, style.size, style.font)
            sheet.add(Lettering(x + large * 1.4, large, title, style.size, ink, style.font))
        table.column_labels(sheet, panel.columns, x, y, how, style)
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
