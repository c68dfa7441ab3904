"""A sheet as SVG, PDF or PNG: text stays text, and the three are one picture.

An SVG has nothing clipped, masked, scripted or a bitmap; a PDF, by reportlab, has its fonts embedded and the sheet's
size as the page's; a PNG is the PDF, drawn by PDFium.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from numbers import Integral
from typing import Any
from xml.etree import ElementTree

from mha.errors import InputError
from mha.figures.print.marks import (
    FACES,
    POINTS_PER_MM,
    AnyMark,
    Lettering,
    Line,
    Outline,
    Rect,
    Sheet,
    font_file,
    missing,
    width,
)

NAMESPACE = "http://www.w3.org/2000/svg"
DUBLIN = "http://purl.org/dc/elements/1.1/"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
FAMILIES = {
    "sans": {"font-family": "'Source Sans 3', Arial, Helvetica, sans-serif"},
    "bold": {"font-family": "'Source Sans 3', Arial, Helvetica, sans-serif", "font-weight": "600"},
    "serif": {"font-family": "'Source Serif 4', 'Times New Roman', Times, serif"},
}


def svg(sheet: Sheet, about: Mapping[str, str]) -> str:
    """Return a sheet as the text of an SVG file; ``about`` has title, description and further names of Dublin Core.

    The same sheet gives the same bytes: coordinates have two decimals, and there is neither a date nor a random name.
    """
    root = ElementTree.Element(
        "svg",
        {
            "xmlns": NAMESPACE,
            "width": f"{_number(sheet.width / POINTS_PER_MM)}mm",
            "height": f"{_number(sheet.height / POINTS_PER_MM)}mm",
            "viewBox": f"0 0 {_number(sheet.width)} {_number(sheet.height)}",
            "role": "img",
        },
    )
    ElementTree.SubElement(root, "title").text = about.get("title", "")
    ElementTree.SubElement(root, "desc").text = about.get("description", "")
    told = ElementTree.SubElement(root, "metadata")
    frame = ElementTree.SubElement(told, "rdf:RDF", {"xmlns:rdf": RDF, "xmlns:dc": DUBLIN})
    work = ElementTree.SubElement(frame, "rdf:Description", {"rdf:about": ""})
    for name, value in about.items():
        ElementTree.SubElement(work, f"dc:{name}").text = value
    for mark in sheet.marks:
        _draw(root, mark)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _draw(root: ElementTree.Element, mark: AnyMark) -> None:
    if isinstance(mark, Lettering):
        _text(root, mark)
    elif isinstance(mark, Line):
        ends = {"x1": mark.x1, "y1": mark.y1, "x2": mark.x2, "y2": mark.y2}
        ElementTree.SubElement(root, "line", _numbers(ends) | _stroke(mark.stroke, mark.line))
    elif isinstance(mark, Rect):
        sides = {"x": mark.x, "y": mark.y, "width": mark.width, "height": mark.height}
        paint = {"fill": mark.fill or "none"} | _stroke(mark.stroke, mark.line)
        ElementTree.SubElement(root, "rect", _numbers(sides) | paint)
    else:
        paint = {"fill": mark.fill or "none"} | _stroke(mark.stroke, mark.line)
        ElementTree.SubElement(root, "path", {"d": _steps(mark)} | paint)


def _text(root: ElementTree.Element, mark: Lettering) -> None:
    where = {"x": mark.x, "y": mark.y}
    how = FAMILIES[mark.face] | {"font-size": _number(mark.size), "fill": mark.fill, "text-anchor": mark.anchor}
    if mark.text.strip() and not missing(mark.text, mark.face):  # as wide as it was laid out, whatever font is there
        how |= {"textLength": _number(width(mark.text, mark.size, mark.face)), "lengthAdjust": "spacingAndGlyphs"}
    if mark.turn:
        how["transform"] = f"rotate({_number(-mark.turn)} {_number(mark.x)} {_number(mark.y)})"
    ElementTree.SubElement(root, "text", _numbers(where) | how).text = mark.text


def _stroke(colour: str, line: float) -> dict[str, str]:
    return {"stroke": colour, "stroke-width": _number(line)} if colour else {}


def _steps(path: Outline) -> str:
    """Return the steps of a path; a rectangle is its corner and two sides, which halves a sheet of many cells."""
    told, place, steps = [], 0, path.steps
    while place < len(steps):
        if "".join(letter for letter, _ in steps[place : place + 5]) == "MLLLZ":
            (x, y), (x2, y2), (x3, y3), (x4, y4) = (
                [round(number, 2) for number in numbers] for _, numbers in steps[place : place + 4]
            )
            if (y, x2, y3, x4) == (y2, x3, y4, x):
                told.append(f"M{_number(x)} {_number(y)}h{_number(x2 - x)}v{_number(y3 - y)}h{_number(x - x2)}Z")
                place += 5
                continue
        letter, numbers = steps[place]
        told.append(letter + " ".join(map(_number, numbers)))
        place += 1
    return "".join(told)


def _numbers(values: Mapping[str, float]) -> dict[str, str]:
    return {name: _number(value) for name, value in values.items()}


def _number(value: float) -> str:
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


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
        _put(page, mark)
    page.showPage()
    page.save()
    return made.getvalue()


def _name(face: str) -> str:
    return f"ParallaxPrint-{face}"


def _put(page: Any, mark: AnyMark) -> None:
    if isinstance(mark, Lettering):
        _write(page, mark)
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


def _write(page: Any, mark: Lettering) -> None:
    write = {"start": page.drawString, "middle": page.drawCentredString, "end": page.drawRightString}[mark.anchor]
    page.saveState()
    page.setFont(_name(mark.face), mark.size)
    page.setFillColor(mark.fill)
    page.translate(mark.x, mark.y)
    page.scale(1, -1)  # letters stand upright again
    page.rotate(mark.turn)
    write(0, 0, mark.text)
    page.restoreState()


LEAST_DPI, MOST_DPI = 72, 1200
MOST_PIXELS = 60_000_000


def png(sheet: Sheet, about: Mapping[str, str], dpi: int = 300) -> bytes:
    """Return a sheet as a PNG file with so many dots an inch; ``about`` is kept in it under names of Dublin Core.

    Raises:
        InputError: the dots are too few or too many, the embedded fonts lack a letter, or PDFium is not installed.
    """
    if isinstance(dpi, bool) or not isinstance(dpi, Integral) or not LEAST_DPI <= dpi <= MOST_DPI:
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
