"""Long work on a page: drawn again and again while it runs."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from mha.engine.following import FOLLOWERS
from mha.engine.jobs import Job
from mha.engine.patience import OWN_FIRST
from mha.screens.measuring import FAILED, SHARED
from mha.ui import boundary, patience, visitors

PACE = 1.0  # seconds between looks at a measurement


def follow(
    running: Callable[[], bool],
    draw: Callable[[], None],
    pace: float,
    before: bool | None = None,
    job: Job | None = None,
) -> bool:
    """Draw a job, every ``pace`` seconds while it runs; return whether it runs.

    ``before`` is what a page that has asked already took for true; it may have ended since.

    What is drawn again is this part alone. The whole page comes again when the job begins or ends: only that can begin
    or end asking, and what stands below may have waited for it. ``job`` is the one that goes on as long as this page
    is open.
    """
    if job is not None and (job.running or job.left):
        visitors.follow(job)
    before = running() if before is None else before

    @st.fragment(run_every=pace if before else None)
    @boundary.shown()
    def again() -> None:
        if running() != before:
            st.rerun()
        with patience.said_in(st.container()):  # the page's own run, and what it says, is over when this comes again
            draw()
            if job is not None and job.behind:
                st.text(OWN_FIRST)

    again()
    return before


def measured_once(key: str, run: Job | None, begin: Callable[[], None], label: str, step: str) -> None:
    """Draw what is measured once for everyone: the button to begin, or how far it is, with Stop and going on.

    ``run`` is None where nobody has begun it, and ``begin`` begins or goes on with it; ``step`` names a step before its
    number, and ``key`` is the part of the widgets' keys that is their own.
    """
    if run is None:
        st.button(label, on_click=begin)
    else:
        follow(lambda: run.state == "running", lambda: _progress(key, run, begin, step), PACE, job=run)


def _progress(key: str, run: Job, begin: Callable[[], None], step: str) -> None:
    if run.state == "failed":
        st.text(FAILED)
    st.progress(run.done / run.whole, text=f"{step} {run.done} of {run.whole}")
    if run.running and len(FOLLOWERS.of(run)) > 1:
        st.text(SHARED)
    elif run.running:
        st.button("Stop", key=f"{key}_stop", on_click=run.stop)
    else:
        st.button("Measure the rest", key=f"{key}_go_on", on_click=begin)
