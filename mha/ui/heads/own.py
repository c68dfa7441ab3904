"""Maps of the reader's own on Heads: a field for a file, and its picture in the place of the sentence's."""

from __future__ import annotations

import streamlit as st

from mha.errors import MHAError
from mha.link.view import View
from mha.screens.heads.own import MEGABYTES, drawn_instead, own_picture
from mha.screens.heads.picture import Picture
from mha.streamlit_facts import UploadedFile
from mha.ui import boundary, uploads
from mha.ui.heads.later import made_again_by
from mha.ui.heads.read_once import maps_in
from mha.words import shown

KEY = "own_maps"
OPEN = "own_maps_open"
NAME = 60  # characters of a file's name


def size() -> tuple[int, int] | None:
    """Return layers and heads of the maps in the field; None without a file that can be drawn."""
    file = uploads.held(_key())
    try:
        return None if file is None else maps_in(file).weights.shape[:2]
    except MHAError:  # said where the picture is made
        return None


def picture(view: View) -> Picture | None:
    """Return the picture of the file in the field, and say so; None without one, and where it cannot be drawn."""
    file = uploads.held(_key())
    if file is None:
        return None
    refused = _refused(file)
    if refused:
        boundary.say(refused)
        return None
    name, maps = file.name[:NAME], maps_in(file)
    boundary.say(drawn_instead(name, maps))
    st.button("Back to the sentence", on_click=_empty)
    drawn = own_picture(view, maps, name)
    made_again_by(drawn, lambda: own_picture(view, maps_in(file), name))
    return drawn


def field() -> None:
    """Draw the field for a file, where it is looked at or holds one."""
    with st.expander("Open maps of your own", key=OPEN, on_change="rerun") as place:
        if not place.open and st.session_state.get(_key()) is None:
            return
        st.caption(
            "A file that maps.save wrote in a notebook, or the NPZ with all weights that Take away gives. "
            "It is read here and kept nowhere; it is gone when you leave."
        )
        uploads.field("A file of maps", _key(), MEGABYTES, ("npz",))
        file = uploads.held(_key())
        refused = "" if file is None else _refused(file)
        if refused:  # the top of the page, where it is said first, is out of sight from here
            st.text(refused)


def _refused(file: UploadedFile) -> str:
    """Return why a file is not drawn, "" where it is."""
    try:
        maps_in(file)
    except MHAError as error:
        return f"{shown(file.name[:NAME])}: {error}"
    return ""


def _key() -> str:
    return f"{KEY}_{st.session_state.get(KEY, 0)}"


def _empty() -> None:
    st.session_state[KEY] = st.session_state.get(KEY, 0) + 1  # another field, which is empty
