"""How a component's script reaches the browser: a few lines with every run, the files themselves once.

Streamlit sends a component's text again with every rerun, once for every place on the page. So the text only asks for
the served files (`mha/ui/served.py`); where they cannot be had, it says so in one sentence.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from mha.readers.envelope import packed
from mha.ui import served
from mha.ui.away import gathered

_LOADER = """
export default await import(new URL("{folder}js/lib/mount.js", document.baseURI).href)
.then((m) => m.component("{module}", {sheets}))
.catch(() => ({ parentElement: p }) => {
p.innerHTML = '{failed}'; p.getRootNode().host?.setAttribute("data-drawn", ""); });
"""
# A link to the page itself: the policy of the guard lets no script run from an attribute.
_FAILED = '<p>This page was updated, or its server is away. <a role="button" href="">Reload it</a></p>'


def loader(module: str, *sheets: str) -> str:
    """Return the text that Streamlit takes for a component drawn by a module of `assets/js`, in sheets of `assets/css`.

    Raises:
        KeyError: a file is not served.
    """
    for path in ("js/" + module, *(f"css/{name}.css" for name in sheets)):
        served.address(path)
    filled = {"folder": served.address(), "module": module, "sheets": json.dumps(sheets), "failed": _FAILED}
    return functools.reduce(lambda text, name: text.replace("{" + name + "}", filled[name]), filled, _LOADER)


@functools.cache
def component(name: str, module: str, *sheets: str) -> Callable[..., Any]:
    """Return Streamlit's component of this name, which a module draws and sheets style."""
    mount = st.components.v2.component(f"parallax_{name}", js=loader(module, "common", *sheets))

    def drawn(*, key: str, data: Any, **events: Any) -> Any:
        gathered.part(name, module, sheets, data)
        return mount(key=key, data=packed(as_json(data) if isinstance(data, Mapping) else data), **events)

    return drawn


def as_json(data: Mapping[str, Any]) -> bytes:
    """Return what is sent of JSON: bytes, which Streamlit takes as they are and `assets/js/lib/mount.js` reads.

    A dict it would look through for tables, write with room between the words, and write again to name the element.
    """
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return written.encode("utf-8", "replace")  # half a letter cannot be written
