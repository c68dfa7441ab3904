"""What a link shows where it is pasted, and before its page is drawn: title, description, texts and a picture.

Recordings that the engine has already are used; no model runs for a preview.
"""

from __future__ import annotations

import asyncio
import functools
import io
import textwrap
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from urllib.parse import parse_qs

from PIL import Image, ImageDraw, ImageFont
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from mha import engine
from mha.analysis.opening import example_readings
from mha.assets import ASSETS
from mha.errors import InputError, MHAError
from mha.link.link import Link
from mha.link.pages import ABOUT, NAME, PAGES, page_row
from mha.link.view import View
from mha.link.word import Query
from mha.maps import HeadId
from mha.models.files.catalog import opens_with
from mha.readers.links import opened_link
from mha.screens.blocks import as_text
from mha.screens.guessing import QUESTION
from mha.screens.heads.findings import ASK
from mha.screens.heads.overview import overview_of
from mha.screens.heads.picture import SCALE_OF
from mha.screens.shown import shown_for
from mha.theme import colours
from mha.ui.bound import models
from mha.words import accept

PAGE = "page"  # the parameter of the picture's address that names the page
LONGEST = 120  # characters of a text in a title, a picture and in large type
PATIENCE = 2.0  # seconds until the bundled picture is sent
CACHED = 64  # pictures
BUNDLED = ASSETS / "images" / "preview.png"  # `python -m tools.preview_picture` draws it
WIDTH, HEIGHT, MARGIN = 1200, 630, 76
BASELINE, FINDING = 300, 520  # of the text, and of the description below arcs
SCALE = 2  # drawn twice as large, then halved: smooth edges

_drawing = ThreadPoolExecutor(1, thread_name_prefix="preview")  # pictures never delay pages
Span = tuple[int, int]  # characters of a text


@dataclass(frozen=True)
class Preview:
    """A link's title and description, the texts and the sentence of its page's first answer, and arcs over its text.

    An arc is a head's strongest connection: head, characters of the query, characters of the key, share in per cent.
    """

    title: str
    description: str
    texts: tuple[str, ...] = ()
    sentence: str = ""
    arcs: tuple[tuple[str, Span, Span, int], ...] = ()


def preview_of(page: str, query: str) -> Preview:
    """Return the preview of a page's address; a bare address has the model that the app opens with."""
    params = parse_qs(query, keep_blank_values=True, errors="replace")
    params.pop(PAGE, None)
    if not params and opens_with():
        params = {"model": [opens_with()]}
    link, _ = opened_link(page, params, models())
    row, view, texts = page_row(link.page), link.view, first_texts(link, params)
    hides = row.of_text and not view.reveal  # a class guesses first
    sentence, title = QUESTION if hides else row.about, f"{row.title} · {NAME}"
    if not texts or len(texts[0]) > LONGEST or (link.page and "text" not in params):
        return Preview(title, sentence, texts, sentence)
    finding, arcs = ("", ()) if hides or link.page else heads_finding(view, texts[0])
    return Preview(f"“{texts[0]}” · {title}", finding or sentence, texts, sentence, arcs)


def first_texts(link: Link, params: Query) -> tuple[str, ...]:
    """Return the texts that a page opens with; () if it has none."""
    others = [params[name][-1] for name in page_row(link.page).second if name in params and link.page == "compare"]
    texts = tuple(filter(None, map(accepted_text, (link.view.text, *others[:1]))))
    return texts if page_row(link.page).opens_with_text and accepted_text(link.view.text) else ()


def accepted_text(text: str) -> str:
    """Return a text as pages accept it, "" if it is refused."""
    try:
        return accept(text).text
    except InputError:
        return ""


def heads_finding(view: View, text: str) -> tuple[str, tuple[tuple[str, Span, Span, int], ...]]:
    """Return what Heads finds in a recorded text, and the strongest connections of its first two pinned heads."""
    try:
        recording = engine.known(engine.Request(view.text, view.model))
        if recording is None or recording.maps.text != text:
            return "", ()
        shown = shown_for(replace(view, units="words"), recording.maps, example_readings(recording.maps))
        header = overview_of(shown, SCALE_OF[view.scale], asks=False).header
    except MHAError:
        return "", ()
    arcs = []
    for name in header["pins"][:2]:
        head = HeadId.parse(name)
        look = header["looks"][head.layer * header["heads"] + head.head]
        ends = [shown.maps.tokens[position] for position in look[:2]] if look else []
        if ends and not any(token.special for token in ends):
            query, key = ((token.start, token.end) for token in ends)
            arcs.append((name, query, key, look[2]))
    return as_text(header["finding"][0]).removesuffix(ASK).rstrip() if header["finding"] else "", tuple(arcs)


