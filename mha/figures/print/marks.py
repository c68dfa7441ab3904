"""What a figure for print is made of: rectangles, lines, paths and texts on a sheet, in points (1/72 inch)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

POINTS_PER_MM = 72 / 25.4
FACES = ("sans", "bold", "serif")
ANCHORS = ("start", "middle", "end")


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
