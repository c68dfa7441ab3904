"""The picture of a link where it is pasted: the name of the app, a title and a sentence."""

import functools
import io
import textwrap

from PIL import Image, ImageDraw, ImageFont

from mha.assets import ASSETS
from mha.theme import colours

WIDTH, HEIGHT, MARGIN = 1200, 630, 76
SENTENCE = 480  # px above the sentence
SCALE = 2  # drawn twice as large, then halved: smooth edges
CACHED = 64  # pictures


def font(name: str, size: float) -> ImageFont.FreeTypeFont:
    """Return the pages' font "sans" or "serif" at a size in pixels of the picture."""
    return ImageFont.truetype(str(ASSETS / "fonts" / f"{name}.woff2"), size * SCALE)


def can_write(text: str) -> bool:
    """Return whether the fonts have every letter of a text."""
    serif = font("serif", 20)
    missing = bytes(serif.getmask("\U0010ffff"))
    return all(letter.isspace() or bytes(serif.getmask(letter)) != missing for letter in set(text))


@functools.lru_cache(CACHED)
def preview_picture(name: str, page: str, titles: tuple[str, ...], sentences: tuple[str, ...]) -> bytes:
    """Return a PNG with the name of the app, of a page, and the first title and sentence that the fonts can write."""
    image = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), colours()["background"])
    pen = ImageDraw.Draw(image)

    def write(x: float, y: float, text: str, name: str, size: float, colour: str = "text", anchor: str = "ls") -> None:
        pen.text((x * SCALE, y * SCALE), text, colours()[colour], font(name, size), anchor, spacing=size * 0.7)

    write(MARGIN, 88, name, "sans", 38)
    write(WIDTH - MARGIN, 88, page, "sans", 28, "muted", "rs")
    pen.line([(MARGIN * SCALE, 590 * SCALE), ((WIDTH - MARGIN) * SCALE, 590 * SCALE)], colours()["border"], 2 * SCALE)
    title, sentence = next(filter(can_write, titles)), next(filter(can_write, sentences))
    write(MARGIN, 180, textwrap.fill(title, 34, max_lines=3, placeholder=" …"), "serif", 58, anchor="la")
    write(MARGIN, SENTENCE, textwrap.fill(sentence, 60, max_lines=2, placeholder=" …"), "serif", 34, anchor="la")
    file = io.BytesIO()
    image.reduce(SCALE).save(file, "PNG", compress_level=6)  # a third of the time of higher levels
    return file.getvalue()
