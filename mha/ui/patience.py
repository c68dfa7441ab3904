"""What takes long on a page: why it waits, said for as long as it does, and work that is drawn while it runs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mha.app import errors, visitors
from mha.engine import patience
from mha.engine.jobs import Job

KEYS = map("notice_patience_{}".format, itertools.count())  # a run may wait several times, and its parts as well


def _look() -> None:
    """End this run where the page was left or something else was clicked: Streamlit does so when its state is read."""
    "link" in st.session_state  # noqa: B015


@contextmanager
def said_in(place: DeltaGenerator) -> Iterator[None]:
    """Say at the end of ``place`` why what is asked for inside the block waits.

    Nothing stands there until somebody waits, so that a page which waits for nothing has no element more for it.
    """
    said: list[DeltaGenerator] = []

    def tell(why: str) -> None:
        if why and not said:
            said.append(place.empty())
        for one in said:
            if why:
                with one.container(key=next(KEYS)):
                    st.text(why)
            else:
                one.empty()

    with patience.waiting_told(tell, _look):
        yield


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
    @errors.shown()
    def again() -> None:
        if running() != before:
            st.rerun()
        with said_in(st.container()):  # the page's own run, and what it says, is over when this comes again
            draw()

    again()
    return before
