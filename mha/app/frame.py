"""The frame of every page: the navigation, the model of the host, and the bar with the name of the page."""

import functools
import re
from copy import copy
from typing import Any

import streamlit as st

from mha.app import link
from mha.app.components import component
from mha.examples import DEFAULT_TEXT
from mha.models.files.catalog import model_row, opens_with
from mha.navigation import IN_BAR, IN_MORE, OPENS_PREDICTING, ROWS, VERSION
from mha.streamlit_facts import run

TEXTS = ("text", "second")  # the texts that models read
CELL = re.compile(r"[Ll](\d{1,3})[Hh](\d{1,3}) (\d{1,6}) (\d{1,6})", re.ASCII)


def navigation() -> dict[str, list[Any]]:
    """Return the pages by section of the navigation."""
    return {section: [copy(page) for page in pages] for section, pages in _pages().items()}  # a run marks the open page


@functools.cache
def _pages() -> dict[str, list[Any]]:
    """Return the same pages, made once: `st.Page` looks for its file each time."""
    pages: dict[str, list[Any]] = {IN_BAR: [], IN_MORE: []}
    for row in ROWS:
        pages[row.section].append(st.Page(row.file, title=row.title, default=row.path == ""))
    return pages


def lead_to_steps(page: str) -> None:
    """Open Step by step instead of Heads if its link names one cell, as links of 0.2 do: `heads_cell=L5H3 7 4`."""
    url = st.query_params.to_dict()
    cell = CELL.fullmatch(url.get("heads_cell", ""))
    if page or cell is None:
        return
    numbers = dict(zip(("layer", "head", "query", "key"), cell.groups(), strict=True))
    parameters = {name: value for name, value in url.items() if name in link.PAGES["steps"].model_fields}
    st.switch_page("steps.py", query_params={"v": VERSION, "text": DEFAULT_TEXT, **parameters, **numbers})


def open_link(page: str) -> None:
    """Synchronise the link of a page with the session state, first in every run."""
    state, under_way = st.session_state, run()
    previous, by_history = state.get("link_page"), under_way is not None and under_way.by_history
    state["link_page_before"], state["link_page"] = previous, page
    link.sync(page, is_new=previous != page, by_history=by_history)


def open_host_model(page: str) -> None:
    """Open a URL without parameters with the host's model (``--model``), if the page can use it."""
    name = opens_with()
    if not name or "link_page" in st.session_state or st.query_params:
        return
    if page not in OPENS_PREDICTING or model_row(name).predicts in ("next", "target"):
        st.query_params["model"] = name


def draw_bar(title: str) -> None:
    """Draw the mark and the name of the page in Streamlit's bar.

    The bar also has the texts and the model of this run: the browser marks results of other texts as old
    (`assets/js/page/text_before.js`), and asks for a run if the server was away.
    """
    state = st.session_state
    texts = {name: str(state.get(name) or "") for name in ("model", *TEXTS)}
    data = {"page": title, "of": texts, "large": bool(state.get("large"))}
    with st.container(key="bar_alone"):
        component("bar", "frame/bar.js")(key="bar", data=data, on_returned_change=lambda: None)
