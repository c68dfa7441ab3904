"""A file of maps of the reader's own on Heads: the field for it, and what is in it."""

from __future__ import annotations

import streamlit as st

from mha.engine.asking import OwnFile
from mha.errors import MHAError
from mha.link.view import View
from mha.screens.heads.own import MEGABYTES
from mha.screens.heads.page import OWN_FIELD
from mha.streamlit_facts import UploadedFile
from mha.ui import uploads
from mha.ui.heads.read_once import maps_in
from mha.words import shown

OPEN = "own_maps_open"
NAME = 60  # characters of a file's name


def size() -> tuple[int, int] | None:
    """Return layers and heads of the maps in the field; None without a file that can be drawn."""
    held = file()
    return None if held is None or held.maps is None else held.maps.weights.shape[:2]


def file() -> OwnFile | None:
    """Return the file in the field; None without one."""
    held = uploads.held(_key())
    if held is None:
        return None
    name = held.name[:NAME]
    try:
        return OwnFile(name, maps_in(held), lambda: maps_in(held))
    except MHAError as error:
        return OwnFile(name, None, refused=_refused(held, error))


def field(_view: View) -> None:
    """Draw the field for a file, where it is looked at or holds one."""
    with st.expander("Open maps of your own", key=OPEN, on_change="rerun") as place:
        if not place.open and st.session_state.get(_key()) is None:
            return
        st.caption(
            "A file that maps.save wrote in a notebook, or the NPZ with all weights that Take away gives. "
            "It is read here and kept nowhere; it is gone when you leave."
        )
        uploads.field("A file of maps", _key(), MEGABYTES, ("npz",))
        held = file()
        if held is not None and held.refused:  # the top of the page, where it is said first, is out of sight from here
            st.text(held.refused)


def _refused(held: UploadedFile, error: MHAError) -> str:
    return f"{shown(held.name[:NAME])}: {error}"


def _key() -> str:
    return f"{OWN_FIELD}_{st.session_state.get(OWN_FIELD, 0)}"
