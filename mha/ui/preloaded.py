"""What a page of ours is drawn with, asked for together with the page: as headers of its first answer.

Else the scripts are found one after the other, only once Streamlit's own have run, and on a slow line they wait behind
Plotly, which stands further down. One script stands in the page itself, before Streamlit's: what belongs to no
component (`assets/js/page`).
"""

from __future__ import annotations

import functools
import gzip
import posixpath
import re

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mha.ui import served

PAGE = "js/page/page.js"
EVERYWHERE = (
    PAGE,
    "js/lib/mount.js",
    "js/blocks/blocks.js",
    "js/frame/bar.js",
    "tokens.json",
    "css/common.css",
    "css/blocks.css",
    "css/flow.css",
    "css/frame.css",
)
FIRST = {  # page: what draws its first screen, beside what every page has
    "": ("js/heads/overview.js", "js/heads/pinned.js", "css/overview.css", "css/pinned.css"),
    "readings": ("js/sentence/sentence.js", "js/blocks/pictures.js", "css/sentence.css"),
    "training": ("js/training/training.js", "css/training.css"),
}
# A module is fetched and read; the others are fetched as `mount.js` will ask for them.
MODULE, OTHER = 'rel="modulepreload"', 'rel="preload"; as="fetch"; crossorigin="anonymous"'
_IMPORT = re.compile(r"""^(?:import|export)\b[^;]*?["'](\.[^"']+)["'];?""", re.MULTILINE)


class Preloaded:
    """Middleware that names a page's modules in the headers of the page, and puts its script into it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; only pages are told more."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return

        start: Message = {}  # of a page, held until its text is there
        text = b""

        async def telling(message: Message) -> None:
            nonlocal start, text
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
                headers = MutableHeaders(raw=start["headers"])
                headers.append("link", links(scope["path"].rpartition("/")[2]))
                for name in ("etag", "last-modified", "content-length"):  # they are of Streamlit's page without ours
                    del headers[name]
            elif start and message["type"] == "http.response.body":
                text += message.get("body", b"")
                if not message.get("more_body"):
                    headers = MutableHeaders(raw=start["headers"])
                    zipped = headers.get("content-encoding") == "gzip" and text != b""
                    body = gzip.compress(with_script(gzip.decompress(text))) if zipped else with_script(text)
                    if scope["method"] == "GET":
                        headers["content-length"] = str(len(body))
                    await send(start)
                    await send({"type": "http.response.body", "body": body})
            else:
                await send(message)

        await self._app(scope, receive, telling)


def _is_page(start: Message) -> bool:
    kind = MutableHeaders(raw=start["headers"]).get("content-type", "")
    return start["status"] == 200 and kind.startswith("text/html")


def with_script(page: bytes) -> bytes:
    """Return a page with our script before those of Streamlit."""
    script = f'<script type="module" src="{served.address(PAGE)}"></script>'
    return page.replace(b"</title>", b"</title>" + script.encode(), 1)


@functools.cache
def links(page: str) -> str:
    """Return the header of a page by its last part of the path; addresses are relative, below whatever folder it is."""
    paths = needed((*EVERYWHERE, *FIRST.get(page, ())))
    return ", ".join(f"<{served.address(path)}>; {MODULE if path.endswith('.js') else OTHER}" for path in paths)


def needed(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Return served files, and everything that the modules among them import, each once."""
    found: dict[str, None] = {}
    waiting = list(paths)
    while waiting:
        path = waiting.pop(0)
        if path in found:
            continue
        found[path] = None
        if path.endswith(".js"):
            imported = _IMPORT.findall(served.files()[path].decode())
            waiting += [posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) for name in imported]
    return tuple(found)
