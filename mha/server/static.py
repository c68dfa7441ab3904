"""The scripts, styles and fonts of the page as files of their own, under an address that carries their content's hash.

A browser asks for each of them once and keeps it for a year: what changes has another address. They are read when the
process first needs them, so that one process never answers with half of an older and half of a newer version.
"""

import functools
import hashlib
import json
import posixpath
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from mha.assets import ASSETS
from mha.theme import component_tokens

_YEAR = "public, max-age=31536000, immutable"
PATTERNS = ("js/**/*.js", "css/*.css", "fonts/*.woff2", "images/icon.png")
_TYPES = {".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".woff2": "font/woff2",
          ".png": "image/png"}  # fmt: skip


@functools.cache
def files() -> Mapping[str, bytes]:
    """Return all served files by their paths: ``js/…``, ``css/…``, ``fonts/…``, the icon, and the tokens."""
    paths = (path for pattern in PATTERNS for path in sorted(ASSETS.glob(pattern)))
    return {path.relative_to(ASSETS).as_posix(): path.read_bytes() for path in paths} | {
        "tokens.json": json.dumps(component_tokens(), ensure_ascii=False, separators=(",", ":")).encode()
    }


@functools.cache
def version() -> str:
    """Return the hash of all files, twelve hexadecimal digits."""
    digest = hashlib.sha256()
    for path, content in sorted(files().items()):
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:12]


def address(path: str = "") -> str:
    """Return where a file is served, relative to any page of the app.

    Raises:
        KeyError: the file does not exist.
    """
    if path and path not in files():
        raise KeyError(f"{path!r} is not served")
    return f"parallax/{version()}/{path}"


async def answer(request: Request) -> Response:
    """Answer with a file of this version; another version's files are not here."""
    path = request.path_params["path"]
    if request.path_params["version"] != version() or path not in files():
        return PlainTextResponse("This page was updated; reload it.", 404, {"Cache-Control": "no-store"})
    kind = _TYPES[posixpath.splitext(path)[1]]
    headers = {"Cache-Control": _YEAR, "X-Content-Type-Options": "nosniff"}
    return Response(files()[path], headers=headers, media_type=kind)


# A page's address may end below a folder of `server.baseUrlPath`, which Streamlit adds to its own routes only.
ROUTES = [Route("/{below:path}parallax/{version}/{path:path}", answer, methods=["GET", "HEAD"])]