async def answer_picture(request: Request) -> Response:
    """Answer with the picture of the link in the address, or with the bundled one if drawing fails or takes long."""
    page, loop = request.query_params.get(PAGE, ""), asyncio.get_running_loop()
    drawing = loop.run_in_executor(_drawing, picture_of, page if page in PAGES else "", request.url.query)
    try:
        content = await asyncio.wait_for(drawing, PATIENCE)
    except (TimeoutError, OSError):  # it takes long, or a font is missing
        return FileResponse(BUNDLED, headers={"Cache-Control": "no-store"})
    return Response(content, headers={"Cache-Control": "public, max-age=3600"}, media_type="image/png")


def picture_of(page: str, query: str) -> bytes:
    """Return the picture of a page's address."""
    return draw_preview(preview_of(page, query))


def font(name: str, size: float) -> ImageFont.FreeTypeFont:
    """Return the pages' font "sans" or "serif" at a size in pixels of the picture."""
    return ImageFont.truetype(str(ASSETS / "fonts" / f"{name}.woff2"), size * SCALE)


def can_write(text: str) -> bool:
    """Return whether the fonts have every letter of a text."""
    serif = font("serif", 20)
    missing = bytes(serif.getmask("\U0010ffff"))
    return all(letter.isspace() or bytes(serif.getmask(letter)) != missing for letter in set(text))


@functools.lru_cache(CACHED)
def draw_preview(preview: Preview) -> bytes:
    """Return the picture of a preview as PNG; texts in a script that the fonts lack are left out."""
    image = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), colours()["background"])
    pen, (*text, page, _) = ImageDraw.Draw(image), preview.title.rsplit(" · ", 2)

    def write(x: float, y: float, text: str, name: str, size: float, colour: str = "text", anchor: str = "ls") -> None:
        pen.text((x * SCALE, y * SCALE), text, colours()[colour], font(name, size), anchor, spacing=size * 0.7)

    write(MARGIN, 88, NAME, "sans", 38)
    write(WIDTH - MARGIN, 88, page * bool(text), "sans", 28, "muted", "rs")
    pen.line([(MARGIN * SCALE, 590 * SCALE), ((WIDTH - MARGIN) * SCALE, 590 * SCALE)], colours()["border"], 2 * SCALE)
    if preview.arcs and can_write(sentence := preview.texts[0]):
        size = min(64.0, 64 * (WIDTH - 2 * MARGIN) * SCALE / font("serif", 64).getlength(sentence))
        write(MARGIN, BASELINE, sentence, "serif", size)
        for number, arc in enumerate(preview.arcs):
            draw_arc(pen, sentence, size, arc, is_above=number == 0)
    else:
        title = next(filter(can_write, (*text, page, NAME)))
        write(MARGIN, 180, textwrap.fill(title, 34, max_lines=3, placeholder=" …"), "serif", 58, anchor="la")
    description = preview.description if can_write(preview.description) else ABOUT
    lines = textwrap.fill(description, 60, max_lines=2, placeholder=" …")
    write(MARGIN, FINDING - 40, lines, "serif", 34, anchor="la")
    file = io.BytesIO()
    image.reduce(SCALE).save(file, "PNG", compress_level=6)  # a third of the time of higher levels
    return file.getvalue()


def draw_arc(
    pen: ImageDraw.ImageDraw, text: str, size: float, arc: tuple[str, Span, Span, int], is_above: bool
) -> None:
    """Draw an arc from a query to a key above or below a text, its width by its share, with head and share."""
    head, *spans, share = arc
    serif, colour, up = font("serif", size), colours()["accent"], -1 if is_above else 1
    start, end = (MARGIN * SCALE + (serif.getlength(text[:a]) + serif.getlength(text[:b])) / 2 for a, b in spans)
    edge = (BASELINE + (-0.95 if is_above else 0.42) * size) * SCALE
    width, tip = round((3 + 0.08 * share) * SCALE), 10 * SCALE
    height = min(92.0, 42 + abs(end - start) / SCALE * 0.12) * SCALE
    left, right, back = min(start, end), max(start, end), edge + up * tip
    box = (left - width / 2, back - height, right + width / 2, back + height)
    pen.arc(box, *((180, 360) if is_above else (0, 180)), colour, width)
    pen.polygon([(end, edge), (end - tip, back + up * tip), (end + tip, back + up * tip)], colour)
    crown = ((start + end) / 2, back + up * (height + 8 * SCALE))
    pen.text(crown, f"{head} · {share}\u00a0%", colours()["text"], font("sans", 25), "ms" if is_above else "mt")
