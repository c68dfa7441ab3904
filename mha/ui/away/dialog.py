"""Take away: a dialog with the pictures of the page, the page as one file, and its numbers.

Pictures are made in the browser from what stands there; the file is made when it is asked for, and the browser puts the
marks of charts into it.
"""

from __future__ import annotations

import time
from typing import Any

import streamlit as st

from mha.errors import MHAError
from mha.export.standalone import StandalonePage, standalone
from mha.link.view import View
from mha.models.files.catalog import model_row
from mha.screens.legends import LEGENDS
from mha.screens.share import SharedLink, page_provenance
from mha.ui import boundary, share
from mha.ui.away.gathered import Gathered
from mha.ui.components.loading import component

KEY = "away"
OFFER = "for a lesson: opens without a network, on a phone too, and prints on A4"


def button(title: str, view: View, drawn: Gathered) -> None:
    """Draw the button that opens the dialog on what this run has drawn."""
    if st.button("Take away", key="take_away", type="tertiary"):
        _dialog(title, view, drawn)


@st.dialog("Take away", width="medium")
@boundary.shown()
def _dialog(title: str, view: View, drawn: Gathered) -> None:
    shared = share.of_page(title)
    data: dict[str, Any] = {
        "title": title,
        "source": shared.citation,
        "offersPage": OFFER if drawn.noted or drawn.whole else "",
    }
    if st.session_state.get(KEY, {}).get("page") is not None:
        data |= _page(title, view, drawn, shared)
    st.caption("Numbers, each file with where it comes from")
    for said, files in drawn.numbers.items():
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.text(said)
            for file in files:
                st.download_button(
                    file.title, file.make, file_name=file.name, mime=file.mime, on_click="ignore", type="tertiary",
                    key=f"away_{file.name}",
                )  # fmt: skip
    if not drawn.numbers:
        st.text("This page has no numbers of its own now.")
    # Last, for the list of pictures comes a moment later: what is below it would move from under a pointer.
    st.caption("Pictures, as they stand on the page now")
    component(KEY, "away/away.js", "away")(key=KEY, data=data, on_page_change=lambda: None)


def _page(title: str, view: View, drawn: Gathered, shared: SharedLink) -> dict[str, dict[str, str]]:
    """Return the page as a file for the component; nothing, and a sentence, where it cannot be made."""
    told = page_provenance(title, view, model_row(view.model), shared.link)
    try:
        html = (
            drawn.whole(drawn.tables) if drawn.whole else standalone(StandalonePage(title, drawn.parts, told, LEGENDS))
        )
    except MHAError as error:
        boundary.say(str(error))
        return {}
    return {"page": {"html": html, "serial": str(time.monotonic_ns())}}
