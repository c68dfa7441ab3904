"""The first answer of each page: Streamlit's page with title, description and files, before any script runs."""

import asyncio
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from html import escape
from urllib.parse import parse_qs, parse_qsl, quote, urlencode, urlsplit

import streamlit as st
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from mha.assets import ASSETS
from mha.cuts import CUT, MOST_CUTS
from mha.errors import InputError
from mha.examples import DEFAULT_TEXT, OPENS_HEADS
from mha.figures.preview import preview_picture
from mha.lesson import stop_opened
from mha.navigation import ABOUT, GUESS_FIRST, NAME, PAGES, PUBLIC_URL, page_row
from mha.server import middleware, static
from mha.streamlit_facts import OWN_PATHS, anchored, own_page
from mha.words import accept

PAGE = "page"  # the parameter of the picture's address that names the page
CUTTING = ("next", "matters", "translate")  # pages that cut links
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
        root=f'<main class="first-words"><h1>{escape(preview.text or preview.page)}</h1>'
        f"<p>{escape(preview.description)}</p></main>",
    )
