"""A sheet as PDF, by reportlab: fonts embedded, text kept as text, the sheet's size as the page's."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from mha.errors import InputError
from mha.figures.print.marks import FACES, AnyMark, Lettering, Line, Outline, Rect, Sheet
from mha.figures.print.metrics import font_file, missing


def pdf(sheet: Sheet, about: Mapping[str, str]) -> bytes:
    """Return a sheet as a PDF of one page; ``about`` has its title, description and further names for the keywords.

    Raises:
        InputError: a text has characters that the embedded fonts lack; an SVG leaves them to the reader's fonts.
    """
    for text in sheet.texts:
        lacking = missing(text.text, text.face)
        if lacking:
            raise InputError(
                f"The fonts that a PDF takes along have no {lacking[0]!r} (in {text.text!r}). Save the figure as SVG."
            )
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.pdfgen.canvas import Canvas

    for face in FACES:
        if _name(face) not in pdfmetrics.getRegisteredFontNames():
            pdfmetrics.registerFont(TTFont(_name(face), font_file(face)))
    made = io.BytesIO()
    page = Canvas(
        made,
        pagesize=(sheet.width, sheet.height),
        initialFontName=_name("sans"),  # else the file names Helvetica too, and does not embed it
        invariant=1,  # the same figure is the same bytes
        lang="en",
    )
    page.setTitle(about.get("title", ""))
    page.setSubject(about.get("description", ""))
    page.setAuthor(about.get("creator", ""))
    page.setCreator(about.get("creator", ""))
    page.setKeywords([f"{name}: {value}" for name, value in about.items() if name not in ("title", "description")])
    page.transform(1, 0, 0, -1, 0, sheet.height)  # y runs down, as on the sheet
    for mark in sheet.marks:
        _draw(page, mark)
    page.showPage()
    page.save()
    return made.getvalue()


def _name(face: str) -> str:
    return f"ParallaxPrint-{face}"


def _draw(page: Any, mark: AnyMark) -> None:
    if isinstance(mark, Lettering):
        _text(page, mark)
        return
    page.setLineWidth(mark.line)
    if mark.stroke:
        page.setStrokeColor(mark.stroke)
    if isinstance(mark, Line):
        page.line(mark.x1, mark.y1, mark.x2, mark.y2)
        return
    if mark.fill:
        page.setFillColor(mark.fill)
    if isinstance(mark, Rect):
        page.rect(mark.x, mark.y, mark.width, mark.height, stroke=bool(mark.stroke), fill=bool(mark.fill))
    else:
        _path(page, mark)


def _path(page: Any, mark: Outline) -> None:
    path = page.beginPath()
    draw = {"M": path.moveTo, "L": path.lineTo, "C": path.curveTo, "Z": path.close}
    for letter, numbers in mark.steps:
        draw[letter](*numbers)
    page.drawPath(path, stroke=bool(mark.stroke), fill=bool(mark.fill))


def _text(page: Any, mark: Lettering) -> None:
    write = {"start": page.drawString, "middle": page.drawCentredString, "end": page.drawRightString}[mark.anchor]
    page.saveState()
    page.setFont(_name(mark.face), mark.size)
    page.setFillColor(mark.fill)
    page.translate(mark.x, mark.y)
    page.scale(1, -1)  # letters stand upright again
    page.rotate(mark.turn)
    write(0, 0, mark.text)
    page.restoreState()
