"""Measuring what a model's heads usually do: offered where it is not known, with progress, Stop and going on."""

from __future__ import annotations

import streamlit as st

from mha.engine import habits
from mha.engine.following import FOLLOWERS
from mha.screens.heads.picture import Picture, habit_offer
from mha.ui import visitors
from mha.ui.components.captions import caption
from mha.ui.jobs import follow

PACE = 1.0  # seconds between looks at the run


def offer(picture: Picture) -> None:
    """Say that what the heads usually do is not known, and offer to measure it, or show how far that is."""
    said, model = habit_offer(picture), picture.row.name
    if not said:
        return
    caption(said, key="habit_words")
    run = habits.habit_run(model)
    if run is None:
        st.button("Measure what they usually do", on_click=_measure, args=(model,))
    else:
        follow(lambda: run.state == "running", lambda: _progress(model, run), PACE, job=run)


def _progress(model: str, run: habits.HabitRun) -> None:
    if run.state == "failed":
        st.text("The measurement failed by a fault of ours; it has been logged.")
    st.progress(run.done / run.whole, text=f"Sentence {run.done} of {run.whole}")
    if run.running and len(FOLLOWERS.of(run)) > 1:
        st.text("Others wait for this too: it goes on as long as one of you does.")
    elif run.running:
        st.button("Stop", key="habit_stop", on_click=run.stop)
    else:
        st.button("Measure the rest", key="habit_go_on", on_click=_measure, args=(model,))


def _measure(model: str) -> None:
    habits.measure_habit(model, visitors.here())
