"""Measuring a model on the forced pairs: offered where nothing is known of it."""

from __future__ import annotations

import streamlit as st

from mha.engine import experiments, jobs
from mha.formats import about
from mha.models.files.catalog import ModelRow
from mha.screens.readings.pairs import can_be_measured, offer_blocks
from mha.ui import visitors
from mha.ui.components.blocks import draw
from mha.ui.jobs import measured_once
from mha.ui.readings.headings import section


def offer(kind: str, row: ModelRow) -> None:
    """Offer to measure a model on the forced pairs, or show how far that is; nothing where there are no pairs."""
    if not can_be_measured(kind, row):
        return
    section("Over the pairs of this kind")
    draw(offer_blocks(row), "calibrating_words")
    run, step = jobs.calibration_run(row.name), "Measuring the forced pairs: step"
    label = f"Measure it ({_takes(row.name)})" if run is None else ""
    measured_once("calibrating", run, lambda: _measure(row.name), label, step)


def _takes(model: str) -> str:
    """Return about how long it takes, as a few of the pairs say now; the same for as long as a visitor stays."""
    key = f"calibrating_takes_{model}"
    if key not in st.session_state:
        with st.spinner("Looking how fast this model is …", show_time=True):
            st.session_state[key] = about(experiments.calibrating_seconds(model))
    return st.session_state[key]


def _measure(model: str) -> None:
    jobs.calibrate(model, visitors.here())
