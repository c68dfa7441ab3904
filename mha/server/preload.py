"""What a page of ours is drawn with, asked for together with the page: in its first answer.

Else it is found one after the other, only once Streamlit's own scripts have run. The page, which is Streamlit's, gets
the names of our modules (as links in it: in a header they are more than a proxy takes), our sheets, a part of the font
that it starts with (`mha/ui/fonts.py`) in the place of the whole, and the names of Streamlit's scripts for what stands
first on every page of ours. One script of ours stands there before Streamlit's: what belongs to no component
(`assets/js/page`).
"""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mha.streamlit_facts import anchored, scripts_of
from mha.ui import compressed, served

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
    "fonts/serif.woff2",
    "fonts/serif-italic.woff2",
)
PARTS = (  # of Streamlit's, of every page
    "widgets/BidiComponent",
    "widgets/TextArea",
    "widgets/Selectbox",
    "widgets/ButtonGroup",
    "widgets/Button",
)


class OfPage(NamedTuple):
    """What one page is drawn with beside what every page has.

    What is ``later`` comes with the run behind the first picture, Plotly's million bytes among it: named, and asked for
    by `assets/js/page/rest.js` once everything before it is there.
    """

    files: tuple[str, ...] = ()  # ours that draw its first screen: a component of its own, pictures
    parts: tuple[str, ...] = ()  # of Streamlit's on its first screen
    later: tuple[str, ...] = ()  # of Streamlit's


PICTURES = "js/blocks/pictures.js"  # of blocks; sentences come with `blocks.js`
OF_PAGE = {
    "": OfPage(
        (
            "js/heads/overview.js",
            "js/heads/pinned.js",
            "js/heads/layer.js",
            "css/overview.css",
            "css/pinned.css",
            "css/layer.css",
        ),
        later=("widgets/DataFrame",),
    ),
    "readings": OfPage(("js/sentence/sentence.js", PICTURES, "css/sentence.css")),
    "compare": OfPage((PICTURES,), ("widgets/TextInput",)),
    "atlas": OfPage((PICTURES,)),
    "training": OfPage(
        ("js/training/training.js", "css/training.css"), ("widgets/NumberInput",), later=("elements/PlotlyChart",)
    ),
    "questions": OfPage(parts=("widgets/Radio",)),
}
# A module is fetched and read; the others are fetched as `mount.js` will ask for them, or as a page does for a font.
HOW = {".js": 'rel="modulepreload"', ".woff2": 'rel="preload" as="font" crossorigin'}
OTHER = 'rel="preload" as="fetch" crossorigin'
# Ours are asked for behind Streamlit's: nothing of ours is drawn before its scripts have run and its socket has spoken,
# and a browser asks for six files at a time. The exception is what stands before its scripts.
LATER = 'fetchpriority="low"'
_IMPORT = re.compile(r"""^(?:import|export)\b[^;=]*?["'](\.{1,2}/[^"']+)["'];?""", re.MULTILINE)

SHEETS = ("css/fonts.css", "css/page.css", "css/access.css", "css/paper.css")
_CONDITIONS = {b"if-none-match", b"if-modified-since", b"range", b"accept-encoding"}
_OF_THE_FILE = (
    "etag",
    "last-modified",
    "content-length",
    "content-encoding",
)  # of Streamlit's page without ours

Rewrite = Callable[[MutableHeaders, bytes], Awaitable[tuple[int, bytes]]]  # headers to be sent, page: status, page


class Preloaded:
    """Middleware that adds to the first answer of a page; all other answers go through as they are."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if (
            scope["type"] != "http"
            or scope["method"] not in ("GET", "HEAD")
            or "text/html" not in Headers(scope=scope).get("accept", "")
            or "/api/" in scope["path"]  # a page there is written whole
        ):
            await self._app(scope, receive, send)
            return
        accepted = Headers(scope=scope).get("accept-encoding", "")

        async def told(headers: MutableHeaders, page: bytes) -> tuple[int, bytes]:
            body = head(page.decode(), scope["path"]).encode()
            encoding = compressed.chosen(accepted) if compressed.middleware() else None
            headers.add_vary_header("Accept-Encoding")
            if body and encoding:
                body, headers["content-encoding"] = compressed.ENCODERS[encoding](body), encoding
            return 200, body

        await rewritten(self._app, unconditional(scope), receive, send, told)


def unconditional(scope: Scope) -> Scope:
    """Return a request for a page that is written anew: never the one that a browser kept, and not compressed yet."""
    headers = [header for header in scope["headers"] if header[0].lower() not in _CONDITIONS]
    return {**scope, "headers": headers, "extensions": {}}  # no extension: the body comes as bytes


async def rewritten(app: ASGIApp, scope: Scope, receive: Receive, send: Send, rewrite: Rewrite) -> None:
    """Answer as an app does, but for a whole page of HTML: that is sent as ``rewrite`` makes it."""
    start: Message | None = None
    parts: list[bytes] = []

    async def rewriting(message: Message) -> None:
        nonlocal start
        if message["type"] == "http.response.start" and _is_page(message):
            start = message
        elif start is None:
            await send(message)
        else:
            parts.append(message.get("body", b""))
            if not message.get("more_body"):
                headers = MutableHeaders(raw=list(start["headers"]))
                for name in _OF_THE_FILE:
                    del headers[name]
                status, body = await rewrite(headers, b"".join(parts))
                if body:
                    headers["content-length"] = str(len(body))
                await send({**start, "status": status, "headers": headers.raw})
                await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    await app(scope, receive, rewriting)


def _is_page(start: Message) -> bool:
    return start["status"] == 200 and Headers(raw=start["headers"]).get("content-type", "").startswith("text/html")


def head(page: str, path: str = "/") -> str:
    """Return Streamlit's page at a path with what the module's first lines say."""
    ours = f'<script type="module" src="{served.address(PAGE)}"></script>'
    font = f'<link rel="preload" href="{served.address("fonts/sans.woff2")}" as="font" type="font/woff2" crossorigin>'
    last = [f'<link rel="stylesheet" href="{served.address(sheet)}">' for sheet in SHEETS]
    name = path.rpartition("/")[2]
    scripts = [script for script in first_scripts(name) if script not in page]
    last += [f'<link rel="modulepreload" crossorigin href="./{script}">' for script in scripts]
    rest = [script for script in scripts_of(of_page(name).later) if script not in scripts and script not in page]
    last += [f'<link rel="later" as="script" crossorigin {LATER} href="./{script}">' for script in rest]
    return anchored(page, font=font, after_title=links(name) + ours, end_of_head="".join(f"{line}\n" for line in last))


def of_page(name: str) -> OfPage:
    """Return what a page is drawn with beside what every page has."""
    return OF_PAGE.get(name, OfPage())


def first_scripts(page: str = "") -> tuple[str, ...]:
    """Return the scripts of Streamlit that draw what stands first on a page, in its page's names."""
    return scripts_of((*PARTS, *of_page(page).parts))


@functools.cache
def links(page: str) -> str:
    """Return the links of a page by its last part of the path; addresses are relative, below whatever folder it is."""
    before = needed((PAGE,))
    paths = needed((*EVERYWHERE, *of_page(page).files))
    how = [HOW.get(posixpath.splitext(path)[1], OTHER) + (f" {LATER}" if path not in before else "") for path in paths]
    return "".join(f'<link {one} href="{served.address(path)}">' for one, path in zip(how, paths, strict=True))


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
