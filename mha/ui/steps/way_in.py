"""The way from a pinned head to Step by step: "How was this cell computed?"."""

from __future__ import annotations

import streamlit as st

from mha.link.view import VERSION
from mha.maps import HeadId, Recording
from mha.screens.shown import Shown
from mha.screens.steps.model import asked_of
from mha.screens.steps.page import CELL_OF

ASKED = "steps_asked"


def ask_for_steps(recording: Recording, shown: Shown, head: HeadId) -> None:
    """Choose the head's strongest look as the cell that the walk follows.

    A callback cannot change the page, so it leaves a mark; `follow_steps` goes on to Step by step in the same run.
    """
    asked = asked_of(recording, shown, head)
    st.session_state.update(asked)
    st.session_state[ASKED] = asked
    st.session_state[CELL_OF] = (st.session_state["text"], st.session_state["model"])


def follow_steps() -> None:
    """Go to Step by step if a head was asked for its steps, before anything is drawn; the frame's words go along."""
    asked = st.session_state.pop(ASKED, None)
    if asked is not None:
        link = {name: str(value) for name, value in asked.items() if value is not None}
        st.switch_page("steps.py", query_params={"v": VERSION, **link})
