"""The first answer of a page: title, description, preview picture of its link, and its texts, before any script runs.

A visitor on a phone reads the texts for some seconds, until the page is drawn (`assets/js/page/uncovering.js`).
`picture` serves the preview picture, `drawing` draws it.
"""

from __future__ import annotations

import os
from html import escape
from urllib.parse import quote, unquote, urlsplit

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mha.link.pages import NAME, PAGES
from mha.public import PUBLIC_URL
from mha.screens.lessons import stop_opened
from mha.server import limits
from mha.server.first import First, first_words
from mha.server.picture import PAGE, PATH, ROUTES, opened
from mha.server.preload import with_files
from mha.server.preview import Preview
from mha.streamlit_facts import anchored

__all__ = ["ROUTES", "FirstAnswer"]

_CONDITIONS = {b"if-none-match", b"if-modified-since", b"range", b"accept-encoding"}
_KEPT = {"cache-control", "set-cookie"}  # the other headers belong to Streamlit's file
HOME = "heads"  # the page that opens: its address has no name, and Streamlit finds no page of this one
LOST = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>No such page · Parallax</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">
<style>body{{font:18px/1.5 sans-serif;max-width:34em;margin:20vh auto;padding:0 1em}}</style></head>
<body><h1>There is no such page</h1><p>These are here:</p><ul>{links}</ul></body></html>"""


class FirstAnswer:
    """Middleware that writes the first answer of each page: head, texts and files; 404 for a path without a page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; only whole HTML pages are changed."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD") or of_api(scope["path"]):
            await self._app(scope, receive, send)
            return
        query, page = scope.get("query_string", b"").decode("latin-1"), page_of(scope["path"])
        if inside(scope["path"]) == HOME and not scope["path"].endswith("/"):
            await RedirectResponse(f"./?{query}" if query else "./")(scope, receive, send)
            return
        if page == "" and (stop := stop_opened(query)):
            await RedirectResponse(f"./{stop}")(scope, receive, send)
            return
        start: Message | None = None
        parts: list[bytes] = []

        async def send_rewritten(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
            elif start is None:
                await send(message)
            else:
                parts.append(message.get("body", b""))
                if not message.get("more_body"):
                    status, html = await self._page(scope, page, query, b"".join(parts).decode())
                    headers = {name: value for name, value in Headers(raw=start["headers"]).items() if name in _KEPT}
                    await Response(html, status, headers, "text/html")(scope, receive, send)

        # Written anew: never a copy that a browser kept, a part, or compressed; an extension would send no bytes.
        plain = [header for header in scope["headers"] if header[0].lower() not in _CONDITIONS]
        await self._app(
            scope if page is None else {**scope, "headers": plain, "extensions": {}}, receive, send_rewritten
        )

    async def _page(self, scope: Scope, page: str | None, query: str, html: str) -> tuple[int, str]:
        """Return status and HTML of a page."""
        if page is None:
            return 404, lost()
        if not html:  # HEAD
            return 200, ""
        preview, answer = await run_in_threadpool(opened, page, query)
        return 200, with_files(written(html, preview, answer, origin(scope), page, query))


def _is_page(start: Message) -> bool:
    return start["status"] == 200 and Headers(raw=start["headers"]).get("content-type", "").startswith("text/html")


def base() -> str:
    """Return the folder that the app is served below, "" for none."""
    return str(st.get_option("server.baseUrlPath") or "").strip("/")


def of_api(path: str) -> bool:
    """Return whether a path is below ``/api``, whose pages are written whole.

    Streamlit answers any other address of which it knows nothing with its page, so that a script that is gone came as
    a page with status 200.
    """
    return inside(path).partition("/")[0] == "api"


def page_of(path: str) -> str | None:
    """Return the page that a path names, None for none."""
    return inside(path) if inside(path) in PAGES else None


def inside(path: str) -> str:
    """Return what a path names inside the folder that the app is served below."""
    named, below = unquote(path).strip("/"), base()
    return named[len(below) :].strip("/") if below and f"{named}/".startswith(f"{below}/") else named


def origin(scope: Scope) -> str:
    """Return where the app is, as the reader sees it; "" where the request does not say."""
    said = os.environ.get(PUBLIC_URL, "").strip().rstrip("/")
    if urlsplit(said).scheme in ("http", "https"):
        return said.removesuffix(f"/{base()}") if base() else said
    return limits.origin(scope)


def written(html: str, told: Preview, opens: First, where: str, page: str, query: str) -> str:
    """Return Streamlit's page with the head and the first words of this link; everything of the link is escaped."""
    below = f"/{base()}" if base() else ""
    picture = f"{where}{below}/{PATH}?{PAGE}={page}" + (f"&{query}" if query else "")
    address = f"{where}{below}/{page}" + (f"?{query}" if query else "")
    rows = {
        "description": told.sentence,
        "og:type": "website",
        "og:site_name": NAME,
        "og:title": told.title,
        "og:description": told.sentence,
        "og:url": quote(address, safe=":/?&=%+;,@!*()'~$[]"),
        "og:image": quote(picture, safe=":/?&=%+;,@!*()'~$[]"),
        "og:image:width": "1200",
        "og:image:height": "630",
        "og:image:alt": f"{told.title}. {told.sentence}",
        "twitter:card": "summary_large_image",
    }
    tags = "".join(
        f'<meta {"property" if name.startswith("og:") else "name"}="{name}" content="{escape(value)}">'
        for name, value in rows.items()
    )
    head = f"<title>{escape(told.title)}</title>{tags}"
    return anchored(
        html,
        html=f'<html lang="en" data-page="{page}">',
        icon="./icon.png",
        title=head,
        after_root=first_words(opens, page),
    )


def lost() -> str:
    """Return the page of a path that is none."""
    below = f"/{base()}" if base() else ""
    links = "".join(f'<li><a href="{below}/{page}">{escape(row.title)}</a></li>' for page, row in PAGES.items())
    return LOST.format(links=links)
