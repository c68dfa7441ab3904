"""The first answer of each page: Streamlit's page with title, description and files, before any script runs."""

from __future__ import annotations

import os
from html import escape
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import streamlit as st
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from mha.lesson import stop_opened
from mha.navigation import NAME, PAGES, page_row
from mha.public import PUBLIC_URL
from mha.server import middleware, static
from mha.server.previews import PAGE, Preview, answer_picture, preview_of
from mha.streamlit_facts import OWN_PATHS, anchored, own_page

HOME = "heads"  # another address of the opening page, whose own path is empty
CONCLUSIONS = "about"  # a page of 0.2, now a section of Questions
MOVED_VIEWS = ("matters", "write")  # parts of Next word that became pages: /next?view=write leads to /write
PLAIN = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} · Parallax</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">
<style>body{{font:18px/1.5 sans-serif;max-width:34em;margin:20vh auto;padding:0 1em}}</style></head>
<body><h1>{title}</h1>{body}</body></html>"""
MAX_PARAMS = 1000  # Streamlit ignores all parameters of a longer link
TOO_MANY = (
    '<p>This link has {count:,} parameters, and Parallax reads at most {most:,}.</p><p><a href="?">{page}</a> opens '
    "without them.</p>"
)
SCRIPT = "js/page/page.js"
SHEETS = ("css/fonts.css", "css/page.css", "css/access.css", "css/paper.css")
# Modules of the first picture load with their imports while Streamlit's scripts do, but with a lower priority.
MODULES = ("js/lib/mount.js", "js/frame/bar.js", "js/heads/overview.js")


class UnknownPath(PathConvertor):
    """Paths that belong neither to a page nor to Streamlit, which would answer them with its page and status 200."""

    regex = rf"(?!{OWN_PATHS}|(?:{'|'.join(filter(None, [*PAGES, HOME, CONCLUSIONS]))})/+$).+"


register_url_convertor("unknown", UnknownPath())


def base() -> str:
    """Return the path that the app is served below, such as "/lens"; "" at the root."""
    folder = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{folder}" if folder else ""


def routes() -> list[Route]:
    """Return the routes of pages and pictures of links, and of all paths that nothing else answers, the last."""
    below = base()
    return [
        *(Route(f"{below}/{page}", answer_page) for page in (*PAGES, HOME, CONCLUSIONS)),
        Route(f"{below}/preview.png", answer_picture),
        Route(below + "/{path:unknown}", answer_unknown),
    ]


async def answer_page(request: Request) -> Response:
    """Answer with a page's first answer, or with a redirection to the page of a lesson's stop or from another name."""
    page, query = request.url.path.removeprefix(base()).strip("/"), request.url.query
    count = query.count("&") + 1
    if count > MAX_PARAMS:
        body = TOO_MANY.format(count=count, most=MAX_PARAMS, page=escape(page_row(page).title))
        return HTMLResponse(PLAIN.format(title="Too many parameters", body=body), 414, {"Cache-Control": "no-store"})
    if page == HOME:
        return RedirectResponse(f"./?{query}" if query else "./")
    params = parse_qsl(query, keep_blank_values=True, errors="replace")
    view = dict(params).get("view", "")
    if page == CONCLUSIONS:
        return RedirectResponse(f"./questions?{urlencode([*params, ('section', 'limits')])}#limits")
    if page == "next" and view in MOVED_VIEWS:
        return RedirectResponse(f"./{view}?{urlencode([param for param in params if param[0] != 'view'])}")
    if page == "" and (stop := stop_opened(query)):
        return RedirectResponse(f"./{stop}")
    html = write_page(own_page(), preview_of(page, query), public_address(request), page, query)
    return HTMLResponse(html, headers={"Cache-Control": "no-cache"})


async def answer_unknown(_request: Request) -> Response:
    """Answer a path that names nothing with the list of pages and status 404."""
    links = "".join(f'<li><a href="{base()}/{page}">{escape(row.title)}</a></li>' for page, row in PAGES.items())
    body = f"<p>These are here:</p><ul>{links}</ul>"
    return HTMLResponse(PLAIN.format(title="There is no such page", body=body), 404, {"Cache-Control": "no-store"})


def public_address(request: Request) -> str:
    """Return the address of the app as a visitor sees it, without a final slash; its path if the host is unknown."""
    setting = os.environ.get(PUBLIC_URL, "").strip().rstrip("/")
    if urlsplit(setting).scheme in ("http", "https"):
        return setting
    return middleware.origin(request.scope) + base()


def write_page(html: str, preview: Preview, address: str, page: str, query: str) -> str:
    """Return Streamlit's page with the head and the files of a link; texts of the link are escaped."""
    safe = ":/?&=%+;,@!*()'~$[]"
    rows = {
        "description": preview.description,
        "og:type": "website",
        "og:site_name": NAME,
        "og:title": preview.title,
        "og:description": preview.description,
        "og:url": quote(f"{address}/{page}" + f"?{query}" * bool(query), safe=safe),
        "og:image": quote(f"{address}/preview.png?{PAGE}={page}" + f"&{query}" * bool(query), safe=safe),
        "og:image:width": "1200",
        "og:image:height": "630",
        "og:image:alt": f"{preview.title}. {preview.description}",
        "twitter:card": "summary_large_image",
    }
    tags = "".join(
        f'<meta {"property" if name.startswith("og:") else "name"}="{name}" content="{escape(value)}">'
        for name, value in rows.items()
    )
    scripts = f'<script type="module" src="{static.address(SCRIPT)}"></script>' + "".join(
        f'<script type="module" async fetchpriority="low" src="{static.address(path)}"></script>' for path in MODULES
    )
    return anchored(
        html,
        html=f'<html lang="en" data-page="{page}">',
        icon=static.address("images/icon.png"),
        font=f'<link rel="preload" href="{static.address("fonts/sans.woff2")}" as="font" crossorigin>',
        title=f"<title>{escape(preview.title)}</title>{tags}{scripts}",
        end_of_head="".join(f'<link rel="stylesheet" href="{static.address(sheet)}">\n' for sheet in SHEETS),
    )
