"""Previews of a pasted link: title, description and a picture. No model runs for a preview."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from mha.assets import ASSETS
from mha.cuts import CUT, MOST_CUTS
from mha.errors import InputError
from mha.examples import DEFAULT_TEXT, OPENS_HEADS
from mha.figures.preview import preview_picture
from mha.navigation import ABOUT, GUESS_FIRST, NAME, PAGES, page_row
from mha.words import accept

PAGE = "page"  # the parameter of the picture's address that names the page
CUTTING = ("next", "matters")  # pages that cut links
LONGEST = 120  # characters of a text in a title and a picture
PATIENCE = 2.0  # seconds until the bundled picture is sent
BUNDLED = ASSETS / "images" / "preview.png"  # `python -m tools.preview_picture` draws it

_drawing = ThreadPoolExecutor(1, thread_name_prefix="preview")  # pictures never delay pages


@dataclass(frozen=True)
class Preview:
    """The name of a link's page, its text in quotation marks or "", and its description."""

    page: str
    text: str
    description: str

    @property
    def title(self) -> str:
        """The title of the link."""
        return " · ".join(filter(None, (self.text, self.page, NAME)))


def preview_of(page: str, query: str) -> Preview:
    """Return the preview of a page's address; a class that guesses first is asked."""
    params = parse_qs(query, keep_blank_values=True, errors="replace")
    row = page_row(page)
    opening = DEFAULT_TEXT if params.keys() - {PAGE} else OPENS_HEADS
    text = params.get("text", [opening if page == "" else ""])[-1]
    guesses = row.of_text and params.get("reveal", ["1"])[-1] == "0"
    description = GUESS_FIRST if guesses else row.about
    if page in CUTTING:
        description = (
            "".join(f"{name} cut. " for name in params.get("cut", [])[:MOST_CUTS] if re.fullmatch(CUT, name))
            + description
        )
    return Preview(row.title, quoted_text(text) if row.opens_with_text else "", description)


def quoted_text(text: str) -> str:
    """Return a text as pages accept it, in quotation marks; "" if it is refused or too long for a title."""
    try:
        accepted = accept(text).text
    except InputError:
        return ""
    return f"“{accepted}”" if len(accepted) <= LONGEST else ""


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
    preview = preview_of(page, query)
    titles = tuple(filter(None, (preview.text, preview.page, NAME)))
    return preview_picture(NAME, preview.page if preview.text else "", titles, (preview.description, ABOUT))
