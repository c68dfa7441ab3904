"""Sentences of the reader's own: pasted or sent as a file, measured with progress, Stop and going on."""

from __future__ import annotations

import streamlit as st

from mha.analysis.own_texts import own_texts
from mha.engine import atlas as runs
from mha.errors import MHAError
from mha.formats import counted
from mha.link.atlas import OWN
from mha.screens.atlas.said import question_blocks
from mha.ui import boundary, uploads, visitors
from mha.ui.components import blocks
from mha.ui.components.captions import caption

KEPT = "whole_own_texts"  # what is measured, so that another page and back loses nothing
ENDINGS = ("txt", "csv")
MEGABYTES = 1


def texts(model: str) -> tuple[str, ...]:
    """Draw the fields; return the reader's texts, empty before there are any or where they are not measured."""
    top = st.container()
    _fields(model)
    known: tuple[str, ...] = st.session_state.get(KEPT, ())
    if not known or runs.own_run(model, known) is None:
        with top:
            blocks.draw(question_blocks(OWN), "whole_question")
    if known and runs.own_run(model, known) is None:
        caption(f"{counted(len(known), 'text')} of yours: not measured with this model.", key="own_known")
        st.button("Measure them", on_click=measure, args=(model, known))
    return known


def _fields(model: str) -> None:
    with st.expander("Your sentences", expanded=KEPT not in st.session_state):
        caption(
            "One text a line; of a CSV the column called text, or the first. They are measured here, kept in no link, "
            "and forgotten when you leave. A text is left out where it has more than 128 pieces.",
            key="own_caption",
        )
        pasted = st.text_area("Paste texts, one a line", key="whole_own_pasted", height=120, max_chars=200_000)
        sent = uploads.field("Or a file of up to 1 MB", "whole_own_file", MEGABYTES, ENDINGS)
        if st.button("Measure these texts", disabled=not (pasted.strip() or sent)):
            _take(model, pasted, sent)


def _take(model: str, pasted: str, sent: bytes | None) -> None:
    file = uploads.held("whole_own_file")
    is_csv = sent is not None and file is not None and file.name.lower().endswith(".csv")
    try:
        found = own_texts(pasted if sent is None else sent, is_csv)
        measure(model, found.texts)
    except MHAError as error:
        boundary.say(str(error))
        return
    for note in found.notes:
        boundary.say(note)
    st.session_state[KEPT] = found.texts


def measure(model: str, chosen: tuple[str, ...]) -> None:
    """Begin to measure texts, or go on."""
    runs.measure_own(model, chosen, visitors.here())
