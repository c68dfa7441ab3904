"""Print figures by matplotlib, an optional extra: maps, all heads, arcs, changes and bars as SVG, PDF and PNG.

Coordinates are points, x to the right and y down. matplotlib loads with the first figure and without pyplot; one lock
guards its global settings.
"""

from __future__ import annotations

import base64
import io
import threading
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from mha.assets import ASSETS
from mha.errors import InputError
from mha.formats import clean, cut, percent, whole_percent
from mha.intervention.outcomes import Patch
from mha.maps import ATTENTION, AttentionMaps, HeadId
from mha.theme import printed
from mha.words import right_to_left

POINTS_PER_MM = 72 / 25.4
WIDTHS = {"single": 84.0, "double": 174.0}  # mm: one or two columns of a paper
NARROWEST, WIDEST, TALLEST = 40, 250, 225  # mm; 225 and a caption fit on an A4 page
FONTS, SIZES, RAMPS = ("sans", "serif"), (6, 7, 8, 9), ("blue", "yellow", "grey")
ENDINGS, LEAST_DPI, MOST_DPI, NOTEBOOK_DPI = ("svg", "pdf", "png"), 72, 1200, 192
NUMBERED_FROM, ARC_FROM, CHANGE_FROM = 0.10, 0.05, 0.02  # the least share with a number, an arc, a square
COLOURS = 50  # steps of 2 %: equal neighbours become one rectangle, which keeps files small
GAP, BETWEEN, LARGEST_CELL, SMALLEST_MAP, ROOT = 3.0, 14.0, 40.0, 6.0, 0.5**0.5
CHANGED = "…"  # the label of words that differ between two versions
LOCK = threading.Lock()
FACES = (("sans", "sans", 400), ("bold", "sans", 700), ("serif", "serif", 400), ("serif", "serif", 700))
TABLE = str.maketrans("-", "−")
Box = tuple[float, float, float, float]  # x, y, width, height


@dataclass(eq=False)
class Canvas:
    """A matplotlib figure with one pair of axes in points; ``notes`` are caption sentences about the drawn marks."""

    ax: Any
    width: float
    size: float
    ramp: Any
    top: float = 0
    bottom: float = 0
    notes: str = ""
    unwritable: str = ""

    @property
    def mm(self) -> str:
        """The width in millimetres as part of a sentence."""
        return f"{self.width / POINTS_PER_MM:g} mm"

    def measure(self, *texts: str, size: float | None = None) -> float:
        """Return the width of the widest text in points, with a margin of two thin strokes."""
        from matplotlib.textpath import TextPath

        paths = (TextPath((0, 0), f"|{text}|", size=size or self.size) for text in texts)
        return max(path.get_extents().width for path in paths)

    def draw_boxes(self, boxes: Iterable[Box], **paint: Any) -> None:
        """Draw rectangles of one colour as one path."""
        from matplotlib import patches, path

        corners = [((x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)) for x, y, w, h in boxes]
        outline = path.Path(np.reshape(corners, (-1, 2)), [1, 2, 2, 2, 79] * len(corners))
        paint = {"fc": "none", "lw": 0.5 if "ec" in paint else 0, "snap": True, "joinstyle": "miter"} | paint
        self.ax.add_patch(patches.PathPatch(outline, **paint))


@contextmanager
def settings(font: str = "sans", size: float = 7, fonttype: str = "path") -> Iterator[None]:
    """Hold matplotlib's settings for print and the lock that guards them.

    Raises:
        InputError: matplotlib is missing.
    """
    try:
        import matplotlib
        from matplotlib import font_manager
    except ModuleNotFoundError as error:
        raise InputError("Print figures need matplotlib: pip install 'mha-parallax[figures]'.") from error
    values: Any = {
        "font.family": [f"Parallax {font}", f"DejaVu {font.title()}", "DejaVu Sans"], "font.size": size,
        "text.color": printed("ink"), "text.parse_math": False, "text.usetex": False, "text.hinting": "no_hinting",
        "svg.hashsalt": "parallax", "svg.fonttype": fonttype, "pdf.fonttype": 42, "savefig.bbox": None,
        "lines.solid_capstyle": "butt",
    }  # fmt: skip
    with LOCK, matplotlib.rc_context(values), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # an SVG has such a letter as text
        if "Parallax sans" not in font_manager.fontManager.get_font_names():
            font_manager.fontManager.ttflist += [
                font_manager.FontEntry(
                    str(ASSETS / "fonts" / f"print-{face}.ttf"), name=f"Parallax {name}", weight=weight
                )
                for face, name, weight in FACES
            ]
        yield


