"""The tables in which a small layer's numbers are edited; what is typed goes into the link."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from mha.screens.steps.edits import Numbers, differences, read_edits, write_edits
from mha.screens.steps.lesson import Lesson, labelled
from mha.screens.steps.toy import EDITING
from mha.ui.away import gathered
from mha.ui.components.captions import caption


def editing(made: Lesson) -> None:
    """Draw the tables in which the toy's numbers can be edited, or the button that opens them."""
    if not made.editable:
        return
    with st.container(key="steps_edit"):
        open_ = st.session_state["steps_editing"]
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.button("Close the tables" if open_ else "Edit any array", on_click=_toggle_editing)
            st.button("Other numbers", on_click=reseed)
            st.button(
                "Reset",
                on_click=reset,
                disabled=not (made.choices.edits or made.choices.seed is not None),
            )
        if not open_:
            return
        base, generation = _base_edits()
        started, _ = made.seeded.edited(read_edits(base)[0])
        _draw_tables(made.seeded, started, generation, labelled(made.words))
        caption(EDITING, key="steps_editing_caption")


def _toggle_editing() -> None:
    st.session_state["steps_editing"] = not st.session_state["steps_editing"]


def reseed() -> None:
    """Take the next seed, and leave the edits behind."""
    st.session_state["steps_seed"] = (st.session_state["steps_seed"] or 0) + 1
    st.session_state["steps_edits"] = ""


def reset() -> None:
    """Go back to the layer's own numbers."""
    st.session_state["steps_seed"] = None
    st.session_state["steps_edits"] = ""


def _base_edits() -> tuple[str, int]:
    """Return the edits that the tables start from, and how often they have started anew.

    The tables keep what is typed into them, so they start anew only when the edits come from elsewhere (a link, reset,
    another seed); else the focus would be lost with every number.
    """
    state = st.session_state
    now = (state["steps_edits"], state["steps_seed"], state["steps_layer"], state["steps_words"], state["text"])
    if state.get("steps_edits_seen") != now:
        state["steps_edits_seen"] = now
        state["steps_edits_base"] = state["steps_edits"], state.get("steps_edits_base", ("", 0))[1] + 1
    return state["steps_edits_base"]


def _edited(name: str, key: str, seeded: np.ndarray, started: np.ndarray) -> None:
    """Take over what was typed into the table of a matrix; ``seeded`` has no edits, ``started`` those at its start."""
    state, after = st.session_state, np.array(started)
    for place, changes in state[key]["edited_rows"].items():
        for column, value in changes.items():
            if isinstance(value, int | float):
                after[int(place), int(column)] = value
    others = {at: value for at, value in read_edits(state["steps_edits"])[0].items() if at[0] != name}
    state["steps_edits"] = write_edits({**others, **differences(name, seeded, after)})
    seen = state["steps_edits_seen"]
    state["steps_edits_seen"] = (state["steps_edits"], *seen[1:])


def _draw_tables(seeded: Numbers, started: Numbers, generation: int, words: Sequence[str]) -> None:
    """Draw a table for every matrix of a small layer; what is typed goes into the link."""
    for line in _lines(seeded.names):
        for place, name in zip(st.columns(3), line, strict=False):
            start, key = started.matrix(name), f"steps_table_{name}_{generation}"
            rows = list(words) if name == "X" else [str(row) for row in range(start.shape[0])]
            columns = [str(column) for column in range(start.shape[1])]
            frame = pd.DataFrame(start, columns=columns)
            frame.insert(0, "row", rows)
            with place:
                st.text(_TITLES.get(name) or f"head {name[1:]}: W{name[0]}")
                edited = st.data_editor(
                    frame, key=key, hide_index=True, disabled=["row"], on_change=_edited,
                    args=(name, key, seeded.matrix(name), start), alt=f"the numbers of {name}, to be edited",
                    column_config=dict.fromkeys(columns, st.column_config.NumberColumn(step=0.1, format="%.2f")),
                )  # fmt: skip
                shown = {column: edited[column].tolist() for column in edited}
                gathered.rows(_TITLES.get(name) or f"head {name[1:]}: W{name[0]}", f"parallax-matrix-{name}", shown)


_TITLES = {"X": "X, a row for each word", "O": "W_O"}


def _lines(names: Sequence[str]) -> list[list[str]]:
    """Return the matrices in lines: X and W_O, then a line for each head."""
    own = [name for name in names if name not in ("X", "O")]
    return [["X", "O"], *(own[start : start + 3] for start in range(0, len(own), 3))]
