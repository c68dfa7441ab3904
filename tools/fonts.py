"""The fonts of a first view: the parts of Streamlit's fonts that our pages need, a twelfth of the whole ones' bytes.

They are declared after Streamlit's, under its names, for the characters that they have: a browser takes them for those
and asks for a whole font only where a text has another character. ``python -m tools.fonts`` makes them from the
installed Streamlit; it needs fonttools (``pip install fonttools``), which nothing else does.
"""

import argparse
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mha.assets import ASSETS
from mha.streamlit_facts import STATIC

FOLDER = ASSETS / "fonts"
SHEET = ASSETS / "css" / "fonts.css"
_ICON = re.compile(r":material/([a-z0-9_]+):")
# Latin letters of Western Europe, spaces, punctuation, arrows, and the signs of our formulas.
CHARACTERS = tuple(
    map(
        chr,
        (
            *range(0x20, 0x7F), *range(0xA0, 0x100), 0x131, 0x152, 0x153, 0x2C6, 0x2DC, 0x3BB, *range(0x2002, 0x200B),
            *range(0x2010, 0x2027), 0x2030, 0x2032, 0x2033, 0x2039, 0x203A, 0x2044, 0x20AC, 0x2122,
            *range(0x2190, 0x2194), 0x2212, 0x221A, 0x2248, 0x2260, 0x2264, 0x2265,
        ),
    )
)  # fmt: skip


class Face(NamedTuple):
    """One subset: its name in CSS, its source font, and the kept range of each axis (a number: one position)."""

    family: str
    style: str
    source: str
    axes: Mapping[str, Any]
    name: str = ""  # its own, inside the file; "" keeps the source's


BOLDNESS = (400, 700)
TEXT, LARGER = {"opsz": 20, "wght": BOLDNESS}, {"opsz": (20, 60), "wght": BOLDNESS}  # sizes for which letters are cut
FACES = {
    "serif": Face("Source Serif", "normal", "SourceSerifVariable-Roman", LARGER, "Parallax Serif"),
    "serif-italic": Face("Source Serif", "italic", "SourceSerifVariable-Italic", TEXT, "Parallax Serif"),
    "sans": Face("Source Sans", "normal", "SourceSansVF-Upright", {"wght": BOLDNESS}, "Parallax Sans"),
    "sans-italic": Face("Source Sans", "italic", "SourceSansVF-Italic", {"wght": BOLDNESS}, "Parallax Sans"),
    "code": Face("Source Code Pro", "normal", "SourceCodeVF-Upright", {"wght": BOLDNESS}, "Parallax Code"),
    "icons": Face("Material Symbols Rounded", "normal", "MaterialSymbols-Rounded", {}),
}  # fmt: skip

PRINTED = {  # what figures for print are set in: one place on each axis, since a PDF takes no variable font
    "print-sans": Face("", "normal", "SourceSansVF-Upright", {"wght": 400}, "Parallax Print Sans"),
}
# Latin with Vietnamese, Greek, Cyrillic, and signs.
PRINTED_CHARACTERS = (*range(0x20, 0x250), *range(0x370, 0x530), *range(0x1E00, 0x1F00), *range(0x2000, 0x2300))


def icons() -> tuple[str, ...]:
    """Return the names of all icons that Streamlit's own pages or ours draw."""
    sources = [
        *(STATIC / "static" / "js").glob("*.js"),
        *ASSETS.parent.glob("pages/*.py"),
        *(ASSETS.parent / "mha").rglob("*.py"),
    ]
    return tuple(sorted({name for source in sources for name in _ICON.findall(source.read_text(encoding="utf-8"))}))


def _range(characters: Iterable[int]) -> str:
    """Return code points as CSS writes them.

    >>> _range([65, 66, 67, 97])
    'U+41-43, U+61'
    """
    rows: list[list[int]] = []
    for code in sorted(characters):
        if rows and rows[-1][1] == code - 1:
            rows[-1][1] = code
        else:
            rows.append([code, code])
    return ", ".join(f"U+{first:X}" + (f"-{last:X}" if last > first else "") for first, last in rows)


