"""A sentence with arcs from one word: one head above it, and one below; an arc is as wide as its share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mha.errors import InputError
from mha.figures.print.marks import ASCENT, DESCENT, Lettering, Line, Outline, Sheet, Style, clean, label, width
from mha.formats import listed, percent
from mha.maps import AttentionMaps, HeadId
from mha.theme import printed
from mha.words import right_to_left

DRAWN_FROM, NUMBERED_FROM = 0.05, 0.10
FULL, THINNEST = 9.0, 0.5  # pt: an arc of 100 %, and the thinnest
LARGEST = 22  # pt: the words of a short sentence
LOWEST = 12.0  # pt from the words to the lowest arc
Curve = tuple[tuple[str, tuple[float, ...]], ...]


def query_of(maps: AttentionMaps, word: str | int | None) -> int:
    """Return the place of the word that arcs leave.

    Raises:
        InputError: none is given, it is not there or more than once, or there is no sentence for arcs.
    """
    if maps.kind != "self":
        raise InputError("Arcs join words of one sentence; for attention between two texts choose the kind map.")
    maps.check_every_row()
    places = [place for place, token in enumerate(maps.tokens) if not token.special]
    if isinstance(word, int) and not isinstance(word, bool):
        if word in places:
            return word
        raise InputError(f"No word has the place {word}; words have {', '.join(map(str, places)) or 'none'}.")
    if not word:
        raise InputError('The kind arcs takes a word that they leave, such as word="it".')
    found = [place for place in places if maps.tokens[place].text.casefold() == str(word).casefold()]
    if not found and str(word).isdecimal():
        return query_of(maps, int(word))
    if len(found) != 1:
        if found:
            raise InputError(f"{word!r} occurs {len(found)} times; give its place: {listed(list(map(str, found)))}.")
        raise InputError(f"The sentence has no word {clean(str(word))[:40]!r}.")
    return found[0]


def sentence_with_arcs(maps: AttentionMaps, heads: Sequence[HeadId], query: int, style: Style) -> Sheet:
    """Return the sheet of a sentence on one line, with the arcs of one or two heads.

    Raises:
        InputError: the sentence is too long for one line.
    """
    line, size = _line(maps, style)
    ladders = [_ladder(maps, head, query, line, style) for head in heads]
    name = style.size * 1.6
    above = name + ladders[0][1]
    baseline = above + size * 0.8
    below = baseline + size * 0.32
    sheet = Sheet(style.points, below + (ladders[1][1] + name if len(heads) > 1 else 0))
    for place, middle in line.items():
        text = label(maps.tokens[place].text)
        sheet.add(Lettering(middle, baseline, text, size, printed("ink"), style.font, "middle"))
    start = line[query]
    half = width(label(maps.tokens[query].text), size, style.font) / 2
    under = baseline + size * 0.14
    sheet.add(Line(start - half, under, start + half, under, printed("ink"), max(0.5, size / 24)))
    for number, head in enumerate(heads):
        edge, up = (above, -1) if number == 0 else (below, 1)
        arcs = ladders[number][0]
        for arc in arcs:
            _draw(sheet, arc, start, edge, up, style)
        for arc in arcs:
            if arc.share >= NUMBERED_FROM:
                _number(sheet, arc, arcs, start, edge, up, style)
        foot = style.size * 0.8 if number == 0 else sheet.height - style.size * 0.3
        side = "" if len(heads) == 1 else ("above, ", "below, ")[number]
        _name(sheet, maps, head, query, foot, side, style)
    return sheet


class DrawnArc(NamedTuple):
    """An arc: where it ends, its share and height, and whether it is the largest."""

    end: float
    share: float
    height: float
    largest: bool


def _line(maps: AttentionMaps, style: Style) -> tuple[dict[int, float], float]:
    """Return the middle of each word in points, by its place among the pieces, and the size of type.

    That is as large as the width allows.
    """
    tokens = [(place, token) for place, token in enumerate(maps.tokens) if not token.special]
    wide = [width(label(token.text), 1, style.font) for _, token in tokens]
    gaps = [
        0.02 if one.segment == two.segment and one.end == two.start and two.end > two.start else 0.26
        for (_, one), (_, two) in pairwise(tokens)
    ]
    room = style.points - 2
    size = min(LARGEST, room / (sum(wide) + sum(gaps)))
    if size < style.size:
        more = "174 mm or " if style.width < 174 else ""
        raise InputError(f"At {style.width:g} mm the sentence does not fit on a line. Choose {more}a shorter sentence.")
    middles, x = {}, 1.0
    for (place, _), one, gap in zip(tokens, wide, [*gaps, 0.0], strict=True):
        middle = x + one * size / 2
        middles[place] = style.points - middle if right_to_left(maps.text) else middle
        x += (one + gap) * size
    return middles, size


def _ladder(
    maps: AttentionMaps, head: HeadId, query: int, line: Mapping[int, float], style: Style
) -> tuple[list[DrawnArc], float]:
    """Return the arcs of a head, shorter ones below longer ones, and the height that they and their numbers take."""
    row = maps[head][query]
    far = {place: abs(middle - line[query]) for place, middle in line.items()}
    ends = [place for place in line if place != query and row[place] >= DRAWN_FROM]
    most = max((float(row[place]) for place in ends), default=0)
    arcs, height = [], LOWEST
    for place in sorted(ends, key=lambda one: far[one]):
        share = float(row[place])
        height = max(height, min(far[place] * 0.22, 70)) + share * FULL / 2
        arcs.append(DrawnArc(line[place], share, height, share == most))
        height += share * FULL / 2 + (style.size * 1.9 if share >= NUMBERED_FROM else 3)
    return arcs, (height if arcs else 0) + 3


def _curve(arc: DrawnArc, start: float, edge: float, up: int) -> Curve:
    """Return two cubic Béziers from the word, over the crown, to the back of the arrow's head."""
    back, crown = edge + up * (1.5 + 1.5 * _half(arc)), edge + up * arc.height
    middle, k = (start + arc.end) / 2, 0.5523
    return (
        ("M", (start, edge + up)),
        ("C", (start, edge + k * (crown - edge), start + (middle - start) * (1 - k), crown, middle, crown)),
        ("C", (middle + (arc.end - middle) * k, crown, arc.end, crown + k * (back - crown), arc.end, back)),
    )


