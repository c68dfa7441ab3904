"""Measuring a model on the forced pairs: offered where nothing is known of it, with progress, Stop and going on."""

from __future__ import annotations

import streamlit as st

from mha.engine import jobs
from mha.engine.following import FOLLOWERS
from mha.models.files.catalog import ModelRow
from mha.screens.readings.pairs import can_be_measured, offer_blocks
from mha.ui import visitors
from mha.ui.components.blocks import draw
from mha.ui.jobs import follow
from mha.ui.readings.headings import section

PACE = 1.0  # seconds between looks at the run


def offer(kind: str, row: ModelRow) -> None:
    """Offer to measure a model on the forced pairs, or show how far that is; nothing where there are no pairs."""
    if not can_be_measured(kind, row):
        return
    section("Over the pairs of this kind")
    draw(offer_blocks(row), "calibrating_words")
    run = jobs.calibration_run(row.name)
    if run is None:
        st.button("Measure the forced pairs", on_click=_measure, args=(row.name,))
    else:
        follow(lambda: run.state == "running", lambda: _progress(row.name, run), PACE, job=run)


def _progress(model: str, run: jobs.CalibrationRun) -> None:
    if run.state == "failed":
        st.text("The measurement failed by a fault of ours; it has been logged.")
    st.progress(run.done / run.whole, text=f"Measuring the forced pairs: step {run.done} of {run.whole}")
    if run.running and len(FOLLOWERS.of(run)) > 1:
        st.text("Others wait for this too: it goes on as long as one of you does.")
    elif run.running:
        st.button("Stop", key="calibrating_stop", on_click=run.stop)
    else:
        st.button("Measure the rest", key="calibrating_go_on", on_click=_measure, args=(model,))


def _measure(model: str) -> None:
    jobs.calibrate(model, visitors.here())
