"""Files that every page needs, named in its first answer, so that a browser loads them at once.

The page is Streamlit's. It gets our style sheets, the subset of its font (`tools/fonts.py`), links to our modules, and
one script of ours before Streamlit's, which serves the whole page (`assets/js/page`).
"""

from __future__ import annotations

import functools
import posixpath
import re

from mha.server import static
from mha.streamlit_facts import anchored

PAGE = "js/page/page.js"
SHEETS = ("css/fonts.css", "css/page.css", "css/access.css", "css/paper.css")
FILES = (
    *(PAGE, "js/lib/mount.js", "js/blocks/blocks.js", "js/frame/bar.js", "js/heads/overview.js", "tokens.json"),
    *("css/common.css", "css/blocks.css", "css/flow.css", "css/frame.css", "fonts/serif.woff2"),
)
# A module is fetched and parsed; a font and all other files are fetched as `mount.js` and the browser request them.
# Streamlit's scripts go first: nothing of ours is drawn before they run, and a browser loads six files at a time.
LINK = '<link {} href="{}" fetchpriority="low">'
RELATION = {".js": 'rel="modulepreload"', ".woff2": 'rel="preload" as="font" crossorigin'}
_IMPORT = re.compile(r"""^(?:import|export)\b[^;=]*?["'](\.{1,2}/[^"']+)["'];?""", re.MULTILINE)


def with_files(page: str) -> str:
    """Return Streamlit's page with our files; addresses are relative, so the app may be below a folder."""
    font = f'<link rel="preload" href="{static.address("fonts/sans.woff2")}" as="font" type="font/woff2" crossorigin>'
    script = f'<script type="module" src="{static.address(PAGE)}"></script>'
    sheets = "".join(f'<link rel="stylesheet" href="{static.address(sheet)}">\n' for sheet in SHEETS)
    return anchored(page, font=font, after_title=links() + script, end_of_head=sheets)


@functools.cache
def links() -> str:
    """Return the links to all files of a page."""
    other = 'rel="preload" as="fetch" crossorigin'
    return "".join(
        LINK.format(RELATION.get(posixpath.splitext(path)[1], other), static.address(path)) for path in imported(FILES)
    )


def imported(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Return served files and all modules that they import, each once."""
    files: dict[str, None] = {}
    queue = list(paths)
    while queue:
        path = queue.pop(0)
        if path not in files and path.endswith(".js"):
            names = _IMPORT.findall(static.files()[path].decode())
            queue += [posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) for name in names]
        files[path] = None
    return tuple(files)
