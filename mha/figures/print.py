"""Print figures by matplotlib, an optional extra: maps, all heads, arcs, changes and bars as SVG, PDF and PNG.

Coordinates are points, x to the right and y down. matplotlib loads with the first figure and without pyplot; one lock
guards its global settings. All marks are vectors; cells of one colour share a path, and labels of an SVG are text.
"""

import base64
import io
import re
import threading
import unicodedata
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from mha.assets import ASSETS
from mha.errors import InputError
from mha.formats import clean, join_list, percent, signed, truncate
from mha.intervention.outcomes import Patch
from mha.maps import ATTENTION, AttentionMaps, HeadId, ranked
from mha.theme import colours, printed
from mha.words import right_to_left

POINTS_PER_MM = 72 / 25.4
WIDTHS = {"single": 84.0, "double": 174.0}  # mm: one or two columns of a paper
NARROWEST, WIDEST, TALLEST = 40, 250, 225  # mm; 225 and a caption fit on an A4 page
ENDINGS, LEAST_DPI, MOST_DPI, NOTEBOOK_DPI = ("svg", "pdf", "png"), 72, 1200, 192
TYPE, SMALL_TYPE, LINE = 7, 6, 8.0  # points: labels; scale and numbers of arcs; distance of labels
GAP, BETWEEN, LARGEST_CELL, COLOURS = 3.0, 14.0, 40.0, 51  # few colours make small files
NUMBERED_FROM, ARC_FROM, CHANGE_FROM = 0.10, 0.05, 0.02  # the least share with a number, an arc, a square
PALE = 0.45  # opacity of an arc next to that of a reading
Picked = tuple[int, str]  # the key for which a head was picked, and its reading, "a" or "b"
CHANGED = "…"  # the label of words that differ between two versions
FONT_FILE = ASSETS / "fonts" / "print-sans.ttf"
FONTS = ("Parallax Print Sans", "DejaVu Sans")  # matplotlib has the second, with Hebrew, Arabic and more
SVG_FONTS = "'Parallax Print Sans', 'Source Sans 3', 'Source Sans Pro', sans-serif"
NUMBER = rb"(-?[\d.]+)"
RECTANGLE = re.compile(rb"M %b %b \nL %b \2 \nL \3 %b \nL \1 \4 \nz\n" % ((NUMBER,) * 4))
LOCK = threading.Lock()


