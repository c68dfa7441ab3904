"""Download: a dialog with the page's figures, numbers and pictures, and Heads as one HTML file.

The browser makes the pictures from the page as it is; Python makes the file and the numbers from the page as a value.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from mha.app import errors, share
from mha.app.components import component
from mha.errors import MHAError
from mha.readers.files import files_of, heads_file, prints_of
from mha.readers.settled import ReadPage
from mha.screens.takings import Download
from mha.ui import reader
from mha.ui.telling import offered

KEY = "away"
OFFER = "one file for a lesson: works offline and on phones, prints on A4"


def button(title: str, page: str) -> None:
    """Draw the button that opens the dialog on a page, as it is said now."""
    if st.button("Download", key="take_away"):
        _dialog(title, page)


@st.dialog("Download", width="medium")
@errors.shown()
def _dialog(title: str, page: str) -> None:
    shared, found = share.of_page(title), reader.read(page)
    data: dict[str, Any] = {"title": title, "source": shared.citation.text, "offersPage": "" if page else OFFER}
    if not page and st.session_state.get(KEY, {}).get("page") is not None:
        data |= _page(found)
    prints = prints_of(found)
    if prints:
        st.caption("Figures for print (vector, in millimetres)")
        _lines(prints)
    st.caption("Data (with source)")
    numbers = files_of(found)
    _lines(numbers)
    if not numbers:
        st.text("No data on this page yet.")
    # Last, for the list of pictures comes a moment later: what is below it would move from under a pointer.
    st.caption("Pictures (as shown now)")
    component(KEY, "away/away.js", "away")(key=KEY, data=data, on_page_change=lambda: None)


def _lines(of: Mapping[str, Sequence[Download]]) -> None:
    """Draw a line for each thing that can be taken away, with a button for each file that holds it."""
    for said, files in of.items():
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.text(said)
            for file in files:
                offered(file, key=f"away_{file.file}")


def _page(found: ReadPage) -> dict[str, dict[str, str]]:
    """Return Heads as a file for the component, or {} and a sentence on the page if there is none."""
    try:
        html = heads_file(found)
    except MHAError as error:
        errors.say(str(error))
        return {}
    if html is None:
        errors.say("This view has no file of its own: only maps of one sentence can be saved as HTML.")
        return {}
    return {"page": {"html": html, "serial": str(time.monotonic_ns())}}
