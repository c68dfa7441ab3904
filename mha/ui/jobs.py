"""Long work on a page: drawn again and again while it runs."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from mha.engine.jobs import Job
from mha.engine.patience import OWN_FIRST
from mha.ui import boundary, patience, visitors


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
