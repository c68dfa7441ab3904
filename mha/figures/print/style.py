"""How a figure for print looks: its width, type and colours, each chosen from a few."""

from __future__ import annotations

from dataclasses import dataclass

from mha.errors import InputError
from mha.figures.print.marks import POINTS_PER_MM
from mha.theme import printed

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
    if isinstance(width, bool) or not isinstance(width, int | float):
        raise InputError(f"A width is “single”, “double” or a number of millimetres; this is {width!r}.")
    return float(width)
