"""What heads carry of a change: a dot for each head, beside what three weak heads of its layer carry together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.errors import InputError
from mha.figures.print.marks import AnyMark, Lettering, Line, Rect, Sheet, Style, circle, width
from mha.formats import whole_percent
from mha.intervention.outcomes import Patch
from mha.maps import HeadId
from mha.theme import printed

MOST, MOST_LINES = 10, 6  # heads, and lines of the scale
TITLES = ("Carried share of the score change", "Carried share")  # the second where room is short
STEPS = tuple(factor * 10.0**power for power in range(-2, 5) for factor in (1, 2, 5))  # between lines of the scale
DOT, BAND = 2.1, 5.0  # pt: the radius of a dot, the height of a band
BETWEEN = 8  # pt between two entries of the legend


@dataclass(frozen=True)
class Carries:
    """One head: its share, and the lowest, middle and highest share of its controls; NaN where there are none."""

    head: HeadId
    share: float
    low: float
    middle: float
    high: float

    @property
    def beyond(self) -> bool:
        """Whether its share lies outside all that its controls carry."""
        return self.share > self.high or self.share < self.low


def carrying(patch: Patch) -> list[Carries]:
    """Return the heads with the largest shares, by size; those of the layer that is read are left out.

    Raises:
        InputError: the versions are too close to share out what lies between them, or no head can act.
    """
    if patch.too_close:
        raise InputError("The two versions differ too little to say what each head carries. Choose another word.")
    acting = np.where(patch.direct, np.nan, patch.carried)
    places = [HeadId(int(layer), int(head)) for layer, head in np.argwhere(np.isfinite(acting))]
    if not places:
        raise InputError("The score is read after the first layer, so no head carries it from before. No figure.")
    places.sort(key=lambda head: -abs(float(acting[head])))
    found = []
    for head in places[:MOST]:
        draws = patch.control[head.layer]
        none = not np.isfinite(draws).all()
        low, middle, high = (math.nan,) * 3 if none else (draws.min(), np.median(draws), draws.max())
        found.append(Carries(head, float(acting[head]), float(low), float(middle), float(high)))
    return found


def shares_of_heads(heads: Sequence[Carries], style: Style) -> Sheet:
    """Return the sheet: a row for each head, a scale below, and what the marks mean."""
    size, ink = style.size, printed("ink")
    names = max(width(str(one.head), size, style.strong) for one in heads)
    numbers = [f"{whole_percent(one.share)}\u00a0%".replace("-", "−") for one in heads]
    left, right = names + 8, style.points - 1 - max(width(one, size, style.strong) for one in numbers) - 6
    ticks = _ticks(heads, right - left, style)
    low, high = ticks[0], ticks[-1]

    def x(share: float) -> float:
        return left + (share - low) / (high - low) * (right - left)

    sheet, pitch, top = Sheet(style.points), 1.9 * size, 2.0 * size
    bottom = top + pitch * len(heads)
    title = next((one for one in TITLES if left + width(one, size, style.font) < style.points), TITLES[-1])
    sheet.add(Lettering(left, size, title, size, ink, style.font))
    for tick in ticks:
        sheet.add(Line(x(tick), top, x(tick), bottom + 2, ink if tick == 0 else printed("grey")[2]))
        said = _said(tick)
        sheet.add(Lettering(x(tick), bottom + 2 + size, said, size, ink, style.font, "middle"))
        if tick == high:
            beside = x(tick) + width(said, size, style.font) / 2
            sheet.add(Lettering(beside, bottom + 2 + size, "\u00a0%", size, ink, style.font))
    for place, (one, number) in enumerate(zip(heads, numbers, strict=True)):
        y, face = top + (place + 0.5) * pitch, style.strong if one.beyond else style.font
        if not math.isnan(one.low):
            sheet.add(Rect(x(one.low), y - BAND / 2, x(one.high) - x(one.low), BAND, printed("band")))
            sheet.add(Line(x(one.middle), y - BAND / 2, x(one.middle), y + BAND / 2, printed("rule")))
        sheet.add(_dot(x(one.share), y, one.beyond))
        sheet.add(Lettering(left - 8, y + size * 0.34, str(one.head), size, ink, face, "end"))
        sheet.add(Lettering(style.points - 1, y + size * 0.34, number, size, ink, face, "end"))
    sheet.height = bottom + 2 + size * 1.3
    _legend(sheet, any(not math.isnan(one.low) for one in heads), style)
    return sheet


def _dot(x: float, y: float, full: bool) -> AnyMark:
    ink = printed("ink")
    return circle(x, y, DOT, ink, ink, 0.7) if full else circle(x, y, DOT, printed("paper"), ink, 0.7)


def _said(share: float) -> str:
    return f"{round(100 * share)}".replace("-", "−")


def _ticks(heads: Sequence[Carries], room: float, style: Style) -> list[float]:
    """Return the lines of the scale: they hold every dot and band, and their numbers have room."""
    ends = [0.0, *(end for one in heads for end in (one.share, one.low, one.high) if not math.isnan(end))]
    for step in STEPS:
        first, last = math.floor(min(ends) / step), max(math.ceil(max(ends) / step), 1)
        count, longest = last - first + 1, max(_said(first * step), _said(last * step), key=len)
        if count <= MOST_LINES and count * (width(longest, style.size, style.font) + 6) <= room:
            break
    return [number * step for number in range(first, last + 1)]


def _legend(sheet: Sheet, controls: bool, style: Style) -> None:
    """Write what the marks mean, in as many lines as it takes."""
    size, ink, x = style.small, printed("ink"), 0.0
    entries = [("beyond control", 6.0), ("within", 6.0), ("control: three heads", 16.0)] if controls else []
    y = sheet.height + size * 1.6
    for number, (word, mark) in enumerate(entries):
        wide = mark + 3 + width(word, size, style.font)
        if x and x + wide > style.points - 1:
            x, y = 0.0, y + 1.6 * size
        middle = y - size * 0.34
        if number < 2:
            sheet.add(_dot(x + mark / 2, middle, number == 0))
        else:
            sheet.add(Rect(x, middle - BAND / 2, mark, BAND, printed("band")))
            sheet.add(Line(x + mark / 2, middle - BAND / 2, x + mark / 2, middle + BAND / 2, printed("rule")))
        sheet.add(Lettering(x + mark + 3, y, word, size, ink, style.font))
        x += wide + BETWEEN
        sheet.height = y + size * 0.5
