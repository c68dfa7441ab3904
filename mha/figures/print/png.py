"""A sheet as PNG: the PDF, drawn by PDFium, so that the three formats are one picture."""

from __future__ import annotations

import io
from collections.abc import Mapping

from mha.errors import InputError
from mha.figures.print.marks import POINTS_PER_MM, Sheet
from mha.figures.print.pdf import pdf

LEAST_DPI, MOST_DPI = 72, 1200
MOST_PIXELS = 60_000_000


def png(sheet: Sheet, about: Mapping[str, str], dpi: int = 300) -> bytes:
    """Return a sheet as a PNG file with so many dots an inch; ``about`` is kept in it under names of Dublin Core.

    Raises:
        InputError: the dots are too few or too many, the embedded fonts lack a letter, or PDFium is not installed.
    """
    if isinstance(dpi, bool) or not isinstance(dpi, int) or not LEAST_DPI <= dpi <= MOST_DPI:
        raise InputError(f"A PNG has {LEAST_DPI} to {MOST_DPI} dots an inch; this is {dpi!r}.")
    if sheet.width * sheet.height * (dpi / 72) ** 2 > MOST_PIXELS:
        high = sheet.height / POINTS_PER_MM
        raise InputError(f"At {dpi} dots an inch a figure {high:.0f} mm high has too many; choose fewer.")
    try:
        import pypdfium2
        from PIL.PngImagePlugin import PngInfo
    except ModuleNotFoundError as error:
        raise InputError("A figure as PNG needs pypdfium2: pip install 'mha-parallax[figures]'.") from error
    document = pypdfium2.PdfDocument(pdf(sheet, about))
    try:
        picture = document[0].render(scale=dpi / 72).to_pil().convert("RGB")
    finally:
        document.close()
    told, made = PngInfo(), io.BytesIO()
    for name, value in about.items():
        told.add_itxt(name, value)
    picture.save(made, "PNG", dpi=(dpi, dpi), pnginfo=told, optimize=True)
    return made.getvalue()
