"""A figure that is ready for a paper: its sheet, its caption, and where its numbers come from."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from mha.analysis.sinks import SetAside
from mha.errors import InputError
from mha.figures.print.files import pdf, png, svg
from mha.figures.print.marks import POINTS_PER_MM, Rect, Sheet, missing
from mha.maps import AttentionMaps, HeadId
from mha.theme import printed

ENDINGS = ("svg", "pdf", "png")
NOTEBOOK_DPI = 192


class WantedFigure(NamedTuple):
    """What a figure is drawn of: maps, heads, the word for arcs, what was set aside, whether the text is left out.

    ``second`` are the maps of the other version, for a change.
    """

    maps: AttentionMaps
    heads: tuple[HeadId, ...]
    word: str | int | None
    aside: SetAside | None
    hidden: bool
    second: AttentionMaps | None = None


@dataclass(frozen=True, eq=False)
class PaperFigure:
    """A figure for print; a notebook shows it as SVG.

    ``caption`` is what belongs below it, ``about`` what its files say of where the numbers come from, ``bibtex`` an
    entry that cites them.
    """

    sheet: Sheet
    caption: str
    about: Mapping[str, str]
    bibtex: str

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height in millimetres, to a tenth."""
        return round(self.sheet.width / POINTS_PER_MM, 1), round(self.sheet.height / POINTS_PER_MM, 1)

    def __repr__(self) -> str:
        return f"PaperFigure({self.size_mm[0]:g} × {self.size_mm[1]:g} mm, {self.caption[:60]!r}…)"

    def _repr_svg_(self) -> str:
        """Return it on paper: the ink of a file's own SVG would be lost on a dark notebook."""
        paper = Rect(0, 0, self.sheet.width, self.sheet.height, fill=printed("paper"))
        return svg(replace(self.sheet, marks=[paper, *self.sheet.marks]), self.about)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        forms = {"image/svg+xml": self._repr_svg_(), "text/plain": self.caption}
        with suppress(InputError):  # PDFium is not there, or its fonts lack a letter: the SVG remains
            forms["image/png"] = base64.b64encode(self.png(NOTEBOOK_DPI)).decode("ascii")
        return forms

    @property
    def endings(self) -> tuple[str, ...]:
        """The endings of files that can hold it: an SVG only, where the embedded fonts lack one of its letters."""
        lacks = any(missing(text.text, text.face) for text in self.sheet.texts)
        return ENDINGS[:1] if lacks else ENDINGS

    def svg(self) -> str:
        """Return the figure as the text of an SVG file."""
        return svg(self.sheet, self.about)

    def pdf(self) -> bytes:
        """Return the figure as a PDF file of one page.

        Raises:
            InputError: the sentence has letters that the embedded fonts lack.
        """
        return pdf(self.sheet, self.about)

    def png(self, dpi: int = 300) -> bytes:
        """Return the figure as a PNG file with so many dots an inch, from 72 to 1200.

        Raises:
            InputError: the dots are too few or too many, the embedded fonts lack a letter, or pypdfium2 is missing.
        """
        return png(self.sheet, self.about, dpi)

    def file(self, ending: str, dpi: int = 300) -> bytes:
        """Return the figure as a file of one of `ENDINGS`; ``dpi`` is for a PNG.

        Raises:
            InputError: the ending is another one, or as `pdf` and `png`.
        """
        if ending not in ENDINGS:
            raise InputError(f"A figure is saved as .svg, .pdf or .png; .{ending[:20]} is none of them.")
        return {"svg": lambda: self.svg().encode("utf-8"), "pdf": self.pdf, "png": lambda: self.png(dpi)}[ending]()

    def save(self, path: str | PathLike[str], dpi: int = 300) -> Path:
        """Write the figure to a file, by its ending .svg, .pdf or .png, and return its path.

        Raises:
            InputError: the ending is another one, a PDF or PNG cannot hold the sentence's letters, or the dots an inch
                of a PNG, ``dpi``, are too few or too many.
        """
        path = Path(path)
        path.write_bytes(self.file(path.suffix.lower().removeprefix("."), dpi))
        return path