@contextmanager
def open_canvas(width: float | str, font: str = "sans", size: float = 7, colours: str = "blue") -> Iterator[Canvas]:
    """Yield an empty canvas of a width in mm, "single" or "double"; drawing sets its top and bottom.

    Raises:
        InputError: a choice is not available, or matplotlib is missing.
    """
    mm = WIDTHS.get(width, width) if isinstance(width, str) else width
    if isinstance(mm, bool) or not isinstance(mm, Real) or not NARROWEST <= float(mm) <= WIDEST:
        raise InputError(f"A width is “single”, “double” or a number from {NARROWEST} to {WIDEST} mm; this is {mm!r}.")
    for name, value, choices in (("font", font, FONTS), ("size", size, SIZES), ("colours", colours, RAMPS)):
        if value not in choices:
            raise InputError(f"{name} is one of {', '.join(map(str, choices))}; this is {value!r}.")
    with settings(font, size):
        from matplotlib import colors, figure, font_manager

        ramp = colors.LinearSegmentedColormap.from_list(colours, printed(colours))
        ax = figure.Figure(dpi=72).add_axes((0, 0, 1, 1), autoscale_on=False)
        canvas = Canvas(ax, float(mm) * POINTS_PER_MM, size, ramp)
        yield canvas
        ax.figure.set_size_inches(canvas.width / 72, (canvas.bottom - canvas.top) / 72)
        ax.set(xlim=(0, canvas.width), ylim=(canvas.bottom, canvas.top))
        ax.axis("off")
        fonts = [font_manager.findfont(family) for family in font_manager.FontProperties().get_family()]
        letters = {code for font in fonts for code in font_manager.get_font(font).get_charmap()}
        texts = "".join(text.get_text() for text in ax.texts)
        canvas.unwritable = "".join(letter for letter in texts if ord(letter) not in letters)


