"""A link's picture, 1200 × 630, drawn without a browser: the sentence with its heads' arcs, in the page's own look."""

from __future__ import annotations

import functools
import io
import math
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from mha import assets
from mha.assets import ASSETS
from mha.link.pages import ABOUT, NAME
from mha.server.preview import Arc, Preview
from mha.streamlit_facts import STATIC
from mha.theme import colours

SIZE = (1200, 630)
LIGHT = colours()
TWICE = 2  # drawn twice as large, then halved: smooth curves
MARGIN = 76
BASE = 300  # where the sentence stands
STEPS = 900  # points of an arc
SAID = 506  # where the finding begins, under the lower arc
_FONTS = STATIC / "static" / "media"


@functools.cache
def _file(name: str) -> Path | None:
    return next(iter(sorted(_FONTS.glob(f"{name}*.woff2"))), None)


@functools.lru_cache(maxsize=64)
def font(serif: bool, size: int, weight: int = 400) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return the page's own font at a size in pixels of the picture, Pillow's where Streamlit brings none."""
    file = _file("SourceSerifVariable-Roman" if serif else "SourceSansVF-Upright")
    if file is None:
        return ImageFont.load_default(size * TWICE)
    found = ImageFont.truetype(str(file), size * TWICE)
    axes = [float(axis["default"] or 0) for axis in found.get_variation_axes()]
    names = [bytes(axis["name"]) for axis in found.get_variation_axes()]
    found.set_variation_by_axes([weight if b"eight" in name else axis for name, axis in zip(names, axes, strict=True)])
    return found


def can_write(text: str) -> bool:
    """Return whether the font has every letter of a text."""
    ours = font(True, 20)
    missing = bytes(ours.getmask("\U0010ffff"))
    return all(letter.isspace() or bytes(ours.getmask(letter)) != missing for letter in set(text))


def drawn(preview: Preview) -> bytes:
    """Return the picture as PNG; a text in a script that the fonts lack is left out."""
    image = Image.new("RGB", (SIZE[0] * TWICE, SIZE[1] * TWICE), LIGHT["background"])
    pen = ImageDraw.Draw(image)
    _brand(image, pen, preview)
    below = SAID if preview.arcs else BASE + 100
    if preview.pieces and can_write(" ".join(preview.pieces)):
        _sentence(pen, preview)
    else:
        said, _, page = preview.title.rpartition(" · ")[0].rpartition(" · ")
        title = said or page  # above it stands the page's name
        _wrapped(pen, title if can_write(title) else NAME, BASE, True, 62, LIGHT["text"])
    sentence = preview.sentence if can_write(preview.sentence) else ABOUT
    _wrapped(pen, sentence, below, True, 34, LIGHT["text"])
    file = io.BytesIO()
    image.reduce(TWICE).save(file, "PNG", compress_level=6)  # a third of what finer ways cost, and nobody sees it
    return file.getvalue()


def _brand(image: Image.Image, pen: ImageDraw.ImageDraw, preview: Preview) -> None:
    mark = assets.optional(ASSETS / "images" / "icon.png", _mark)
    if mark is not None:
        image.paste(mark, (MARGIN * TWICE, 46 * TWICE), mark)
    _write(pen, MARGIN + 66, 88, NAME, font(True, 36, 600), LIGHT["text"], "ls")
    parts = preview.title.split(" · ")
    if len(parts) > 1:
        _write(pen, SIZE[0] - MARGIN, 88, parts[-2], font(False, 28), LIGHT["muted"], "rs")
    pen.line([(MARGIN * TWICE, 590 * TWICE), ((SIZE[0] - MARGIN) * TWICE, 590 * TWICE)], LIGHT["border"], 2 * TWICE)


def _mark(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content)).convert("RGBA").resize((52 * TWICE, 52 * TWICE), Image.Resampling.LANCZOS)


def _write(pen: ImageDraw.ImageDraw, x: float, y: float, text: str, with_font, fill: str, anchor: str) -> None:
    pen.text((x * TWICE, y * TWICE), text, fill, with_font, anchor)


def _wrapped(pen: ImageDraw.ImageDraw, text: str, top: float, serif: bool, size: int, fill: str) -> None:
    """Write a text over at most two lines."""
    ours, room = font(serif, size), (SIZE[0] - 2 * MARGIN) * TWICE
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if ours.getlength(longer) <= room or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    if len(lines) > 2:
        lines = [lines[0], lines[1] + " …"]
    for number, line in enumerate(lines):
        _write(pen, MARGIN, top + number * size * 1.35, line, ours, fill, "ls")


def _sentence(pen: ImageDraw.ImageDraw, preview: Preview) -> None:
    """Write the sentence on one line, as large as it fits, and bend the arcs over and under it."""
    room = (SIZE[0] - 2 * MARGIN) * TWICE
    size = next((size for size in range(64, 15, -2) if _length(preview.pieces, size) <= room), 14)
    ours, gap = font(True, size), font(True, size).getlength(" ")
    middles, x = [], float(MARGIN * TWICE)
    for number, piece in enumerate(preview.pieces):
        if number and not _closes(piece):
            x += gap
        pen.text((x, BASE * TWICE), piece, LIGHT["text"], ours, "ls")
        middles.append(x + ours.getlength(piece) / 2)
        x += ours.getlength(piece)
    for number, arc in enumerate(preview.arcs):
        _arc(pen, arc, middles[arc.query], middles[arc.key], size, up=number == 0)


def _closes(piece: str) -> bool:
    return piece[0] in ".,;:!?)’'%" and len(piece) < 4


def _length(pieces: tuple[str, ...], size: int) -> float:
    ours = font(True, size)
    gaps = sum(not _closes(piece) for piece in pieces[1:])
    return sum(ours.getlength(piece) for piece in pieces) + gaps * ours.getlength(" ")


def _arc(pen: ImageDraw.ImageDraw, arc: Arc, start: float, end: float, size: int, up: bool) -> None:
    """Bend an arc from one word to another, as thick as the look is strong, with an arrow, the head and the weight."""
    edge = (BASE - size * 0.95 if up else BASE + size * 0.42) * TWICE
    height = min(92.0, 42 + abs(end - start) / TWICE * 0.12) * TWICE * (-1 if up else 1)
    width = (3 + 8 * arc.share) * TWICE
    colour = LIGHT["accent"]
    points = []
    for step in range(STEPS + 1):
        turn = math.pi * step / STEPS
        x = (start + end) / 2 + (start - end) / 2 * math.cos(turn)
        points.append((x, edge + height * math.sin(turn) ** 0.75))
    tip, wide = points[-1], width * 0.9 + 6 * TWICE
    back = tip[1] + math.copysign(wide * 1.2, height)
    hidden = next(number for number, point in enumerate(reversed(points)) if abs(point[1] - tip[1]) >= wide)
    shaft = [*points[: len(points) - hidden], (tip[0], back)]  # it ends where the arrow begins
    pen.line(shaft[:2], colour, round(width))  # square at its start
    for x, y in shaft[1:]:  # a line of Pillow's has rough edges where it bends
        pen.circle((x, y), width / 2, colour)
    pen.polygon(
        [(tip[0], tip[1] - math.copysign(4 * TWICE, height)), (tip[0] - wide, back), (tip[0] + wide, back)], colour
    )
    label = f"{arc.head} · {arc.weight}"
    top = edge + height + math.copysign(width / 2 + 10 * TWICE, height)
    pen.text(((start + end) / 2, top), label, LIGHT["text"], font(False, 25, 600), "ms" if up else "mt")
