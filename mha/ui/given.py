"""Fields in which readers give what is their own: texts, pasted or as a file, and the numbers of a small layer.

Texts are kept for the visit; numbers that are typed go into the link.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from mha.screens.inputs import Matrices
from mha.screens.steps.lesson import ToyMatrices, differences, read_edits, titled, write_edits

MEGABYTES = 1
SEEN, BASE = "matrices_seen", "matrices_base"


def matrices(block: Matrices) -> None:
    """Draw a table for every matrix: X and W_O, then a line for each head."""
    base, generation = _base(block)
    started, _ = block.seeded.edited(read_edits(base)[0])
    for line in _lines(block.seeded.names):
        for place, name in zip(st.columns(3), line, strict=False):
            with place:
                _table(block, started, name, f"steps_table_{name}_{generation}")


def _base(block: Matrices) -> tuple[str, int]:
    """Return the edits that the tables start from, and how often they have started anew.

    The tables keep what is typed into them, so they start anew only when the edits come from elsewhere (a link, reset,
    another seed); else the focus would be lost with every number.
    """
    state, now = st.session_state, (block.edits, *block.about)
    if state.get(SEEN) != now:
        state[SEEN] = now
        state[BASE] = block.edits, state.get(BASE, ("", 0))[1] + 1
    base: tuple[str, int] = state[BASE]
    return base


def _table(block: Matrices, started: ToyMatrices, name: str, key: str) -> None:
    start, columns = started.matrix(name), started.columns(name, block.words)
    st.text(titled(name))
    st.data_editor(
        columns, key=key, hide_index=True, disabled=["row"], on_change=_edited,
        args=(block.word, name, key, block.seeded.matrix(name), start), alt=f"the numbers of {name}, to be edited",
        column_config=dict.fromkeys([*columns][1:], st.column_config.NumberColumn(step=0.1, format="%.2f")),
    )  # fmt: skip


def _edited(word: str, name: str, key: str, seeded: np.ndarray, started: np.ndarray) -> None:
    """Take over what was typed into the table of a matrix; ``seeded`` has no edits, ``started`` those at its start."""
    state, after = st.session_state, np.array(started)
    for place, changes in state[key]["edited_rows"].items():
        for column, value in changes.items():
            if isinstance(value, int | float):
                after[int(place), int(column)] = value
    others = {at: value for at, value in read_edits(state[word])[0].items() if at[0] != name}
    state[word] = write_edits({**others, **differences(name, seeded, after)})
    state[SEEN] = (state[word], *state[SEEN][1:])


def _lines(names: Sequence[str]) -> list[list[str]]:
    own = [name for name in names if name not in ("X", "O")]
    return [["X", "O"], *(own[start : start + 3] for start in range(0, len(own), 3))]
