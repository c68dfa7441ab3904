"""A figure that is ready for a paper: its sheet, its caption, and where its numbers come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from mha.errors import InputError
from mha.figures.print.marks import POINTS_PER_MM, Sheet
from mha.figures.print.pdf import pdf
from mha.figures.print.svg import svg


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
        return self.svg()

    def svg(self) -> str:
        """Return the figure as the text of an SVG file."""
        return svg(self.sheet, self.about)

    def pdf(self) -> bytes:
        """Return the figure as a PDF file of one page.

        Raises:
            InputError: the sentence has letters that the embedded fonts lack.
        """
        return pdf(self.sheet, self.about)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the figure to a file, by its ending .svg or .pdf, and return its path; raise InputError for another.

        Raises:
            InputError: the ending is another one, or a PDF cannot hold the sentence's letters.
        """
        file = Path(path)
        ending = file.suffix.lower()
        if ending not in (".svg", ".pdf"):
            raise InputError(f"A figure is saved as .svg or .pdf; {file.name!r} is neither.")
        file.write_bytes(self.pdf() if ending == ".pdf" else self.svg().encode("utf-8"))
        return file
