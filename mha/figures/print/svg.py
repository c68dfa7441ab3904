"""A sheet as SVG: text stays text, nothing is clipped, masked, scripted or a bitmap."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree

from mha.figures.print.marks import POINTS_PER_MM, AnyMark, Lettering, Line, Outline, Rect, Sheet
from mha.figures.print.metrics import missing, width

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
