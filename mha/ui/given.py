"""Fields in which readers give what is their own: texts, pasted or as a file, and the numbers of a small layer.

Texts are kept for the visit; numbers that are typed go into the link.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from mha.analysis.own_texts import own_readings, own_texts, template
from mha.engine.atlas import AtlasRun
from mha.engine.jobs import Long
from mha.engine.own_readings import ReadingsRun
from mha.errors import MHAError
from mha.screens.inputs import GivenTexts, Matrices
from mha.screens.steps.lesson import ToyMatrices, differences, read_edits, titled, write_edits
from mha.ui import boundary, uploads, visitors
from mha.ui.component import caption

MEGABYTES = 1
SEEN, BASE = "matrices_seen", "matrices_base"


@dataclass(frozen=True)
class Fields:
    """What the fields say, and what becomes of what is given: what is kept, what is measured, what has to be said."""

    title: str
    said: str
    paste: str
    press: str
    endings: tuple[str, ...]
    read: Callable[[str | bytes, bool], tuple[Any, Callable[[str], Long], tuple[str, ...]]]
    template: bool = False


def _texts(content: str | bytes, is_csv: bool) -> tuple[Any, Callable[[str], Long], tuple[str, ...]]:
    texts, notes = own_texts(content, is_csv)
    return texts, lambda model: AtlasRun.of(model, texts), notes


def _readings(content: str | bytes, is_csv: bool) -> tuple[Any, Callable[[str], Long], tuple[str, ...]]:
    found = own_readings(content)
    return found, lambda model: ReadingsRun.of(model, found[0]), ()


FIELDS = {
    "whole_own_texts": Fields(
        "Your sentences",
        "One text per line, or a CSV with a column “text”. Your texts are not stored. Texts over 128 tokens are "
        "skipped.",
        "Paste one text per line",
        "Measure these texts",
        ("txt", "csv"),
        _texts,
    ),
    "whole_own_readings": Fields(
        "Your sentences, each with an ambiguous word and two candidates",
        "A CSV with the columns text, pivot (the ambiguous word), a and b (the candidates). Give each word as it is "
        "written, or by its number from 0 where it occurs twice. Up to 200 sentences; they are not stored. For more, "
        "use python -m studies.corpus.",
        "Paste lines of a CSV",
        "Measure these sentences",
        ("csv",),
        _readings,
        template=True,
    ),
}


def texts(block: GivenTexts) -> None:
    """Draw the fields, and take what is in them where that is asked for."""
    fields, name = FIELDS[block.name], block.name
    with st.expander(fields.title, expanded=name not in st.session_state):
        caption(fields.said, key=f"{name}_caption")
        if fields.template:
            st.download_button(
                "Download the template as CSV", template, file_name="parallax-readings-template.csv", mime="text/csv",
                on_click="ignore", type="tertiary",
            )  # fmt: skip
        pasted = st.text_area(fields.paste, key=f"{name}_pasted", height=120, max_chars=200_000)
        sent = uploads.field("Or a file of up to 1 MB", f"{name}_file", MEGABYTES, fields.endings)
        if st.button(fields.press, disabled=not pasted.strip() and sent is None):
            file = uploads.field_file(f"{name}_file")
            is_csv = sent is not None and file is not None and file.name.lower().endswith(".csv")
            _take(fields, block, pasted if sent is None else sent, is_csv)


def _take(fields: Fields, block: GivenTexts, content: str | bytes, is_csv: bool) -> None:
    try:
        kept, question, notes = fields.read(content, is_csv)
        question(block.model).begin(visitors.here())
    except MHAError as error:
        boundary.say(str(error))
        return
    for note in notes:
        boundary.say(note)
    st.session_state[block.name] = kept


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