@dataclass(frozen=True, eq=False)
class PaperFigure:
    """A print figure with its title, caption, provenance and a BibTeX entry; a notebook shows it as SVG or PNG."""

    canvas: Canvas
    title: str
    caption: str
    provenance: str
    bibtex: str

    def __repr__(self) -> str:
        return f"PaperFigure({self.size_mm[0]:g} × {self.size_mm[1]:g} mm): {self.caption}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        forms = {"image/svg+xml": self.svg(), "text/plain": self.caption}
        if "png" in self.endings:
            forms["image/png"] = base64.b64encode(self.file("png", NOTEBOOK_DPI)).decode("ascii")
        return forms

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height in millimetres, to a tenth."""
        height = self.canvas.bottom - self.canvas.top
        return round(self.canvas.width / POINTS_PER_MM, 1), round(float(height) / POINTS_PER_MM, 1)

    @property
    def endings(self) -> tuple[str, ...]:
        """The endings of its files: SVG alone if the embedded fonts lack a letter."""
        return ENDINGS[:1] if self.canvas.unwritable else ENDINGS

    def svg(self) -> str:
        """Return the text of an SVG file: letters are outlines, or text if the embedded fonts lack one of them."""
        return self.file("svg").decode("utf-8")

    def file(self, ending: str, dpi: int = 300) -> bytes:
        """Return the bytes of an SVG, PDF or PNG file; ``dpi`` from 72 to 1200 applies to PNG.

        Raises:
            InputError: the ending or the number of dots is not available, or the embedded fonts lack a letter.
        """
        if ending not in ENDINGS:
            raise InputError(f"A figure is saved as .svg, .pdf or .png; this is .{ending[:20]}.")
        if isinstance(dpi, bool) or not isinstance(dpi, int | np.integer) or not LEAST_DPI <= dpi <= MOST_DPI:
            raise InputError(f"A PNG has {LEAST_DPI} to {MOST_DPI} dots per inch; this is {dpi!r}.")
        if ending not in self.endings:
            letter = self.canvas.unwritable[0]
            raise InputError(f"The fonts of print figures have no {letter!r}. Save the figure as SVG.")
        metadata: dict[str, Any] = {"Title": self.title, "Description": self.caption, "Keywords": self.provenance}
        if ending == "svg":
            metadata |= {"Keywords": [self.provenance], "Date": None}  # no date, so that equal numbers make equal files
        elif ending == "pdf":
            metadata |= {"Subject": metadata.pop("Description"), "CreationDate": None}
        buffer = io.BytesIO()
        with settings(fonttype="none" if self.canvas.unwritable else "path"):
            self.canvas.ax.figure.savefig(buffer, format=ending, dpi=int(dpi), metadata=metadata, facecolor="white")
        return buffer.getvalue()

    def save(self, path: str | PathLike[str], dpi: int = 300) -> Path:
        """Write a file by its ending .svg, .pdf or .png and return its path; raises as `file`."""
        path = Path(path)
        path.write_bytes(self.file(path.suffix.lower().removeprefix("."), dpi))
        return path


def label(text: str) -> str:
    """Return a word as a label: composed characters, printable, at most 18 of them."""
    return cut(clean(unicodedata.normalize("NFC", text))) or " "


def draw_maps(
    canvas: Canvas, maps: AttentionMaps, heads: Sequence[HeadId], second: AttentionMaps | None = None
) -> None:
    """Draw one to four heads, or one in two versions and the change, with one scale and the labels of rows once.

    Raises:
        InputError: labels would touch at this width.
    """
    ax, size, small, rule = canvas.ax, canvas.size, max(6, canvas.size - 1), printed("rule")
    rows, columns = ([label(token.text) for token in tokens] for tokens in (maps.tokens, maps.key_tokens))
    panels = [(str(head), columns, maps[head]) for head in heads]
    if second is not None:
        changes, others = changed(maps, second), [label(token.text) for token in second.tokens]
        titles = [" ".join(names[place] for place in changes) for names in (rows, others)]
        rows = [CHANGED if place in changes else name for place, name in enumerate(rows)]
        panels = [(titles[0], columns, maps[heads[0]]), (titles[1], others, second[heads[0]])]
        panels.append(("b minus a", rows, second[heads[0]] - maps[heads[0]]))
    left, count = canvas.measure("from", *rows) + GAP, len(panels)
    room = (canvas.width - left - BETWEEN * (count - 1)) / count - 1
    pitch, turn, top, step = place_columns(canvas, [labels for _, labels, _ in panels], room)
    top = max(top + (2 * size if count > 1 else 0), GAP + 2 * small)
    wide, high = pitch * len(columns), pitch * len(rows)
    for y, text in ((top - GAP, "from"), (top - GAP - 1.15 * small, "to")):
        ax.text(left - GAP, y, text, size=small, color=printed("muted"), ha="right")
    for row, name in enumerate(rows):
        ax.text(left - GAP, top + (row + 0.5) * pitch + size * 0.34, name, ha="right")
    for number, (title, labels, values) in enumerate(panels):
        x = left + number * (step + BETWEEN)
        if count > 1:
            ax.text(x, size + 1, "abcd"[number], size=size + 1, weight=700)
            if canvas.measure(title) < step - 2 * size:  # a title without room disappears
                ax.text(x + 1.6 * size, size + 1, title)
        for column, name in enumerate(labels):
            middle, align = x + (column + 0.5) * pitch, "left" if turn else "center"
            middle += {0: 0.0, 45: 0.24, 90: 0.34}[turn] * size
            ax.text(middle, top - GAP, name, ha=align, rotation=turn, rotation_mode="anchor")
        if second is not None and number == 2:
            draw_squares(canvas, values, x, top, pitch)
        else:
            fill_cells(canvas, [(values, x, top)], pitch, pitch)
        canvas.draw_boxes([(x, top, wide, high)], ec=rule, lw=0.5)
        for row, column in np.argwhere(np.diff(maps.visible, axis=1)):  # the edge of the mask
            ax.vlines(x + (column + 1) * pitch, top + row * pitch, top + (row + 1) * pitch, rule, lw=0.5)
        for row, column in np.argwhere(np.diff(maps.visible, axis=0)):
            ax.hlines(top + (row + 1) * pitch, x + column * pitch, x + (column + 1) * pitch, rule, lw=0.5)
    if count == 1 and pitch > max(canvas.measure("100", size=small), 1.1 * small):
        for row, column in np.argwhere(panels[0][2] >= NUMBERED_FROM):
            share, y = float(panels[0][2][row, column]), top + (row + 0.5) * pitch + small * 0.34
            light = np.dot((0.2126, 0.7152, 0.0722), np.power(canvas.ramp(share)[:3], 2.2))
            ink, text = printed("paper" if light < 0.18 else "ink"), str(whole_percent(share))
            ax.text(left + (column + 0.5) * pitch, y, text, size=small, color=ink, ha="center")
            canvas.notes = f"Numbers are per cent, from {percent(NUMBERED_FROM)}."
    draw_scale(canvas, maps, left + (count - 1 - (second is not None)) * (step + BETWEEN) + wide, top + high + 8)


def changed(first: AttentionMaps, second: AttentionMaps) -> list[int]:
    """Return the positions in which two versions have different tokens.

    Raises:
        InputError: the versions do not match token by token.
    """
    shapes = [(maps.units, maps.measure, maps.kind, *maps.weights.shape) for maps in (first, second)]
    if shapes[0] != shapes[1]:
        raise InputError(
            "A change needs two versions with as many words, of one model and one measure, both of words or both of "
            f"tokens; these differ: {shapes[0]} and {shapes[1]}."
        )
    return [n for n, pair in enumerate(zip(first.tokens, second.tokens, strict=True)) if pair[0].text != pair[1].text]


def place_columns(canvas: Canvas, labels: Sequence[Sequence[str]], room: float) -> tuple[float, int, float, float]:
    """Return pitch, turn in degrees, height of labels and width of a panel: labels are level, slanted or upright.

    Raises:
        InputError: upright labels would touch.
    """
    widths, size = [canvas.measure(*names) for names in zip(*labels, strict=True)], canvas.size
    level, count = min(room / len(widths), LARGEST_CELL), len(widths)
    reaches = [(width + 0.5 * size) * ROOT for width in widths]
    slanted = min(level, *((room - reach) / (column + 0.5) for column, reach in enumerate(reaches)))
    if max(widths) <= level and level >= 1.1 * size:
        return level, 0, size + GAP, level * count
    if slanted * ROOT >= 1.12 * size:
        ends = [(column + 0.5) * slanted + reach for column, reach in enumerate(reaches)]
        return slanted, 45, (max(widths) + size) * ROOT + GAP, max(*ends, slanted * count)
    if level < 1.1 * size:
        choices = ["174 mm"] * (canvas.width < 490) + ["6 pt"] * (size > 6) or ["a shorter sentence"]
        place = f"At {canvas.mm} and {size:g} pt"
        raise InputError(f"{place} the labels of {count} words would touch. Choose {' or '.join(choices)}.")
    return level, 90, max(widths) + GAP, level * count


def fill_cells(canvas: Canvas, maps: Iterable[tuple[np.ndarray, float, float]], width: float, height: float) -> None:
    """Fill the cells of maps [query, key] at their corners, one path a colour."""
    boxes: dict[int, list[Box]] = {}
    for values, x, y in maps:
        steps = np.rint(values * COLOURS).astype(int)
        for row, column in np.argwhere(np.diff(steps, axis=1, prepend=-1)):
            run = np.append(steps[row, column:], -1)
            box = x + column * width, y + row * height, int((run != run[0]).argmax()) * width, height
            boxes.setdefault(int(run[0]), []).append(box)
    for step in sorted(boxes.keys() - {0}):
        canvas.draw_boxes(boxes[step], fc=canvas.ramp(step / COLOURS))


def draw_squares(canvas: Canvas, changes: np.ndarray, x: float, y: float, pitch: float) -> None:
    """Draw changes [query, key] as squares: the area is the change, 1 fills a cell; more is filled, less is open."""
    for row, column in np.argwhere(np.abs(changes) >= CHANGE_FROM):
        change = float(changes[row, column])
        line = 0 if change > 0 else 0.6
        side = pitch * min(abs(change), 1) ** 0.5 - line
        box = x + (column + 0.5) * pitch - side / 2, y + (row + 0.5) * pitch - side / 2, side, side
        canvas.draw_boxes([box], lw=line, snap=False, **{"fc" if change > 0 else "ec": canvas.ramp(0.8)})


def draw_scale(canvas: Canvas, maps: AttentionMaps, right: float, y: float) -> None:
    """Draw the scale from 0 to 100 % up to ``right``; the figure ends below it."""
    word, small = "Attention" if maps.measure == ATTENTION else "Share of the row", max(6, canvas.size - 1)
    right = min(max(right, 150), canvas.width - 1) - canvas.measure("100 %", size=small) / 2
    left = max(right - 88, canvas.measure(word, size=small) + 5)
    fill_cells(canvas, [((np.arange(20)[None] + 0.5) / 20, left, y)], (right - left) / 20, 6)
    canvas.draw_boxes([(left, y, right - left, 6)], ec=printed("rule"), lw=0.5)
    canvas.ax.text(left - 5, y + 3 + small * 0.34, word, size=small, ha="right")
    for x, text in ((left, "0"), ((left + right) / 2, "50"), (right, "100\u00a0%")):
        canvas.ax.vlines(x, y + 6, y + 8, printed("rule"), lw=0.5)
        canvas.ax.text(x, y + 8 + small * 0.8, text, size=small, ha="center")
    canvas.bottom = y + 9 + small * 1.1


def draw_grid(canvas: Canvas, maps: AttentionMaps, framed: Sequence[HeadId]) -> None:
    """Draw all heads, with a frame around the chosen ones; maps become flat where a page has no room for squares.

    Raises:
        InputError: the maps would be too small.
    """
    size, left, top = canvas.size, canvas.measure(f"Layer {maps.n_layers - 1}") + 4, 1.8 * canvas.size
    across = (canvas.width - left - 1) / maps.n_heads
    wide = across - min(5, 0.15 * across)
    high = min(wide * maps.n_queries / maps.n_keys, (TALLEST * POINTS_PER_MM - 6 * size) / maps.n_layers - 2)
    if min(wide, high) < SMALLEST_MAP:
        choice = "174 mm" if canvas.width < 490 else "the kind map or maps"
        shape = f"{maps.n_layers} layers of {maps.n_heads} heads"
        raise InputError(f"At {canvas.mm} there is no room for {shape}. Choose {choice}.")
    down = high + min(across - wide, 0.15 * high + 1)
    boxes = [(left + head * across, top + layer * down, wide, high) for layer, head in maps.heads]
    fill_cells(
        canvas, [(maps[head], *box[:2]) for head, box in zip(maps.heads, boxes, strict=True)],
        wide / maps.n_keys, high / maps.n_queries,
    )  # fmt: skip
    canvas.draw_boxes(boxes, ec=printed("rule"), lw=0.5)
    for layer, head in framed:
        x, y, *_ = boxes[layer * maps.n_heads + head]
        canvas.draw_boxes([(x - 1, y - 1, wide + 2, high + 2)], ec=printed("ink"), lw=1.1)
    for head in range(0, maps.n_heads, int(canvas.measure(f"H{maps.n_heads}") / across + 1)):
        canvas.ax.text(left + head * across + wide / 2, size, f"H{head}", ha="center")
    for layer in range(0, maps.n_layers, int(1.1 * size / down + 1)):
        canvas.ax.text(left - 4, top + layer * down + high / 2 + 0.34 * size, f"Layer {layer}", ha="right")
    draw_scale(canvas, maps, left + maps.n_heads * across, top + maps.n_layers * down + 4)


def find_word(maps: AttentionMaps, word: str | int | None) -> int:
    """Return the position of the word that arcs leave, by its text or its position.

    Raises:
        InputError: the sentence does not have it once, or the maps are not those of one sentence.
    """
    if maps.kind != "self":
        raise InputError("Arcs join words of one sentence; for attention between two texts choose the kind map.")
    maps.check_every_row()
    words = {place: token.text for place, token in enumerate(maps.tokens) if not token.special}
    places = [place for place, text in words.items() if text.casefold() == str(word).casefold()]
    if isinstance(word, int) or not places:
        places = [place for place in words if str(place) == str(word)]
    if len(places) != 1:
        where = f"{len(places)} times, at {', '.join(map(str, places))}" if places else "nowhere"
        advice = f'Choose a word such as word="it", or its position, one of {", ".join(map(str, words))}.'
        raise InputError(f"Arcs leave one word; {clean(str(word))[:40]!r} occurs {where}. {advice}")
    return places[0]


def draw_arcs(canvas: Canvas, maps: AttentionMaps, heads: Sequence[HeadId], query: int) -> None:
    """Draw a sentence on one line with the arcs of one head above it and, if there are two, of the other below.

    Raises:
        InputError: the sentence is too long for one line.
    """
    words = {place: token for place, token in enumerate(maps.tokens) if not token.special}
    joins = [one.segment == two.segment and one.end == two.start < two.end for one, two in pairwise(words.values())]
    names, margin = [label(token.text) for token in words.values()], canvas.measure("", size=1)
    widths = np.array([canvas.measure(name, size=1) - margin for name in names])
    starts = np.cumsum([0, *(widths[:-1] + np.where(joins, 0.02, 0.26))])
    letters = min(22.0, float((canvas.width - 2) / (starts[-1] + widths[-1])))
    if letters < canvas.size:
        choice = "174 mm or " * (canvas.width < 490) + "a shorter sentence"
        raise InputError(f"At {canvas.mm} the sentence does not fit on a line. Choose {choice}.")
    middles = 1 + (starts + widths / 2) * letters
    places = dict(zip(words, canvas.width - middles if right_to_left(maps.text) else middles, strict=True))
    for place, name in zip(places.values(), names, strict=True):
        canvas.ax.text(place, 0, name, size=letters, ha="center")
    half = widths[list(words).index(query)] * letters / 2
    canvas.ax.hlines(0.16 * letters, places[query] - half, places[query] + half, printed("ink"), lw=0.7)
    canvas.bottom = 0.4 * letters
    for head, edge, up in zip(heads, (-0.8 * letters, 0.34 * letters), (-1, 1), strict=False):
        row = maps[head][query]
        end = edge + up * (draw_stack(canvas, row, places, query, edge, up) + 0.5 * canvas.size)
        canvas.top = min(canvas.top, end - 0.8 * canvas.size)
        canvas.bottom = max(canvas.bottom, end + 1.1 * canvas.size)
        y, special = end + 0.5 * canvas.size * (up > 0), float(row.sum() - row[list(words)].sum())
        canvas.ax.text(0, y, str(head), weight=700)
        text = (
            f"{percent(special)} on special tokens, " * (len(words) < len(row))
            + f"{percent(float(row[query]))} on itself"
        )
        if (x := canvas.measure(str(head)) + 4) + canvas.measure(text) < canvas.width:
            canvas.ax.text(x, y, text, color=printed("muted"))


def draw_stack(canvas: Canvas, row: np.ndarray, places: Mapping[int, float], query: int, edge: float, up: int) -> float:
    """Draw the arcs of a row from an edge, up (-1) or down (1), 9 pt for 100 %; return their height.

    Shorter arcs are below longer ones. Numbers from 10 % are at the crown, move away from other arcs or disappear.
    """
    ax, size, start, turns = canvas.ax, canvas.size, places[query], np.linspace(0, np.pi, 96)
    ends = [place for place in places if place != query and row[place] >= ARC_FROM]
    height, strokes = 12.0, []
    for place in sorted(ends, key=lambda place: abs(places[place] - start)):
        share, end = float(row[place]), places[place]
        half, is_largest = 4.5 * share, share == row[ends].max()
        colour, back = canvas.ramp(0.88 if is_largest else 0.5), edge + up * (2.7 + 1.5 * half)
        height = max(height, min(abs(end - start) * 0.22, 70)) + half
        xs = (start + end + (start - end) * np.cos(turns)) / 2
        ys = back + (edge + up * height - back) * np.sin(turns)
        ax.plot([start, *xs], [edge + up, *ys], color=colour, lw=9 * share)
        ax.fill([end, end - half - 1.8, end + half + 1.8], [edge + up, back, back], color=colour, lw=0)
        height += half
        strokes.append((np.stack([xs, ys]), half, share, height, is_largest))
        height += 1.9 * size if share >= NUMBERED_FROM else 3
    for points, _, share, crown, is_largest in strokes:
        text, middle, y = (
            percent(share),
            points[0, [0, -1]].mean(),
            edge + up * crown + size * (0.85 if up > 0 else -0.28),
        )
        half = canvas.measure(text) / 2
        for x in sorted(np.arange(half, canvas.width - half), key=lambda x: abs(x - middle)):
            gaps = [np.abs(stroke - [[x], [y - 0.35 * size]]) - [[half], [0.4 * size]] for stroke, *_ in strokes]
            is_free = all(
                np.hypot(*np.maximum(gap, 0)).min() >= other[1] for gap, other in zip(gaps, strokes, strict=True)
            )
            if share >= NUMBERED_FROM and is_free and abs(x - middle) < np.ptp(points[0]) / 2 + half:
                ax.text(x, y, text, ha="center", weight=700 if is_largest else 400)
                break
    return height


def largest_shares(patch: Patch) -> list[tuple[HeadId, float, np.ndarray]]:
    """Return the ten heads with the largest shares of a score change, their shares and those of their controls.

    Raises:
        InputError: the versions are too close, or no head acts before the layer that is read.
    """
    if patch.too_close:
        raise InputError("The two versions differ too little to say what each head carries. Choose another word.")
    acting = np.where(patch.direct, np.nan, patch.carried)
    heads = sorted(np.argwhere(np.isfinite(acting)).tolist(), key=lambda head: -abs(acting[tuple(head)]))
    if not heads:
        raise InputError("The score is read after the first layer, so no head carries it from before. No figure.")
    return [(HeadId(*head), float(acting[tuple(head)]), patch.control[head[0]]) for head in heads[:10]]


def draw_bars(canvas: Canvas, patch: Patch) -> None:
    """Draw the largest shares as bars on the range of their controls; a share beyond the range is filled."""
    from matplotlib.ticker import MaxNLocator

    ax, size, shares, top = canvas.ax, canvas.size, largest_shares(patch), 2 * canvas.size
    numbers = [f"{whole_percent(share)}\u00a0%".translate(TABLE) for _, share, _ in shares]
    left, right = canvas.measure(*(str(head) for head, *_ in shares)) + 5, canvas.width - canvas.measure(*numbers) - 8
    ends = 100 * np.nan_to_num([(0, 0.01, share, *controls) for _, share, controls in shares])
    ticks = MaxNLocator(max(1, min(5, int((right - left) / canvas.measure("−00000")))), steps=[1, 2, 5, 10])
    lines = np.asarray(ticks.tick_values(ends.min(), ends.max()))
    bottom = top + 1.9 * size * len(shares) + 2
    ax.text(0, size, "Carried share of the score change, %")
    for tick in lines:
        x = np.interp(tick, lines[[0, -1]], (left, right))
        ax.vlines(x, top, bottom, printed("grey")[2 if abs(tick) > 1e-9 else 9], lw=0.5, zorder=0)
        ax.text(x, bottom + size, f"{tick:.0f}".translate(TABLE), ha="center")
    for number, (head, share, controls) in enumerate(shares):
        y, weight, fill = top + (1.9 * number + 1) * size, 400, printed("paper")
        zero, end, *band = np.interp([0, 100 * share, *100 * np.sort(controls)], lines[[0, -1]], (left, right))
        if np.isfinite(controls).all():
            canvas.draw_boxes([(band[0], y - 0.6 * size, band[-1] - band[0], 1.2 * size)], fc=printed("band"))
            ax.vlines(np.median(band), y - 0.6 * size, y + 0.6 * size, printed("rule"), lw=0.7)
            if not controls.min() <= share <= controls.max():
                weight, fill = 700, canvas.ramp(0.8)
        bar = min(zero, end), y - 0.25 * size, abs(end - zero), 0.5 * size
        canvas.draw_boxes([bar], fc=fill, ec=canvas.ramp(0.8), lw=0.5)
        ax.text(left - 5, y + 0.34 * size, str(head), ha="right", weight=weight)
        ax.text(canvas.width - 1, y + 0.34 * size, numbers[number], ha="right", weight=weight)
    canvas.bottom = bottom + 1.4 * size
