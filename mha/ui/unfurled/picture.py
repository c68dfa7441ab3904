"""``/preview.png``: the picture of a link; kept, drawn one at a time, and never of what is not known already."""

from __future__ import annotations

import threading
from urllib.parse import parse_qs

from cachetools import LRUCache
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from mha.assets import ASSETS
from mha.link.word import Query
from mha.models.files.catalog import opens_with
from mha.screens.first import First, first
from mha.screens.preview import PAGES, Preview, preview
from mha.ui.bound import models
from mha.ui.unfurled.drawing import drawn

PATH = "preview.png"
PAGE = "page"  # the word of the address that names the page
KEPT = 64
KEEP = "public, max-age=3600"

_drawn: LRUCache[Preview, bytes] = LRUCache(KEPT)
_lock = threading.Lock()


def of_link(page: str, query: str) -> Preview:
    """Return what a link says of itself."""
    with _lock:
        return preview(page, asked(query), models())


def opened(page: str, query: str) -> tuple[Preview, First]:
    """Return what a link says of itself, and what its page opens with; the link is read once for both."""
    words = asked(query)
    with _lock:
        offered = models()
        return preview(page, words, offered), first(page, words, offered)


def asked(query: str) -> Query:
    """Return the words of a link; a bare address has the model that it is opened with (`mha.ui.controls.open_with`)."""
    found = parse_qs(query, keep_blank_values=True, errors="replace")
    found.pop(PAGE, None)
    name = opens_with()
    return {"model": [name]} if name and not found else found


def picture(page: str, query: str) -> bytes:
    """Return the picture of a link, drawn once as long as it is among the last."""
    found = of_link(page, query)
    with _lock:
        if found not in _drawn:
            _drawn[found] = drawn(found)
        return _drawn[found]


async def answer(request: Request) -> Response:
    """Answer with the picture of the link in the address."""
    page = request.query_params.get(PAGE, "")
    content = await run_in_threadpool(picture, page if page in PAGES else "", request.url.query)
    return Response(content, media_type="image/png", headers={"Cache-Control": KEEP})


async def icon(_request: Request) -> Response:
    """Answer with the icon of the app."""
    return FileResponse(ASSETS / "images" / "icon.png", headers={"Cache-Control": KEEP})


ROUTES = [
    Route("/{below:path}" + PATH, answer, methods=["GET"]),
    Route("/{below:path}icon.png", icon, methods=["GET"]),
]
