"""The way from a pinned head to Step by step: "How was this cell computed?"."""

from __future__ import annotations

import streamlit as st

from mha.analysis.looks import strongest_look
from mha.link.view import VERSION
from mha.maps import HeadId, Recording
from mha.screens.shown import Shown
from mha.screens.steps.lesson import MODEL, STEPS
from mha.screens.steps.model import token_of
from mha.ui.steps.controls import CELL_OF

ASKED = "steps_asked"


def ask_for_steps(recording: Recording, shown: Shown, head: HeadId) -> None:
    """Choose the head's strongest look (at the locked word, where there is one) as the cell that the walk follows.

    A callback cannot change the page, so it leaves a mark; `follow_steps` goes on to Step by step in the run after it.
    """
    look = strongest_look(shown.maps, head, shown.lock) or strongest_look(shown.maps, head)
    asked: dict[str, str | int | None] = {
        "steps_numbers": MODEL,
        "steps_step": STEPS[3],
        "steps_in_layer": head.layer,
        "steps_head": head.head,
        "steps_query": token_of(shown, look.query, recording) if look else None,
        "steps_key": token_of(shown, look.key, recording) if look else None,
    }
    st.session_state.update(asked)
    st.session_state[ASKED] = asked
    st.session_state[CELL_OF] = (st.session_state["text"], st.session_state["model"])


def follow_steps() -> None:
    """Go to Step by step if a head was asked for its steps; the frame's bound text and model go along."""
    asked = st.session_state.pop(ASKED, None)
    if asked is not None:
        link = {name: str(value) for name, value in asked.items() if value is not None}
        st.switch_page("steps.py", query_params={"v": VERSION, **link})
