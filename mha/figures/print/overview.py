"""All heads of a model on one sheet: layers from top to bottom, heads from left to right, on one scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mha.errors import InputError
from mha.figures.print import panels
from mha.figures.print.marks import Lettering, Rect, Sheet
from mha.figures.print.metrics import width
from mha.figures.print.style import Style
from mha.maps import AttentionMaps, HeadId
from mha.theme import printed
from mha.words import right_to_left

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
    panels.finish(sheet, panels.legend_word(maps), left + maps.n_heads * step - gap, style)
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
