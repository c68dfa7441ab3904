"""How a component's script reaches the browser, and what is sent to it: a drawing, or a column of blocks.

Streamlit sends a component's text again with every rerun, once for every place on the page. So the text only asks for
the served files (`mha/server/static.py`); where they cannot be had, it says so in one sentence. The files travel once.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from mha.readers.envelope import packed, seal
from mha.readers.faces import BLOCKS, FACES, sheets_of_blocks
from mha.screens.blocks import Drawing, Span, as_data
from mha.screens.blocks import caption as caption_block
from mha.server import static

_LOADER = """
export default await import(new URL("{folder}js/lib/mount.js", document.baseURI).href)
.then((m) => m.component("{module}", {sheets}))
.catch(() => ({ parentElement: p }) => {
p.innerHTML = '{failed}'; p.getRootNode().host?.setAttribute("data-drawn", ""); });
"""
# A link to the page itself: the content security policy blocks scripts in attributes.
_FAILED = '<p>This page was updated, or its server is away. <a role="button" href="">Reload it</a></p>'


def loader(module: str, *sheets: str) -> str:
    """Return the text that Streamlit takes for a component drawn by a module of `assets/js`, in sheets of `assets/css`.

    Raises:
        KeyError: a file is not served.
    """
    for path in ("js/" + module, *(f"css/{name}.css" for name in sheets)):
        static.address(path)
    filled = {"folder": static.address(), "module": module, "sheets": json.dumps(sheets), "failed": _FAILED}
    return functools.reduce(lambda text, name: text.replace("{" + name + "}", filled[name]), filled, _LOADER)


@functools.cache
def component(name: str, module: str, *sheets: str) -> Callable[..., Any]:
    """Return Streamlit's component of this name, which a module draws and sheets style."""
    mount = st.components.v2.component(f"parallax_{name}", js=loader(module, "common", *sheets))

    def drawn(*, key: str, data: Any, **events: Any) -> Any:
        return mount(key=key, data=packed(as_json(data) if isinstance(data, Mapping) else data), **events)

    return drawn


def picture(face: str, drawn: Drawing | Mapping[str, Any], key: str, **events: Callable[[], None]) -> Any:
    """Draw a picture by its face; return what its component says. ``events`` are Streamlit's callbacks."""
    return component(face, *FACES[face])(key=key, data=seal(drawn) if isinstance(drawn, Drawing) else drawn, **events)


def draw(
    blocks: Sequence[Any], key: str, *, large: bool | None = None, room: str = "", **events: Callable[[], None]
) -> None:
    """Draw blocks, dataclasses with a ``kind``, as one column.

    ``large`` is the page's own setting unless given; ``room`` names the style sheet of pictures that only one view has.
    """
    data: dict[str, Any] = {"blocks": [as_data(block) for block in blocks]}
    if st.session_state.get("large") if large is None else large:
        data["large"] = True
    name = f"blocks_{room}" if room else "blocks"
    component(name, BLOCKS, *sheets_of_blocks(room))(key=key, data=data, **events)


def caption(*parts: str | Sequence[Span], key: str, style: str = "cap") -> None:
    """Draw a caption of templates and ready spans; ``style`` "sub" is the larger line under a heading."""
    draw([caption_block(*parts, style=style)], key, large=False)


def as_json(data: Mapping[str, Any]) -> bytes:
    """Return what is sent of JSON: bytes, which Streamlit takes as they are and `assets/js/lib/mount.js` reads.

    A dict it would look through for tables, write with room between the words, and write again to name the element.
    """
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return written.encode("utf-8", "replace")  # half a letter cannot be written