def write() -> Iterator[str]:
    """Write the parts and the sheet that declares them; yield a line about each."""
    rules = [f"/* Written by `python -m tools.fonts`. Icons: {' '.join(icons())} */"]
    for name, face in FACES.items():
        (source,) = (STATIC / "static" / "media").glob(face.source + ".*")
        subset, has = _part(face, source)
        (FOLDER / f"{name}.woff2").write_bytes(subset)
        rules.append(_rule(name, face, has))
        yield f"{name}: {len(subset):,} bytes of {source.stat().st_size:,}"
    SHEET.write_text("\n".join(rules) + "\n", encoding="utf-8")
    for name, face in PRINTED.items():
        (source,) = (STATIC / "static" / "media").glob(face.source + ".*")
        subset = _printed(face, source)
        (FOLDER / f"{name}.ttf").write_bytes(subset)
        yield f"{name}: {len(subset):,} bytes of {source.stat().st_size:,}"


def _rule(name: str, face: Face, has: str) -> str:
    """Return the rule of a part, with the weights that Streamlit declares: a browser chooses among equals by range."""
    weights, display = ("100 900", "swap") if face.axes else ("400", "block")  # the name of an icon is not an icon
    return (
        f'@font-face {{ font-family: "{face.family}"; font-style: {face.style}; font-weight: {weights}; '
        f'font-display: {display}; src: url("../fonts/{name}.woff2") format("woff2"); unicode-range: {has}; }}'
    )


def _part(face: Face, source: Path) -> tuple[bytes, str]:
    from fontTools import subset
    from fontTools.ttLib import TTFont
    from fontTools.varLib import instancer

    font, options = TTFont(source, recalcTimestamp=False), subset.Options()
    options.layout_features = ["kern", "liga", "rlig", "mark", "mkmk", "ccmp", "locl", "calt", "tnum", "lnum"]
    options.name_IDs = ["*"]
    options.layout_closure = bool(face.axes)  # else the letters of an icon's name keep all icons
    cut = subset.Subsetter(options)
    if face.axes:
        cut.populate(unicodes=map(ord, CHARACTERS))
    else:
        cut.populate(unicodes=map(ord, "_abcdefghijklmnopqrstuvwxyz0123456789"), glyphs=_icon_glyphs(font))
    cut.subset(font)
    font = _reopen(font)
    if face.axes:
        font = instancer.instantiateVariableFont(font, dict(face.axes))
    _name_record(font, face.name)
    return _saved(font), _range(font.getBestCmap())


def _printed(face: Face, source: Path) -> bytes:
    """Return one cut of a variable font as TrueType, without the features that a PDF's writer does not read."""
    from fontTools import subset
    from fontTools.ttLib import TTFont
    from fontTools.varLib import instancer

    font, options = TTFont(source, recalcTimestamp=False), subset.Options()
    options.layout_features, options.hinting, options.name_IDs = [], False, ["*"]
    font.flavor = None
    font = instancer.instantiateVariableFont(font, dict(face.axes))
    cut = subset.Subsetter(options)
    cut.populate(unicodes=PRINTED_CHARACTERS)
    cut.subset(font)
    _name_record(font, face.name)
    for record in font["name"].names:
        if record.nameID in (4, 6):  # the variable font calls itself ExtraLight
            record.string = face.name.replace(" ", "" if record.nameID == 6 else " ")
    return _saved(font, None)


def _name_record(font: Any, name: str) -> None:
    for record in font["name"].names if name else ():
        if record.nameID != 0:  # the copyright stays as it is
            record.string = re.sub(r"Source ?(Serif|Sans|Code) ?(Pro|[34])?", name, record.toUnicode())


def _icon_glyphs(font: Any) -> list[str]:
    """Return the glyphs of our icons: a font of icons spells them as ligatures."""
    letters, glyphs, names = font.getBestCmap(), {}, set(icons())
    spelt = {glyph: chr(code) for code, glyph in letters.items()}
    for lookup in font["GSUB"].table.LookupList.Lookup:
        for table in lookup.SubTable:
            table = getattr(table, "ExtSubTable", table)
            for first, ligatures in getattr(table, "ligatures", {}).items():
                for ligature in ligatures:
                    name = "".join(spelt.get(glyph, "?") for glyph in [first, *ligature.Component])
                    glyphs[name] = ligature.LigGlyph
    return [glyphs[name] for name in sorted(names & set(glyphs))]


def _reopen(font: Any) -> Any:
    from fontTools.ttLib import TTFont

    font.flavor = None
    return TTFont(io.BytesIO(_saved(font, None)), recalcTimestamp=False)


def _saved(font: Any, flavor: str | None = "woff2") -> bytes:
    buffer = io.BytesIO()
    font.flavor = flavor
    font.save(buffer)
    return buffer.getvalue()


if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m tools.fonts", description=__doc__).parse_args()
    print(*write(), sep="\n")
