"""Parameters go across between the pages of `mha.app.link` and the pages of `mha.link`; leaves with the last old page.

Both keep a parameter in the session state under its name, so a value needs no copy. The exceptions are defaults, since
pages differ in theirs, and the notes that the old link keeps of the page that was open before.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

import streamlit as st

from mha.app import link
from mha.examples import OPENS_HEADS, OPENS_TWO_READINGS
from mha.lesson import LessonStop
from mha.link.link import Link
from mha.link.readings import SUGGESTED, ReadingsWords
from mha.link.view import DEFAULT_MODEL, DEFAULT_TEXT
from mha.models.files.catalog import opens_with
from mha.navigation import page_row
from mha.streamlit_facts import run
from mha.ui import bound

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
    if before == "readings":
        state["link_readings_of"] = state["text"]  # Heads draws the readings that are chosen there
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


def open_stop(stop: LessonStop, values: Mapping[str, Any]) -> None:
    """Open the stop of a lesson at an old page, with other ``values`` of the lesson."""
    state, shown = st.session_state, stop_link(stop).with_(**dict(values) | {"reveal": values["reveal"] == "1"})
    for name, word in shown.words.items():
        state[name] = bound.held(word, shown.says(name))
    state["readings_opened"] = True
    bound.forget_text_before(stop.page)
    bound.forget_link_notes()
    if "link_page" not in state:  # no widget has been drawn yet
        st.switch_page(page_row(stop.page).file, query_params=_query(shown.pairs()))
    state["link_frame"] = _query(shown.view.pairs())  # what `bound.check_link` gives the page
    if state["link_page"] != stop.page:
        query = _query([("v", link.VERSION), *shown.own.pairs()])
        st.switch_page(page_row(stop.page).file, query_params=query)


def stop_query(stop: LessonStop, values: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the link of a stop at an old page as a query, with other ``values``."""
    changes = dict(values)
    if "reveal" in changes:
        changes["reveal"] = changes["reveal"] == "1"
    return _query(stop_link(stop).with_(**changes).pairs())


def has_wandered(stop: LessonStop, of_the_class: Collection[str]) -> bool:
    """Return whether the view of an old page is not that of a stop; choices of the app do not count."""
    state, shown = st.session_state, stop_link(stop)
    untold, may = state.get("link_untold", {}), set(of_the_class)
    if state.get(ReadingsWords.of("by").name) == SUGGESTED:
        may |= {word.name for word in bound.READINGS}
    for name, word in shown.words.items():
        of_stop, now = bound.held(word, shown.says(name)), state.get(name)
        if name not in may and now != of_stop and (now is None or now != untold.get(name)):
            return True
    return False


def stop_link(stop: LessonStop) -> Link:
    """Return the link of a stop at an old page."""
    return Link.of(stop.page, _query(stop.words), bound.models())[0]


def _query(pairs: Collection[tuple[str, str]]) -> dict[str, list[str]]:
    query: dict[str, list[str]] = {}
    for name, value in pairs:
        query.setdefault(name, []).append(value)
    return query
