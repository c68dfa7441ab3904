"""What a figure for print is made of: marks on a sheet in points (1/72 inch), the widths of texts, and how all looks.

Widths are from the fonts' own tables, so that no two labels have to be guessed apart.
"""

from __future__ import annotations

import functools
import io
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real

from mha import assets
from mha.assets import ASSETS
from mha.errors import InputError
from mha.formats import cut
from mha.theme import printed

POINTS_PER_MM = 72 / 25.4
FACES = ("sans", "bold", "serif")


@dataclass(frozen=True)
class Rect:
    """A rectangle; ``fill`` and ``stroke`` are colours as #rrggbb, "" is none."""

    x: float
    y: float
    width: float
    height: float
    fill: str = ""
    stroke: str = ""
    line: float = 0.5


@dataclass(frozen=True)
class Line:
    """A straight line from one point to another."""

    x1: float
    y1: float
    x2: float
    y2: float
    stroke: str
    line: float = 0.5


@dataclass(frozen=True)
class Outline:
    """Steps M, L, C (cubic Bézier) and Z with their absolute coordinates."""

    steps: tuple[tuple[str, tuple[float, ...]], ...]
    fill: str = ""
    stroke: str = ""
    line: float = 0.5


@dataclass(frozen=True)
class Lettering:
    """One line of text; x and y are its anchor on the baseline, ``turn`` is in degrees counter-clockwise about it."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    face: str = "sans"
    anchor: str = "start"
    turn: float = 0


AnyMark = Rect | Line | Outline | Lettering


@dataclass(eq=False)
class Sheet:
    """Marks in the order in which they are drawn; x runs right and y down, from the upper left corner."""

    width: float
    height: float = 0
    marks: list[AnyMark] = field(default_factory=list)

    @property
    def texts(self) -> list[Lettering]:
        """The texts among the marks."""
        return [mark for mark in self.marks if isinstance(mark, Lettering)]

    def add(self, *marks: AnyMark) -> None:
        """Draw marks above those that are there."""
        self.marks += marks

    def area(self, rectangles: Sequence[tuple[float, float, float, float]], fill: str) -> None:
        """Fill rectangles (x, y, width, height) of one colour as one path."""
        steps: list[tuple[str, tuple[float, ...]]] = []
        for x, y, width, height in rectangles:
            steps += [("M", (x, y)), ("L", (x + width, y)), ("L", (x + width, y + height)), ("L", (x, y + height))]
            steps.append(("Z", ()))
        if steps:
            self.add(Outline(tuple(steps), fill=fill))


def circle(x: float, y: float, radius: float, fill: str = "", stroke: str = "", line: float = 0.7) -> Outline:
    """Return a circle as four cubic Béziers, which are off by less than a thousandth of the radius."""
    r, k = radius, 0.5523 * radius
    return Outline(
        (
            ("M", (x + r, y)),
            ("C", (x + r, y + k, x + k, y + r, x, y + r)),
            ("C", (x - k, y + r, x - r, y + k, x - r, y)),
            ("C", (x - r, y - k, x - k, y - r, x, y - r)),
            ("C", (x + k, y - r, x + r, y - k, x + r, y)),
            ("Z", ()),
        ),
        fill,
        stroke,
        line,
    )


ASCENT, DESCENT = 0.74, 0.24  # of the type size; from the top of a b to the foot of a p
_JOINERS = "\u200c\u200d"


def font_file(face: str) -> io.BytesIO:
    """Return the TrueType file of a face."""
    return io.BytesIO(assets.read(ASSETS / "fonts" / f"print-{face}.ttf", bytes))


@functools.cache
def _advances(face: str) -> dict[int, float]:
    """Return the advance of each character that the font has, in thousandths of the type size."""
    try:
        from reportlab.pdfbase.ttfonts import TTFontFile  # a reader of TrueType tables; only figures need it
    except ModuleNotFoundError as error:
        raise InputError("Figures for print need reportlab: pip install 'mha-parallax[figures]'.") from error

    font = TTFontFile(font_file(face))
    return {code: font.charWidths[code] for code in font.charToGlyph}


def missing(text: str, face: str) -> list[str]:
    """Return the characters that the font of a face does not have, each once."""
    known = _advances(face)
    return [character for character in dict.fromkeys(text) if ord(character) not in known]


def width(text: str, size: float, face: str = "sans") -> float:
    """Return how wide a text is, in points.

    A character that the font lacks will be drawn by another one: it counts as one em, which few letters pass, a Hebrew
    letter as three quarters, and a combining mark as none.
    """
    known = _advances(face)
    total = 0.0
    for character in text:
        if unicodedata.category(character) in ("Mn", "Me", "Cf"):
            continue
        total += known.get(ord(character), 750 if unicodedata.bidirectional(character) == "R" else 1000)
    return total * size / 1000


def within(text: str, room: float, size: float, face: str = "sans") -> str:
    """Return a text, or as much of it as has room before an ellipsis."""
    if width(text, size, face) <= room:
        return text
    for count in range(len(text) - 1, 0, -1):
        if width(text[:count] + "…", size, face) <= room:
            return text[:count] + "…"
    return ""


def label(text: str) -> str:
    """Return a word as a label that any file can hold: no control characters, at most 18 characters.

    An accent that was typed behind its letter is one with it where there is such a letter, for the fonts have those.
    """
    return cut(clean(unicodedata.normalize("NFC", text))) or " "


def clean(text: str) -> str:
    """Return a text with a space in the place of each character that is not printed or would turn its neighbours."""
    return "".join(one if one.isprintable() or one in _JOINERS else " " for one in text)


WIDTHS = {"single": 84.0, "double": 174.0}  # mm: one column of a paper, two
NARROWEST, WIDEST = 40, 250
SIZES = (6, 7, 8, 9)  # pt
SMALLEST = 6  # pt; nothing is smaller
FONTS = ("sans", "serif")
RAMPS = ("blue", "yellow", "grey")


@dataclass(frozen=True)
class Style:
    """Width in mm, type in pt, "sans" or "serif", and the ramp of colours.

    Raises:
        InputError: one of them is not on offer; the message says what is.
    """

    width: float
    font: str = "sans"
    size: float = 7
    colours: str = "blue"

    def __post_init__(self) -> None:
        if not NARROWEST <= self.width <= WIDEST:
            raise InputError(
                f"A figure is {NARROWEST} to {WIDEST} mm wide, “single” or “double”; this is {self.width!r}."
            )
        for value, choices, what in (
            (self.font, FONTS, "A font"),
            (self.size, SIZES, "A size of type, in points,"),
            (self.colours, RAMPS, "A ramp of colours"),
        ):
            if value not in choices:
                raise InputError(f"{what} is one of {', '.join(map(str, choices))}; this is {value!r}.")

    @property
    def points(self) -> float:
        """The width in points."""
        return self.width * POINTS_PER_MM

    @property
    def small(self) -> float:
        """The size of numbers in cells, in points."""
        return max(SMALLEST, self.size - 1)

    @property
    def strong(self) -> str:
        """The face of what stands out; the serif has one cut alone."""
        return "bold" if self.font == "sans" else "serif"

    def colour(self, share: float) -> str:
        """Return the colour of a share from 0 to 1; steps in between are mixed evenly."""
        steps = printed(self.colours)
        place = min(max(float(share), 0), 1) * (len(steps) - 1)
        low = min(int(place), len(steps) - 2)
        pair = [[int(one[i : i + 2], 16) for i in (1, 3, 5)] for one in steps[low : low + 2]]
        mixed = (round(a + (b - a) * (place - low)) for a, b in zip(*pair, strict=True))
        return "#" + "".join(f"{part:02x}" for part in mixed)

    def on(self, share: float) -> str:
        """Return the colour of a number on a cell: white where that stands out more than ink."""
        parts = [int(self.colour(share)[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        return printed("paper") if 1.05 / (light + 0.05) > (light + 0.05) / 0.056 else printed("ink")


def width_in_mm(width: float | str) -> float:
    """Return a width in mm: a number, or "single" or "double" for one or two columns of a paper."""
    if isinstance(width, str) and width in WIDTHS:
        return WIDTHS[width]
    if isinstance(width, bool) or not isinstance(width, Real):  # one of numpy's is a number, too
        raise InputError(f"A width is “single”, “double” or a number of millimetres; this is {width!r}.")
    return float(width)
