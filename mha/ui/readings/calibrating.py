"""Measuring a model on the forced pairs: offered where nothing is known of it, with progress, Stop and going on."""

from __future__ import annotations

import streamlit as st

from mha.engine import calibrating
from mha.models.files.catalog import ModelRow
from mha.pairs import KINDS, pairs
from mha.screens.blocks import heading, said
from mha.ui.components.blocks import draw as draw_blocks

POLL = 1.0


def offer(kind: str, row: ModelRow) -> None:
    """Offer to measure a model on the forced pairs, or show how far that is; nothing where there are no pairs."""
    if kind not in KINDS or row.kind != "transformer":
        return
    draw_blocks(
        [
            heading("Over the pairs of this kind"),
            said(
                "sub",
                f"Which heads of {row.short} tell forced versions apart, which carry the difference, and whether its "
                f"score may be believed: that takes {len(pairs())} pairs, their words in 20 other orders and five "
                "scrambled twins. It is measured once, for everyone who looks at this model here.",
            ),
        ],
        "calibrating_words",
    )
    run = calibrating.run_of(row.name)
    if run is None:
        st.button("Measure the forced pairs", on_click=_begin, args=(row.name,))
        return
    _follow(row.name, run, run.state == "running")


def _follow(model: str, run: calibrating.CalibrationRun, running: bool) -> None:
    @st.fragment(run_every=POLL if running else None)
    def follow() -> None:
        if (run.state == "running") != running:
            st.rerun()
        if run.state == "failed":
            st.text("The measurement failed by a fault of ours; it has been logged.")
        share = run.done / run.whole
        st.progress(share, text=f"Measuring the forced pairs: step {run.done} of {run.whole}")
        if running:
            st.button("Stop", key="calibrating_stop", on_click=run.stop)
        else:
            st.button("Measure the rest", key="calibrating_go_on", on_click=_begin, args=(model,))

    follow()


def _begin(model: str) -> None:
    calibrating.begin(model)
