"""A page in one file: it opens without a server or a network, and its pictures answer the pointer.

The page's own modules travel once, as `data:` addresses that an import map names, and so do its styles and colours; the
data are the envelopes that the app itself sends, compressed, in base64. A policy in the file lets it load nothing from
anywhere. All text that a visitor typed is escaped.
"""

import base64
import functools
import gzip
import html
import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mha.assets import ASSETS
from mha.errors import InputError
from mha.export.provenance import Provenance
from mha.theme import MONO, SANS, THEMES, colours, component_tokens

ENTRY = "standalone/page.js"
MOST_BYTES = 40_000_000  # of one file
_PREFIX = "parallax/"
_IMPORT = re.compile(r"""(\bfrom\s+|\bimport\s*\(?\s*)(["'])(\.{1,2}/[^"']+\.js)\2""")
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True)
class PagePart:
    """One component of the page: its module in `assets/js`, its sheets in `assets/css`, and its data as an envelope.

    ``role`` is "overview" or "pinned": `assets/js/standalone/page.js` connects the two.
    """

    module: str
    sheets: tuple[str, ...]
    content: bytes
    role: str


def standalone(
    title: str,
    parts: Sequence[PagePart],
    provenance: Provenance,
    answers: Mapping[str, Any],
) -> str:
    """Return a page as one HTML file: its title, its parts from the top down, and the source of its numbers.

    ``answers`` are for clicks: the ``pins`` that are shown first, and sentences for no pin and a released one.

    Raises:
        InputError: it would be larger than a file may be.
        FileNotFoundError: a part names a module or a sheet that is not there.
    """
    modules = closure((ENTRY, *(part.module for part in parts)))
    imports = {_PREFIX + path: _address(source) for path, source in modules.items()}
    sheets = dict.fromkeys(("common", *(sheet for part in parts for sheet in part.sheets), "standalone"))
    style = _variables() + "".join(_file(f"css/{sheet}.css") for sheet in sheets)
    data = {"parts": [_packed(part) for part in parts], "answers": answers, "tokens": component_tokens()}
    blocks = "".join(
        f'<script type="application/json" id="{name}">{_inert(value)}</script>' for name, value in data.items()
    )
    page_html = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)} · Parallax</title><style>{style}</style>"
        f'<script type="importmap">{_inert({"imports": imports})}</script></head>'
        f'<body class="standalone"><main id="page"></main>'
        f"<footer>{_foot(provenance)}</footer>{blocks}"
        f'<script type="module">import "{_PREFIX}{ENTRY}"</script></body></html>'
    )
    if len(page_html) > MOST_BYTES:
        raise InputError(f"This page would be a file of {len(page_html):,} bytes; {MOST_BYTES:,} are the most.")
    return page_html.encode("utf-8", "replace").decode("utf-8")  # half a letter cannot be written


def closure(entries: Sequence[str]) -> dict[str, str]:
    """Return these modules of `assets/js` and all that they import, by path, their imports named for the import map.

    Raises:
        FileNotFoundError: a module is missing.
    """
    sources: dict[str, str] = {}
    waiting = list(entries)
    while waiting:
        path = waiting.pop()
        if path in sources:
            continue
        source = _file(f"js/{path}")
        sources[path] = _IMPORT.sub(functools.partial(_renamed, path), source)
        waiting += [_resolved(path, match[3]) for match in _IMPORT.finditer(source)]
    return sources


def _renamed(path: str, match: re.Match[str]) -> str:
    return f"{match[1]}{match[2]}{_PREFIX}{_resolved(path, match[3])}{match[2]}"


def _resolved(path: str, relative: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), relative))


@functools.cache
def _file(path: str) -> str:
    """Return a module or a sheet by its path in `assets`."""
    return (ASSETS / path).read_text(encoding="utf-8")


def _address(source: str) -> str:
    return "data:text/javascript;base64," + base64.b64encode(source.encode("utf-8")).decode("ascii")


def _packed(part: PagePart) -> dict[str, Any]:
    content = base64.b64encode(gzip.compress(part.content, compresslevel=6, mtime=0)).decode("ascii")
    return {"module": part.module, "role": part.role, "bytes": content}


def _inert(value: Any) -> str:
    """Return JSON that no HTML parser takes for anything but text: nothing in it begins a tag."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _variables() -> str:
    """Return the CSS variables that Streamlit would set, for both themes; paper is always light."""
    fonts = f'--st-font:{SANS};--st-code-font:{MONO};--st-heading-font:"Source Serif",Georgia,serif;'
    light, dark = (_theme(name) for name in THEMES)
    return f":root{{{fonts}{light}}}@media screen and (prefers-color-scheme:dark){{:root:not(.printing){{{dark}}}}}"


def _theme(name: str) -> str:
    theme = colours(name)
    variables = {"background": "background-color", "surface": "secondary-background-color", "text": "text-color"}
    variables |= {"accent": "primary-color", "border": "border-color", "muted": "muted-color"}
    return f"color-scheme:{name};" + "".join(f"--st-{css}:{theme[ours]};" for ours, css in variables.items())


def _foot(provenance: Provenance) -> str:
    rows = "".join(
        f"<dt>{html.escape(name.replace('_', ' '))}</dt><dd><bdi>{html.escape(value)}</bdi></dd>"
        for name, value in provenance.pairs().items()
        if value and name != "text_json"
    )
    return f"<details><summary>Where these numbers come from</summary><dl>{rows}</dl></details>"
