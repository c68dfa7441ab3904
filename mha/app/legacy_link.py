"""Parameters go across between the pages of `mha.app.link` and the pages of `mha.link`; leaves with the last old page.

Both keep a parameter in the session state under its name, so a value needs no copy. The exceptions are defaults, since
pages differ in theirs, and the notes that the old link keeps of the page that was open before.
"""

from __future__ import annotations

import re

import streamlit as st

from mha.app import link
from mha.examples import OPENS_HEADS, OPENS_TWO_READINGS
from mha.link.view import DEFAULT_MODEL, DEFAULT_TEXT
from mha.models.files.catalog import opens_with
from mha.streamlit_facts import run

CELL = re.compile(r"[Ll](\d{1,3})[Hh](\d{1,3}) (\d{1,6}) (\d{1,6})", re.ASCII)
OLD_DEFAULTS = {"text": (DEFAULT_TEXT, OPENS_HEADS, OPENS_TWO_READINGS), "model": (DEFAULT_MODEL,)}


def lead_to_steps(page: str) -> None:
    """Open Step by step instead of Heads if its link names one cell, as links of 0.2 do: `heads_cell=L5H3 7 4`."""
    url = st.query_params.to_dict()
    cell = CELL.fullmatch(url.get("heads_cell", ""))
    if page or cell is None:
        return
    numbers = dict(zip(("layer", "head", "query", "key"), cell.groups(), strict=True))
    kept = {name: value for name, value in url.items() if name in link.PAGES["steps"].model_fields}
    st.switch_page("steps.py", query_params={"v": link.VERSION, "text": DEFAULT_TEXT, **kept, **numbers})


def enter(page: str) -> None:
    """Prepare the session state for a page that opens, of either kind, and synchronise the link of a new page.

    A text or model that is the default of the page before counts as not chosen, and becomes the default of this page.
    """
    state, under_way = st.session_state, run()
    before, by_history = state.get("link_page"), under_way is not None and under_way.by_history
    if page not in link.PAGES:
        if before is not None and before in link.PAGES:
            for name, (first, *_) in OLD_DEFAULTS.items():
                if not state["link_frame"] and state.get(name) in (None, _default(before, name)):
                    state[name] = (opens_with() or first) if name == "model" else first
            state["link_synced"], state["link_drawn"] = None, set()
        return
    if before not in link.PAGES and before is not None:
        for name, defaults in OLD_DEFAULTS.items():
            if name in link.PAGES[page].model_fields and state.get(name) in (None, *defaults):
                state[name] = link.default(page, name)
        state["link_synced"] = {}, {}
        state["pins"] = link.distinct_heads(state.get("pins", []))  # old pages write "none" for no head
    state["link_frame"] = {}  # a stop of a lesson at an old page fills it before that page opens
    state["link_page_before"], state["link_page"], state["link_notes"] = before, page, ()
    link.sync(page, is_new=before != page, by_history=by_history)


def _default(page: str, name: str) -> object:
    """Return the default of a parameter that two kinds of pages share, None if the page has no such parameter."""
    return link.default(page, name) if name in link.PAGES[page].model_fields else None
