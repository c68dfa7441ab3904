"""The sheet of one head: what does it do?"""

from __future__ import annotations

from functools import partial

import streamlit as st

from mha.engine import atlas as runs
from mha.engine.following import FOLLOWERS
from mha.engine.jobs import calibration_of
from mha.export.tables import Table
from mha.link.atlas import CORPUS
from mha.maps import HeadId
from mha.screens.atlas import sheet as told
from mha.screens.atlas.brings import brings
from mha.screens.atlas.case import Case
from mha.screens.atlas.sheet import Sheet
from mha.screens.atlas.sheet_numbers import sheet_tables
from mha.ui import bound, boundary, share, visitors
from mha.ui.atlas import controls
from mha.ui.away import gathered
from mha.ui.components import blocks
from mha.ui.components.captions import caption, copy_link
from mha.ui.jobs import follow

PACE = 1.5
HEAD = 160  # px of the choice of a head


def can_be(case: Case) -> bool:
    """Return whether there is a sheet: it is made over the bundled sentences alone, and says so elsewhere."""
    if case.choices.over != CORPUS:
        boundary.say("The sheet of a head is made over the bundled sentences. Choose these to open it.")
    return case.choices.over == CORPUS


def draw(case: Case, head: HeadId) -> None:
    """Draw the sheet of a head, the choice of another, and the way back."""
    with st.container(key="sheet_bar", horizontal=True, vertical_alignment="bottom", gap="small"):
        st.button("← Whole model", on_click=controls.open_sheet, args=(None,))
        bound.mirror(
            st.selectbox, "Head", bound.shape().heads(), "sheet_head_shown", str(head), controls.open_sheet, width=HEAD,
        )  # fmt: skip
    model, names = case.view.model, bound.shape().heads()
    shares = brings(told.looks_of(case, head), head, model)
    sheet = Sheet(case, head, calibration_of(model), runs.threes_of(model), shares)
    blocks.draw(told.opening_blocks(sheet), "sheet_opening")
    blocks.draw(told.habit_blocks(sheet), "sheet_habit")
    blocks.draw(told.looks_blocks(sheet), "sheet_looks")
    blocks.draw(told.middle_blocks(sheet), "sheet_middle", names, controls.open_sheet)
    if case.silenced is None:
        _silencing(case)
    blocks.draw(told.not_blocks(sheet), "sheet_not")
    caption(told.foot_said(sheet), key="sheet_foot", style="wide")
    for title, (name, table) in sheet_tables(sheet, share.link()).items():
        gathered.table(title, name, partial(_itself, table))
    copy_link("sheet_copy")


def _itself(table: Table) -> Table:
    return table


def _silencing(case: Case) -> None:
    """Offer to measure what silencing moves, or show how far that is."""
    model = case.view.model
    run = runs.silenced_run(model)
    if run is None:
        st.button("Measure what silencing moves, for all heads", on_click=_measure, args=(model,))
    elif run.state != "done":
        follow(lambda: run.state == "running", lambda: _progress(model, run), PACE, job=run)


def _progress(model: str, run: runs.SilencedRun) -> None:
    if run.state == "failed":
        st.text("Silencing could not be measured for this model.")
    st.progress(min(1.0, run.done / run.whole), text=f"Sentence {run.done} of {run.whole}")
    if run.running and len(FOLLOWERS.of(run)) > 1:
        st.text("Others wait for this too: it goes on as long as one of you does.")
    elif run.running:
        st.button("Stop", key="sheet_stop", on_click=run.stop)
    elif run.state != "done":
        st.button("Measure the rest", key="sheet_go_on", on_click=_measure, args=(model,))


def _measure(model: str) -> None:
    runs.measure_silenced(model, visitors.here())