def _half(arc: DrawnArc) -> float:
    """Return half the width of the arrow's head."""
    return _line_of(arc) / 2 + 1.8


def _line_of(arc: DrawnArc) -> float:
    return max(THINNEST, FULL * arc.share)


def _draw(sheet: Sheet, arc: DrawnArc, start: float, edge: float, up: int, style: Style) -> None:
    """Draw an arc with the head of an arrow; ``up`` is -1 above the words, 1 below them."""
    colour, half = style.colour(0.88 if arc.largest else 0.5), _half(arc)
    tip, back = edge + up * 1.5, edge + up * (1.5 + 1.5 * half)
    sheet.add(Outline(_curve(arc, start, edge, up), "", colour, _line_of(arc)))
    head = (("M", (arc.end, tip)), ("L", (arc.end - half, back)), ("L", (arc.end + half, back)), ("Z", ()))
    sheet.add(Outline(head, colour))


def _number(
    sheet: Sheet, arc: DrawnArc, arcs: Sequence[DrawnArc], start: float, edge: float, up: int, style: Style
) -> None:
    """Write the share of an arc at its crown, moved along until no arc crosses it, where there is room."""
    text, face, line = percent(arc.share), style.strong if arc.largest else style.font, _line_of(arc)
    half = width(text, style.size, face) / 2 + 0.5
    crown = edge + up * arc.height
    y = crown + (-line / 2 - style.size * 0.28 if up < 0 else line / 2 + style.size * 0.85)
    middle = (start + arc.end) / 2
    for aside in sorted(np.arange(0, abs(arc.end - start) / 2 + half, 1), key=abs):
        for x in (middle + aside, middle - aside):
            box = (x - half, y - style.size * ASCENT, x + half, y + style.size * DESCENT * 0.2)
            if (
                box[0] >= 0
                and box[2] <= style.points
                and not any(_crosses(_curve(one, start, edge, up), _line_of(one), box) for one in arcs)
            ):
                sheet.add(Lettering(x, y, text, style.size, printed("ink"), face, "middle"))
                return


def _crosses(curve: Curve, line: float, box: tuple[float, float, float, float]) -> bool:
    """Return whether the stroke of a curve comes into a box (left, top, right, bottom)."""
    t = np.linspace(0, 1, 48)[:, None]
    last, points = np.array(curve[0][1]), []
    for _, numbers in curve[1:]:
        one, two, end = np.array(numbers).reshape(3, 2)
        points.append(last * (1 - t) ** 3 + 3 * one * t * (1 - t) ** 2 + 3 * two * t**2 * (1 - t) + end * t**3)
        last = end
    x, y = np.concatenate(points).T
    across = np.maximum(np.maximum(box[0] - x, x - box[2]), 0)
    along = np.maximum(np.maximum(box[1] - y, y - box[3]), 0)
    return bool((np.hypot(across, along) < line / 2).any())


def _name(sheet: Sheet, maps: AttentionMaps, head: HeadId, query: int, y: float, side: str, style: Style) -> None:
    """Write a head's name, and beside it its side and what has no arc: the share of special tokens and of itself."""
    row = maps[head][query]
    special = [place for place, token in enumerate(maps.tokens) if token.special]
    names = list(dict.fromkeys(label(maps.tokens[place].text) for place in special))
    own = f"{percent(float(row[query]))} on itself"
    after = width(str(head), style.size, style.strong) + style.size * 0.9
    told = [own]
    if special:
        there = percent(float(row[special].sum()))
        told = [f"{there} on {listed(names)}, {own}", f"{there} on special tokens, {own}", f"{there} special, {own}"]
    told = [side + text for text in told]
    fitting = [text for text in told if after + width(text, style.size, style.font) <= style.points]
    sheet.add(Lettering(0, y, str(head), style.size, printed("ink"), style.strong))
    if fitting:
        sheet.add(Lettering(after, y, fitting[0], style.size, printed("muted"), style.font))