@dataclass(eq=False)
class Canvas:
    """A matplotlib figure with one pair of axes in points; ``notes`` are caption sentences about the drawn marks."""

    ax: Any
    width: float
    ramp: Any
    top: float = 0
    bottom: float = 0
    notes: list[str] = field(default_factory=list)
    unwritable: str = ""

    def measure(self, *texts: str, size: float = TYPE) -> float:
        """Return the width of the widest text in points, with a margin of two thin strokes."""
        from matplotlib.textpath import TextPath

        return max(TextPath((0, 0), f"|{text}|", size=size).get_extents().width for text in texts)

    def draw_cells(self, xs: np.ndarray, ys: np.ndarray, shares: np.ndarray) -> None:
        """Draw shares [row, column] between edges in points, one path a colour, with a frame; NaN is grey."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        (x_start, x_end), (top, bottom) = xs[[0, -1]], ys[[0, -1]]
        frame = [x_start, x_end, x_end, x_start, x_start], [top, top, bottom, bottom, top]
        xs, ys = xs.round(1), ys.round(1)  # short numbers make small files
        steps = np.where(np.isnan(shares), -1, np.clip(np.nan_to_num(shares) * COLOURS, 0, COLOURS - 1)).astype(int)
        counts = {int(step): int((steps == step).sum()) for step in np.unique(steps)}
        background = max(counts, key=counts.__getitem__)
        blocks: dict[int, list[tuple[int, int, int, int]]] = {background: [(0, 0, *steps.shape)]}
        for step in sorted(counts.keys() - {background}):
            blocks[step] = merge_cells(steps == step)
        for step, cells in blocks.items():  # the darkest colour comes last
            corners = [
                [
                    (xs[x_start], ys[top]),
                    (xs[x_end], ys[top]),
                    (xs[x_end], ys[bottom]),
                    (xs[x_start], ys[bottom]),
                    (0, 0),
                ]
                for top, x_start, bottom, x_end in cells
            ]
            path = Path(np.concatenate(corners), [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY] * len(cells))
            colour = printed("band") if step < 0 else self.ramp(step)
            self.ax.add_patch(PathPatch(path, fc=colour, lw=0, antialiased=False, gid=f"share-{step}"))
        self.ax.plot(*frame, color=printed("rule"), lw=0.5, snap=True, solid_joinstyle="miter")


def merge_cells(cells: np.ndarray) -> list[tuple[int, int, int, int]]:
    """Return the true cells of a bool array [row, column] as rectangles: first row, first column, and both ends.

    Neighbours in a row are one rectangle, and so are equal rectangles of neighbouring rows.

    >>> merge_cells(np.array([[True, True, False], [True, True, False], [False, True, True]]))
    [(0, 0, 2, 2), (2, 1, 3, 3)]
    """
    edges = np.diff(np.pad(cells.astype(np.int8), ((0, 0), (1, 1))), axis=1)  # 1 where a run begins, -1 behind its end
    begins, ends = np.argwhere(edges == 1), np.argwhere(edges == -1)[:, 1]
    open_runs: dict[tuple[int, int], list[int]] = {}
    rectangles: list[tuple[int, int, int, int]] = []
    for (row, start), end in zip(begins.tolist(), ends.tolist(), strict=True):
        run = open_runs.get((start, end))
        if run is not None and run[1] == row:
            run[1] = row + 1
            continue
        if run is not None:
            rectangles.append((run[0], start, run[1], end))
        open_runs[start, end] = [row, row + 1]
    rectangles += [(top, start, bottom, end) for (start, end), (top, bottom) in open_runs.items()]
    return sorted(rectangles)


@contextmanager
def settings() -> Iterator[None]:
    """Hold matplotlib's settings for print and the lock that guards them.

    Raises:
        InputError: matplotlib is missing.
    """
    try:
        import matplotlib
        from matplotlib.font_manager import FontEntry, fontManager
    except ModuleNotFoundError as error:
        raise InputError("Print figures need matplotlib: pip install 'mha-parallax[figures]'.") from error
    values: Any = {
        "font.family": FONTS, "font.size": TYPE, "text.color": printed("ink"),
        "text.parse_math": False, "text.usetex": False, "text.hinting": "no_hinting", "svg.hashsalt": "parallax",
        "svg.fonttype": "none", "pdf.fonttype": 42, "savefig.bbox": None, "lines.solid_capstyle": "butt",
    }  # fmt: skip
    with LOCK, matplotlib.rc_context(values), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # an SVG has such a letter as text
        if FONTS[0] not in fontManager.get_font_names():
            fontManager.ttflist.append(FontEntry(str(FONT_FILE), name=FONTS[0], weight=400))
        yield


@contextmanager
def open_canvas(width: float | str) -> Iterator[Canvas]:
    """Yield an empty canvas of a width in mm, "single" or "double"; drawing sets its top and bottom.

    Raises:
        InputError: the width is not available, or matplotlib is missing.
    """
    mm = WIDTHS.get(width, width) if isinstance(width, str) else width
    if isinstance(mm, bool) or not isinstance(mm, Real) or not NARROWEST <= float(mm) <= WIDEST:
        raise InputError(f"A width is “single”, “double” or a number from {NARROWEST} to {WIDEST} mm; this is {mm!r}.")
    with settings():
        from matplotlib import colors, figure, font_manager

        ramp = colors.LinearSegmentedColormap.from_list("print", printed("blue"), N=COLOURS).with_extremes(
            bad=printed("band")
        )
        ax = figure.Figure(dpi=72).add_axes((0, 0, 1, 1), autoscale_on=False)
        canvas = Canvas(ax, float(mm) * POINTS_PER_MM, ramp)
        yield canvas
        ax.figure.set_size_inches(canvas.width / 72, (canvas.bottom - canvas.top) / 72)
        ax.set(xlim=(0, canvas.width), ylim=(canvas.bottom, canvas.top))
        ax.axis("off")
        fonts = [font_manager.get_font(font_manager.findfont(name)) for name in FONTS]
        letters = {code for font in fonts for code in font.get_charmap()}
        canvas.unwritable = "".join(c for text in ax.texts for c in text.get_text() if ord(c) not in letters)


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
        """Return the text of an SVG file; its labels are text, whose font is in it."""
        return self.file("svg").decode("utf-8")

    def file(self, ending: str, dpi: int = 300) -> bytes:
        """Return the bytes of an SVG, PDF or PNG file; ``dpi``, 72 to 1200, are those of a PNG.

        Raises:
            InputError: the ending or the number of dots is not available, or the embedded fonts lack a letter.
        """
        if ending not in ENDINGS:
            raise InputError(f"A figure is saved as .svg, .pdf or .png; this is {ending[:20]!r}.")
        if isinstance(dpi, bool) or not isinstance(dpi, int | np.integer) or not LEAST_DPI <= dpi <= MOST_DPI:
            raise InputError(f"A figure has {LEAST_DPI} to {MOST_DPI} dots per inch; this is {dpi!r}.")
        if ending not in self.endings:
            letter = self.canvas.unwritable[0]
            raise InputError(f"The fonts of print figures have no {letter!r}. Save the figure as SVG.")
        metadata: dict[str, Any] = {"Title": self.title, "Description": self.caption, "Keywords": self.provenance}
        if ending == "svg":
            metadata |= {"Keywords": [self.provenance], "Date": None}  # no date, so that equal numbers make equal files
        elif ending == "pdf":
            metadata |= {"Subject": metadata.pop("Description"), "CreationDate": None}
        buffer = io.BytesIO()
        with settings():
            self.canvas.ax.figure.savefig(buffer, format=ending, dpi=int(dpi), metadata=metadata, facecolor="white")
        letters = "".join(text.get_text() for text in self.canvas.ax.texts)
        return compact_svg(buffer.getvalue(), letters) if ending == "svg" else buffer.getvalue()

    def save(self, path: str | PathLike[str], dpi: int = 300) -> Path:
        """Write a file by its ending .svg, .pdf or .png and return its path; raises as `file`."""
        path = Path(path)
        path.write_bytes(self.file(path.suffix.lower().removeprefix("."), dpi))
        return path


def compact_svg(content: bytes, letters: str) -> bytes:
    """Return an SVG of matplotlib with short rectangles and the letters of its labels as a font."""
    from fontTools import subset, ttLib

    font, buffer, subsetter = ttLib.TTFont(FONT_FILE, recalcTimestamp=False), io.BytesIO(), subset.Subsetter()
    subsetter.populate(text=letters)
    subsetter.subset(font)
    font.save(buffer)
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    face = f"@font-face{{font-family:'{FONTS[0]}';src:url(data:font/ttf;base64,{data})}}"
    content = RECTANGLE.sub(_short_rectangle, content).replace(b"</style>", f"{face}</style>".encode(), 1)
    return content.replace(f"'{FONTS[0]}', '{FONTS[1]}'".encode(), SVG_FONTS.encode())


def _short_rectangle(match: re.Match[bytes]) -> bytes:
    x, y, right, bottom = map(float, match.groups())
    return f"M{x:g} {y:g}h{right - x:.3g}v{bottom - y:.3g}H{x:g}z".encode()


def label(text: str) -> str:
    """Return a word as a label: composed characters, printable, at most 18 of them."""
    return truncate(clean(unicodedata.normalize("NFC", text))) or " "


def draw_maps(
    canvas: Canvas, maps: AttentionMaps, heads: Sequence[HeadId], second: AttentionMaps | None = None
) -> None:
    """Draw one to four heads, or one in two versions and the change, with one scale and the labels of rows once.

    Labels of columns are level if they have room, else upright; if labels of one line would touch, some disappear.

    Raises:
        InputError: the two versions do not match.
    """
    ax = canvas.ax
    rows, columns = ([label(token.text) for token in tokens] for tokens in (maps.tokens, maps.key_tokens))
    panels = [(str(head), columns, maps[head]) for head in heads]
    if second is not None:
        positions, second_labels = changed(maps, second), [label(token.text) for token in second.tokens]
        titles = [" ".join(names[position] for position in positions) for names in (rows, second_labels)]
        rows = [CHANGED if position in positions else name for position, name in enumerate(rows)]
        first_weights, second_weights = maps[heads[0]], second[heads[0]]
        panels = [
            (titles[0], columns, first_weights),
            (titles[1], second_labels, second_weights),
            ("b minus a", rows, second_weights - first_weights),
        ]
        canvas.notes += [
            "(a) is the first text, (b) the second. (c) The area of a square is the change from (a) to (b), from "
            f"{100 * CHANGE_FROM:.0f} percentage points; 100 fill a cell. Filled: more; open: less.",
            f"“{CHANGED}” marks words that differ." if positions else "",
        ]
    label_width, count = canvas.measure(*rows) + GAP, len(panels)
    pitch = min(((canvas.width - label_width - BETWEEN * (count - 1)) / count - 1) / len(columns), LARGEST_CELL)
    longest, label_step = (
        canvas.measure(*(name for _, names, _ in panels for name in names)),
        int(np.ceil(LINE / pitch)),
    )
    canvas.notes.append(f"One label in {label_step} is shown." * (label_step > 1))
    align, turn, shift = ("center", 0, 0.0) if longest <= pitch else ("left", 90, 0.34 * TYPE)
    top = (longest if turn else TYPE) + GAP + 2 * TYPE * (count > 1)
    for row in range(0, len(rows), label_step):
        ax.text(label_width - GAP, top + (row + 0.5) * pitch + 0.34 * TYPE, rows[row], ha="right")
    for number, (title, names, shares) in enumerate(panels):
        xs = label_width + number * (pitch * len(columns) + BETWEEN) + pitch * np.arange(len(columns) + 1)
        ys = top + pitch * np.arange(len(rows) + 1)
        if count > 1:
            fits = canvas.measure(f"(a) {title}") < pitch * len(columns) + BETWEEN
            ax.text(xs[0], TYPE, f"({'abcd'[number]}) {title if fits else ''}".strip())
        for column in range(0, len(names), label_step):
            middle = xs[column] + 0.5 * pitch + shift
            ax.text(middle, top - GAP, names[column], ha=align, rotation=turn, rotation_mode="anchor")
        is_change = second is not None and number == 2
        canvas.draw_cells(xs, ys, np.where(maps.visible, 0 if is_change else shares, np.nan))
        if is_change:
            draw_squares(canvas, shares, xs, ys)
    draw_scale(canvas, maps, top + pitch * len(rows) + LINE)


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


def draw_squares(canvas: Canvas, changes: np.ndarray, xs: np.ndarray, ys: np.ndarray) -> None:
    """Draw changes [query, key] as squares: the area is the change, 1 fills a cell; more is filled, less is open."""
    queries, keys = np.nonzero(np.abs(changes) >= CHANGE_FROM)
    sizes, colour, pitch = changes[queries, keys], canvas.ramp(0.8), xs[1] - xs[0]
    sides = pitch * np.sqrt(np.minimum(np.abs(sizes), 1)) - 0.6  # half of the line on each side
    canvas.ax.scatter(
        xs[keys] + pitch / 2, ys[queries] + pitch / 2, sides**2, marker="s", lw=0.6, ec=colour,
        fc=[colour if size > 0 else "none" for size in sizes],
    )  # fmt: skip


def draw_scale(canvas: Canvas, maps: AttentionMaps, y: float) -> None:
    """Draw the scale from 0 to 100 %; the figure ends below it."""
    name = "Attention" if maps.measure == ATTENTION else "Share of the row"
    name_width = canvas.measure(name, size=SMALL_TYPE) + 5
    canvas.ax.text(0, y + 3 + SMALL_TYPE * 0.34, name, size=SMALL_TYPE)
    canvas.draw_cells(name_width + np.linspace(0, 80, 101), np.array([y, y + 6]), np.linspace(0, 1, 100)[None])
    for share in (0, 0.5, 1):
        canvas.ax.text(name_width + 80 * share, y + 7 + SMALL_TYPE, percent(share), size=SMALL_TYPE, ha="center")
    canvas.notes.append(f"Colour runs from 0 to 100\u00a0% in {COLOURS} steps.")
    canvas.bottom = y + 8 + 1.3 * SMALL_TYPE


def draw_grid(canvas: Canvas, maps: AttentionMaps) -> None:
    """Draw all heads; maps become flat if a page has no room for squares, and labels without room disappear."""
    label_width, top = canvas.measure(f"Layer {maps.n_layers - 1}") + 4, 1.8 * TYPE
    across = (canvas.width - label_width - 1) / maps.n_heads
    wide = across - min(4, 0.15 * across)
    high = min(wide * maps.n_queries / maps.n_keys, 0.9 * (TALLEST * POINTS_PER_MM - 6 * TYPE) / maps.n_layers)
    down = high + min(across - wide, 0.1 * high)
    shares = np.where(maps.visible, maps.weights, np.nan)  # [layer, head, query, key]
    shares = np.pad(shares, ((0, 0), (0, 0), (0, 1), (0, 1)), constant_values=np.nan)  # the gap after each map
    shares = shares.swapaxes(1, 2).reshape(maps.n_layers * (maps.n_queries + 1), -1)  # [layer query, head key]
    xs = np.add.outer(label_width + across * np.arange(maps.n_heads), np.linspace(0, wide, maps.n_keys + 1)).ravel()
    ys = np.add.outer(top + down * np.arange(maps.n_layers), np.linspace(0, high, maps.n_queries + 1)).ravel()
    canvas.draw_cells(xs, ys, shares[:-1, :-1])
    for head in range(0, maps.n_heads, int(canvas.measure(f"H{maps.n_heads}") / across + 1)):
        canvas.ax.text(label_width + head * across + wide / 2, TYPE, f"H{head}", ha="center")
    for layer in range(0, maps.n_layers, int(LINE / down + 1)):
        canvas.ax.text(label_width - 4, top + layer * down + high / 2 + 0.34 * TYPE, f"Layer {layer}", ha="right")
    draw_scale(canvas, maps, top + maps.n_layers * down + 4)


def draw_arcs(
    canvas: Canvas, maps: AttentionMaps, heads: Sequence[HeadId], query: int, readings: Mapping[HeadId, Picked]
) -> None:
    """Draw a sentence on one line with the arcs of one head above it and, if there are two, of the other below.

    ``readings`` are as in `mha.figure`.

    Raises:
        InputError: the maps are not those of one sentence, the query is not one of its words, or it is too long.
    """
    words = {position: token for position, token in enumerate(maps.tokens) if not token.special}
    if maps.kind != "self" or query not in words:
        raise InputError(f"Arcs leave a word of one sentence, at {', '.join(map(str, words))}; this is {query}.")
    maps.check_every_row()
    joins = [
        first.segment == second.segment and first.end == second.start < second.end
        for first, second in pairwise(words.values())
    ]
    names = [label(token.text) for token in words.values()]
    widths = np.array([canvas.measure(name, size=1) for name in names]) - canvas.measure("", size=1)
    starts = np.cumsum([0, *(widths[:-1] + np.where(joins, 0.02, 0.26))])
    size = min(22.0, float((canvas.width - 2) / (starts[-1] + widths[-1])))
    if size < SMALL_TYPE:
        raise InputError(
            f"The sentence does not fit on a line of {canvas.width / POINTS_PER_MM:g} mm. Choose a larger width, up to "
            f"{WIDEST} mm, or a shorter sentence."
        )
    middles = 1 + (starts + widths / 2) * size
    xs = dict(zip(words, canvas.width - middles if right_to_left(maps.text) else middles, strict=True))
    for x, name in zip(xs.values(), names, strict=True):
        canvas.ax.text(x, 0, name, size=size, ha="center")
    canvas.notes.append(
        f"Arcs leave “{clean(maps.tokens[query].text)}”; their width is the share, 9\u00a0pt for 100\u00a0%. "
        f"Arcs begin at {percent(ARC_FROM)}, numbers, where they fit, at {percent(NUMBERED_FROM)}."
    )
    half = widths[list(words).index(query)] * size / 2
    canvas.ax.hlines(0.16 * size, xs[query] - half, xs[query] + half, printed("ink"), lw=0.7)
    canvas.bottom = 0.4 * size
    for head, edge, up in zip(heads, (-0.9 * size, 0.4 * size), (-1, 1), strict=False):
        row, (key, side) = maps[head][query], readings.get(head, (-1, ""))
        end = draw_stack(canvas, row, xs, query, edge, up, key, side)
        canvas.top, canvas.bottom = min(canvas.top, end - TYPE), max(canvas.bottom, end + 1.6 * TYPE)
        canvas.ax.text(0, end + TYPE * (up > 0), str(head))
        if len(words) < len(row):
            special = percent(float(row.sum() - row[list(words)].sum()))
            canvas.notes.append(f"{head} gives {special} to special tokens.")


def draw_stack(
    canvas: Canvas, row: np.ndarray, xs: Mapping[int, float], query: int, edge: float, up: int, picked: int, side: str
) -> float:
    """Draw the shares of a row from an edge, up (-1) or down (1): numbers at the words, then arcs; return their end.

    An arc is 9 pt wide for 100 % and ends in an arrowhead. As on the page, the arc to the ``picked`` key has the colour
    of its reading, ``side``, and others are pale. A number moves into the page; the smaller of two that would touch
    disappears.
    """
    strongest = max((float(row[key]) for key in xs if key != query), default=1.0)
    start, longest = edge + up * 1.5 * TYPE, max(1.0, *(abs(x - xs[query]) for x in xs.values()))
    height, turns, numbers = min(0.3 * longest, 80), np.linspace(0, np.pi, 96), dict[float, float]()
    for key in sorted(xs, key=lambda key: -row[key]):
        share, x = float(row[key]), xs[key]
        half = canvas.measure(percent(share), size=SMALL_TYPE) / 2
        middle = min(max(x, half), canvas.width - half)
        if share >= NUMBERED_FROM and all(
            abs(middle - middle_of_label) > half + width for middle_of_label, width in numbers.items()
        ):
            numbers[middle] = half
            canvas.ax.text(middle, edge + up * 5 + 2, percent(share), size=SMALL_TYPE, ha="center")
        if share >= ARC_FROM and key != query:
            crown = height * (abs(x - xs[query]) / longest) ** 0.7  # arcs from one word do not cross
            arc = (x + xs[query] + (xs[query] - x) * np.cos(turns)) / 2
            tip, half = max(3.0, 0.75 * 9 * share), max(1.8, 0.8 * 9 * share)
            is_picked = key == picked
            colour = colours()[f"reading_{side}"]["graphic"] if is_picked and side else canvas.ramp(0.55)
            alpha = PALE if side else min(0.75, 0.25 + 0.5 * share / strongest)
            alpha = 1 if is_picked or (not side and share == strongest) else alpha
            foot = start + up * tip
            line = np.concatenate(([start], foot + up * crown * np.sin(turns[1:-1]), [foot]))
            canvas.ax.plot(arc, line, color=colour, lw=9 * share, alpha=alpha, zorder=2 + alpha)
            canvas.ax.fill([x - half, x + half, x], [foot, foot, start], color=colour, lw=0, alpha=alpha)
    return start + up * (height + 0.75 * 9 + 0.5 * TYPE)


def largest_shares(patch: Patch) -> list[tuple[HeadId, float, np.ndarray]]:
    """Return the ten heads with the largest shares of a score change, their shares and those of their controls.

    Raises:
        InputError: the versions are too close, or no head acts before the layer that is read.
    """
    if patch.too_close:
        raise InputError("The two versions differ too little to say what each head carries. Choose another word.")
    shares = np.where(patch.direct, np.nan, patch.carried)
    heads = [head for head in ranked(np.abs(shares)) if np.isfinite(shares[head])]
    if not heads:
        raise InputError("The score is read after the first layer, so no head carries it from before. No figure.")
    return [(head, float(shares[head]), patch.control[head.layer]) for head in heads[:10]]


def draw_bars(canvas: Canvas, patch: Patch) -> None:
    """Draw the largest shares as bars on the range of their controls; a share beyond the range is filled."""
    ax, shares = canvas.ax, largest_shares(patch)
    x_start, x_end = (
        canvas.measure(*(str(head) for head, *_ in shares)) + 5,
        canvas.width - canvas.measure("−1000\u00a0%"),
    )
    ends = np.nan_to_num([(0, 0.01, share, *controls) for _, share, controls in shares])
    ax.text(0, TYPE, "Carried share of the score change")
    without = f", {join_list([str(head) for head in patch.left_out])} left out" if patch.left_out else ""
    canvas.notes += [
        "One head’s output is copied from the other version, in both directions; a share is the mean. The score is how "
        "much closer the vector of the ambiguous word is to candidate A than to B, as a difference of cosines, after "
        f"layer {patch.score_layer - 1}: {' in the first text, '.join(signed(x, 3) for x in patch.scores)} in the "
        f"second. The largest {len(shares)} of {(np.isfinite(patch.carried) & ~patch.direct).sum()} shares by size; "
        "shares can be negative and do not add up.",
        f"A band is the range of 15 draws of three heads of the layer together{without}; a bar beyond it is filled. "
        "A head without a band has no such draws.",
    ]
    canvas.bottom = (1.9 * len(shares) + 2.4) * TYPE
    for number, (head, share, controls) in enumerate(shares):
        low, high = controls.min(), controls.max()  # NaN if there are no controls
        marks = np.interp((0, share, low, high), (ends.min(), ends.max()), (x_start, x_end))
        y, colour = (1.9 * number + 3) * TYPE, canvas.ramp(0.8)
        ax.barh(y, marks[3] - marks[2], 1.2 * TYPE, marks[2], color=printed("band"))
        fill = colour if share < low or share > high else printed("paper")
        ax.barh(y, marks[1] - marks[0], 0.5 * TYPE, marks[0], color=fill, ec=colour, lw=0.5)
        ax.vlines(marks[0], 1.8 * TYPE, canvas.bottom, printed("muted"), lw=0.5)
        ax.text(x_start - 5, y + 0.34 * TYPE, str(head), ha="right")
        ax.text(canvas.width - 1, y + 0.34 * TYPE, percent(share), ha="right")
