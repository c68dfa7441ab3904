"""How wide a text is on paper: from the fonts' own tables, so that no two labels have to be guessed apart."""

from __future__ import annotations

import functools
import io
import math
import unicodedata

from mha import assets
from mha.assets import ASSETS
from mha.errors import InputError
from mha.figures.print.marks import Lettering
from mha.formats import cut

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


def corners(text: Lettering) -> list[tuple[float, float]]:
    """Return the four corners of the box that a text takes, turned as it is."""
    wide = width(text.text, text.size, text.face)
    left = {"start": 0.0, "middle": -wide / 2, "end": -wide}[text.anchor]
    up, down = -ASCENT * text.size, DESCENT * text.size
    cosine, sine = math.cos(math.radians(text.turn)), math.sin(math.radians(text.turn))
    box = [(left, up), (left + wide, up), (left + wide, down), (left, down)]
    return [(text.x + x * cosine + y * sine, text.y - x * sine + y * cosine) for x, y in box]


def label(text: str) -> str:
    """Return a word as a label that any file can hold: no control characters, at most 18 characters."""
    return cut(clean(text)) or " "


def clean(text: str) -> str:
    """Return a text with a space in the place of each character that is not printed or would turn its neighbours."""
    return "".join(one if one.isprintable() or one in _JOINERS else " " for one in text)
