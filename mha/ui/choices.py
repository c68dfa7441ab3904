"""The frame's choices: each function writes bound keys, which the link is made of, and nothing else.

``pins`` as the link has them: an empty list is automatic, ["none"] is a choice of no head; ``on`` likewise.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha.examples import examples
from mha.link.heads import CROSS, WRITE
from mha.maps import HeadId
from mha.models.files.catalog import SMALL, model_row
from mha.ui import again
from mha.ui.bound import forget_link_notes

TABLE = "statistics"  # the key of the table of heads


def row_clicked(pins: Sequence[HeadId], heads: Sequence[HeadId]) -> HeadId | None:
    """Return the head of the table's row that was clicked or ticked, None where it is none; ``heads`` are its rows.

    The table shows the pins as its ticks (`mirror_pins`), so that what differs from them is what was done.
    """
    selection = st.session_state[TABLE]["selection"]
    cells = [heads[row] for row, _ in selection.get("cells", ()) if 0 <= row < len(heads)]
    ticked = {heads[row] for row in selection.get("rows", ()) if 0 <= row < len(heads)}
    return next(iter(cells or sorted(ticked ^ {pin for pin in pins if pin in heads})), None)  # one click, one head


def mirror_pins(pins: Sequence[HeadId], heads: Sequence[HeadId]) -> None:
    """Tick the rows of the pinned heads in the table."""
    rows = [row for row, head in enumerate(heads) if head in pins]
    st.session_state[TABLE] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    again.note(TABLE)


def choose_for_me() -> None:
    """Give the choice of pins, layer and locked word back to the app."""
    st.session_state["pins"] = []
    st.session_state["layer"] = None
    _lock(None, "at")


def unlock() -> None:
    """Give the locked word back to the app: in another text, or in other units, its place is another word's."""
    _lock(None, "at")
    close_cell()
    forget_link_notes()


def close_cell() -> None:
    """Show all heads again: in another text, or another model, one cell's places are others."""
    st.session_state["heads_cell"] = ""


def _lock(place: int | None, look: str) -> None:
    st.session_state["lock"], st.session_state["look"] = place, look


def take(text: str) -> None:
    """Put a text into the sentence's field, as if it had been typed."""
    st.session_state["text"] = text
    unlock()


def take_example(label: str | None) -> None:
    """Take an example by its label, as the page writes it; None, a second click on it, changes nothing."""
    for example in examples():
        if example.label == label:
            take(st.session_state.get("examples_as", {}).get(label, example.text))


def take_model(name: str) -> None:
    """Take another model; the two that were trained here to write show it at once."""
    st.session_state["model"] = name
    if model_row(name) in SMALL:
        st.session_state["heads_prompt"], st.session_state["heads_stack"] = WRITE, CROSS
    reset_heads()


def reset_heads() -> None:
    """Give every choice of heads back to the app: another model has other heads."""
    choose_for_me()
    close_cell()
    st.session_state["off"], st.session_state["on"] = [], []
    forget_link_notes()
