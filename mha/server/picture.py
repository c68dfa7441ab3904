"""``/preview.png``: the picture of a link; kept, drawn two at a time, and never of what is not known already.

Whoever cannot have it within two seconds gets the one that comes with the program, which says nothing of the link.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs

from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from mha.assets import ASSETS, doing_without
from mha.link.pages import PAGES
from mha.link.word import Query
from mha.models.files.catalog import opens_with
from mha.readers.links import opened_link
from mha.server.drawing import drawn
from mha.server.first import First, first
from mha.server.preview import Preview, preview
from mha.ui.bound import models

PATH = "preview.png"
PAGE = "page"  # the word of the address that names the page
KEPT = 64
KEEP = "public, max-age=3600"
AT_ONCE = 2  # pictures that are drawn
PATIENCE = 2.0  # seconds until the bundled picture is sent
BUNDLED = ASSETS / "images" / PATH  # `python -m tools.preview_picture` draws it

_drawn: LRUCache[Preview, bytes] = LRUCache(KEPT)
_lock = threading.Lock()  # of what is kept: it is held for a look, never while something is drawn
_drawing = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="preview")  # threads of its own: pages are served by others


def opened(page: str, query: str) -> tuple[Preview, First]:
    """Return what a link says of itself, and what its page opens with, which is read once for both."""
    words = asked(query)
    with doing_without(lambda _name: None):  # the page will say so
        link, _ = opened_link(page, words, models())
        return preview(link, words), first(link)


def asked(query: str) -> Query:
    """Return the words of a link; a bare address has the model that it is opened with (`mha.ui.controls.open_with`)."""
    found = parse_qs(query, keep_blank_values=True, errors="replace")
    found.pop(PAGE, None)
    name = opens_with()
    return {"model": [name]} if name and not found else found


def picture(page: str, query: str) -> bytes:
    """Return the picture of a link, drawn once as long as it is among the last."""
    found, _ = opened(page, query)
    with _lock:
        known = _drawn.get(found)
    if known is None:
        known = drawn(found)
        with _lock:
            _drawn[found] = known
    return known


async def answer(request: Request) -> Response:
    """Answer with the picture of the link in the address, or with the bundled one where others are drawn for long."""
    page = request.query_params.get(PAGE, "")
    drawing = _drawing.submit(picture, page if page in PAGES else "", request.url.query)
    try:
        content = await asyncio.wait_for(asyncio.wrap_future(drawing), PATIENCE)  # out of patience, it leaves the line
    except TimeoutError:
        return _instead()
    return Response(content, media_type="image/png", headers={"Cache-Control": KEEP})


def _instead() -> Response:
    headers = {"Cache-Control": "no-store"}
    if not BUNDLED.is_file():
        return PlainTextResponse("Many pictures are asked for right now.", 503, headers | {"Retry-After": "5"})
    return FileResponse(BUNDLED, headers=headers)


async def icon(_request: Request) -> Response:
    """Answer with the icon of the app."""
    file = ASSETS / "images" / "icon.png"
    return (
        FileResponse(file, headers={"Cache-Control": KEEP}) if file.is_file() else PlainTextResponse("Not here.", 404)
    )


ROUTES = [
    Route("/{below:path}" + PATH, answer, methods=["GET"]),
    Route("/{below:path}icon.png", icon, methods=["GET"]),
]
