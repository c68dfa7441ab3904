"""The frame of every page: the navigation, the model of the host, and the bar with the name of the page."""

import functools
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

import streamlit as st

from mha.app.components import component
from mha.app.jobs import current_visitor
from mha.app.link import url_query
from mha.engine import waiting
from mha.engine.followers import FOLLOWERS
from mha.models.files.catalog import model_row, opens_with
from mha.navigation import IN_BAR, IN_MORE, OPENS_PREDICTING, ROWS


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


def open_host_model(page: str) -> None:
    """Open a visit without parameters in the URL with the host's model (``--model``), if the page can use it."""
    if url_query():
        return
    name = opens_with()
    if name and (page not in OPENS_PREDICTING or model_row(name).predicts in ("next", "target")):
        st.query_params["model"] = name


def draw_bar(title: str) -> None:
    """Draw the mark and the name of the page in Streamlit's bar.

    The bar also has the texts and the model of this run: the browser marks results of other texts as old
    (`assets/js/page/text_before.js`), and asks for a run if the server was away or the theme has changed.
    """
    state = st.session_state
    texts = {name: str(state.get(name) or "") for name in ("model", "text", "second")}
    data = {"page": title, "of": texts, "large": bool(state.get("large"))}
    component("bar", "frame/bar.js")(key="bar", data=data, on_outdated_change=lambda: None)


KEYS = map("notice_patience_{}".format, itertools.count())  # a run may wait several times, and its parts as well


def _end_if_left() -> None:
    """End this run if the page was left or something else was clicked: Streamlit does so when its state is read."""
    "link" in st.session_state  # noqa: B015


@contextmanager
def page_requests() -> Iterator[None]:
    """Show why a request inside the block waits, where the page has come to; leave long work that the block left out.

    Nothing is drawn until a request waits, so a page that waits for nothing has no further element.
    """
    places: list[Any] = []

    def show(reason: str) -> None:
        if reason and not places:
            places.append(st.empty())
        for place in places:
            if reason:
                with place.container(key=next(KEYS)):
                    st.text(reason)
            else:
                place.empty()

    with FOLLOWERS.turn(current_visitor() or ""), waiting.show_waits(show, _end_if_left):
        yield
