"""Long work on a page: drawn again and again while it runs."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st


def follow(running: Callable[[], bool], draw: Callable[[], None], pace: float, before: bool | None = None) -> bool:
    """Draw a job, every ``pace`` seconds while it runs; return whether it runs.

    ``before`` is what a page that has asked already took for true; it may have ended since.

    What is drawn again is this part alone. The whole page comes again when the job begins or ends: only that can begin
    or end asking, and what stands below may have waited for it.
    """
    before = running() if before is None else before

    @st.fragment(run_every=pace if before else None)
    def again() -> None:
        if running() != before:
            st.rerun()
        draw()

    again()
    return before
