"""Sentences of the reader's own with two readings: pasted or sent as a CSV, measured with progress, Stop, going on."""

from __future__ import annotations

from functools import partial

import streamlit as st

from mha.analysis.own_readings import OwnReading, own_readings, template
from mha.engine import own_readings as runs
from mha.engine.following import FOLLOWERS
from mha.engine.own_readings import ReadingsRun
from mha.errors import MHAError
from mha.formats import counted
from mha.link.atlas import READINGS
from mha.link.view import View
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.screens.atlas import leans as told
from mha.screens.atlas.said import question_blocks
from mha.ui import bound, boundary, share, uploads, visitors
from mha.ui.atlas import controls
from mha.ui.atlas.running import PACE
from mha.ui.away import gathered
from mha.ui.components import blocks
from mha.ui.components.captions import caption, copy_link
from mha.ui.jobs import follow

KEPT = "whole_own_readings"  # what is measured and what was left out, so that another page and back loses nothing
MEGABYTES = 1
TABLE_ROWS = 10  # in sight


def draw(view: View) -> None:
    """Draw the fields, and what is known of the reader's sentences."""
    top = st.container()
    _fields(view.model)
    if KEPT not in st.session_state:
        with top:
            blocks.draw(question_blocks(READINGS), "whole_question")
        return
    rows, left_out = st.session_state[KEPT]
    if left_out:
        boundary.say(left_out)
    run = runs.readings_run(view.model, rows)
    begin = partial(_measure, view.model, rows)
    if run is None:
        with top:
            blocks.draw(question_blocks(READINGS), "whole_question")
        caption(f"{counted(len(rows), 'sentence')} of yours: not measured with this model.", key="lean_known")
        st.button("Measure them", on_click=begin)
        return
    if run.state == "done" or not follow(
        lambda: run.state == "running", partial(_streamed, view, run, begin), PACE, job=run
    ):
        _found(view, run)


def _fields(model: str) -> None:
    with st.expander("Your sentences, each with a pivot and two partners", expanded=KEPT not in st.session_state):
        caption(
            "A CSV with the columns text, pivot, a and b: each word as it stands in its text, or by its number, "
            "counted from 0, where it stands there more than once. Up to 200 sentences are measured here, kept in no "
            "link, and forgotten when you leave; python -m mha.engine.corpus takes the same columns at any length.",
            key="lean_own_caption",
        )
        st.download_button(
            "Download the template as CSV", template, file_name="parallax-readings-template.csv", mime="text/csv",
            on_click="ignore", type="tertiary",
        )  # fmt: skip
        pasted = st.text_area("Paste lines of a CSV", key="lean_own_pasted", height=120, max_chars=200_000)
        sent = uploads.field("Or a file of up to 1 MB", "lean_own_file", MEGABYTES, ("csv",))
        if st.button("Measure these sentences", disabled=not (pasted.strip() or sent)):
            _take(model, pasted if sent is None else sent)


def _take(model: str, content: str | bytes) -> None:
    try:
        found = own_readings(content)
        _measure(model, found.rows)
    except MHAError as error:
        boundary.say(str(error))
        return
    st.session_state[KEPT] = found


def _measure(model: str, rows: tuple[OwnReading, ...]) -> None:
    runs.measure_readings(model, rows, visitors.here())


def _streamed(view: View, run: ReadingsRun, go_on: partial[None]) -> None:
    """Draw how far a run is, and while it runs what is known so far."""
    if run.over() is None:
        blocks.draw(question_blocks(READINGS), "whole_question")
    if run.state == "failed":
        st.text("The measurement failed by a fault of ours; it has been logged.")
    st.progress(run.done / max(run.whole, 1), text=f"Sentence {run.done} of {run.whole}, each in 199 other orders")
    if run.running and len(FOLLOWERS.of(run)) > 1:
        st.text("Others wait for this too: it goes on as long as one of you does.")
    elif run.running:
        st.button("Stop", key="lean_stop", on_click=run.stop)
    elif run.state != "done":
        st.button("Measure the rest", key="lean_go_on", on_click=go_on)
    if run.running:
        _pictures(view, run)


def _pictures(view: View, run: ReadingsRun) -> bool:
    over = run.over()
    if over is None:
        return False
    pins = [str(pin) for pin in view.pins or ()]
    blocks.draw(told.opening_blocks(run, over), "lean_opening")
    blocks.draw(
        told.map_blocks(run, over, pins), "lean_map", bound.shape().heads(),
        lambda name: controls.to_heads(HeadId.parse(name)),
    )  # fmt: skip
    return True


def _found(view: View, run: ReadingsRun) -> None:
    """Draw what was measured, whole or as far as it came, and offer it to be taken along."""
    unread = told.unread_said(run)
    if unread:
        boundary.say(unread)
    over, row = run.over(), model_row(view.model)
    if over is None or not _pictures(view, run):
        if run.state == "done":  # else what is drawn while it is measured has asked
            blocks.draw(question_blocks(READINGS), "whole_question")
        return
    columns = told.table_columns(over)
    with st.expander(f"All {len(columns['head'])} heads in a table", expanded=True):
        st.dataframe(
            columns, hide_index=True, height=36 * min(len(columns["head"]), TABLE_ROWS) + 38, key="lean_table",
            column_config={name: st.column_config.NumberColumn(name, format=how) for name, how in told.FORMATS.items()},
            alt=f"Mean leans of {len(columns['head'])} heads, one row each, the furthest first.",
        )  # fmt: skip
        gathered.rows("Mean leans of every head", "parallax-lean-table", columns, told.FORMATS)
        caption(told.table_said(over).spans, key="lean_table_caption")
    address = share.link()
    gathered.table("Mean leans of every head", "parallax-mean-leans", lambda: told.heads_table(run, over, row, address))
    gathered.table("Your sentences", "parallax-sentences", lambda: told.sentences_table(run, row, address))
    copy_link("lean_copy")
