"""Long work on a page: it runs in the engine in the background, and a fragment shows its newest result.

The engine knows the visitor whose page is drawn, and whether the page is still open (`mha.engine.followers`).
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from mha.app import errors, link
from mha.engine.followers import FOLLOWERS
from mha.engine.jobs import RUNS, LongQuestion
from mha.engine.remote import InPieces
from mha.errors import MHAError
from mha.server.middleware import client
from mha.streamlit_facts import is_open, run

POLL_SECONDS = 0.4  # seconds between two looks at a job that answers
PAUSED_POLL_SECONDS = 1.0  # seconds between two looks at a job that waits until its visitor pauses
IDLE_POLL_SECONDS = 2.0  # seconds between two looks at idle work: ten visitors may each have a job
LATEST_IDLE_POLL_SECONDS = 4.0  # the same while other visitors ask for passes, behind which idle work waits


class PageJob:
    """A job of a page: a question and, once begun, its run (`Job`).

    ``work`` is a generator function of a module, whose newest value is the result, or a class of
    `mha.engine.jobs.LongQuestion` whose runs have a ``result``; all arguments are hashable. Visitors whose work and
    arguments are equal share one run. ``idle`` work takes its steps only while nothing else waits or runs.
    """

    def __init__(
        self, work: Callable[..., Any], arguments: tuple[Any, ...], model: str = "", idle: bool = False
    ) -> None:
        is_long_question = isinstance(work, type) and issubclass(work, LongQuestion)
        self.question: LongQuestion | InPieces = (
            work(*arguments) if is_long_question else InPieces(work, arguments, model=model, idle=idle)
        )

    @property
    def run(self) -> Any:
        """The run of the work, None if it was never started."""
        return RUNS.get(self.question)

    @property
    def result(self) -> Any:
        """The newest result, None before the first one or if the work was never started."""
        return None if self.run is None else self.run.result

    @property
    def is_running(self) -> bool:
        """Whether the work is under way."""
        return self.run is not None and self.run.running

    def resume(self) -> None:
        """Callback: start the work, or continue it after a stop."""
        RUNS.go_on(self.question, current_visitor() or "")

    def stop(self) -> None:
        """Callback: stop the work after the step under way; its result stays."""
        if self.run is not None:
            self.run.stop()


def follow(job: PageJob, draw: Callable[[], None] | None = None, start: bool = False) -> None:
    """Call ``draw`` with the newest result of a job: once, or again and again in a fragment while it runs.

    ``draw`` is None for a job whose result only the whole page draws: a function of the page would keep its maps in
    memory. With ``start`` a job that was never begun, or whose visitors had left, is started; a finished one is
    followed, not run again. A stopped or failed job is not started. The whole page is drawn again when the job ends or
    becomes idle, and when a widget of the fragment has changed a parameter of the link, which a rerun of the fragment
    alone would not write.
    """
    visitor = current_visitor() or ""
    run = job.run
    if start and (run is None or run.running or run.was_left or run.state == "done"):
        try:
            run = RUNS.go_on(job.question, visitor)
        except MHAError as error:  # the visitor has two long runs already
            errors.say(str(error))
    if run is not None and run.state == "failed":
        errors.say(errors.sentence_of(run.error, "a job failed"))
    if run is None or not run.running:
        if draw is not None:
            with st.container(key="live"):
                draw()
        return
    was_idle = run.idle
    is_paused = run.yields_to_texts and run.pause_seconds() > POLL_SECONDS
    poll_seconds = PAUSED_POLL_SECONDS if is_paused else POLL_SECONDS
    if was_idle:
        poll_seconds = min(max(run.idle_seconds(), IDLE_POLL_SECONDS), LATEST_IDLE_POLL_SECONDS)

    @st.fragment(run_every=poll_seconds)
    @errors.error_boundary()
    def refresh() -> None:
        FOLLOWERS.follow(visitor, run)  # it ends soon after its last visitor has left
        if link.has_changed() or not run.running or run.idle != was_idle:
            st.rerun()
        if draw is not None:
            with st.container(key="live"):
                draw()

    refresh()


def draw_progress(job: PageJob, n_done: int, total: int, label: str, unit: str = "heads") -> None:
    """Draw how many heads, or what else, are measured, with Stop; after a stop, a button that continues."""
    if job.is_running:
        with st.container(horizontal=True, vertical_alignment="center", key="progress"):
            st.progress(n_done / total, text=f"{n_done} of {total} {unit}")
            st.button("Stop", on_click=errors.guard(job.stop))
    elif n_done < total:
        st.button(label, on_click=errors.guard(job.resume))


def current_visitor() -> str | None:
    """Return the visitor whose page is being drawn in this thread, or None outside of a page."""
    drawing = run()
    return drawing.visitor if drawing else None


def address() -> str:
    """Return the address of the visitor whose page is being drawn, as the middleware and the API know it."""
    forwarded = ", ".join(st.context.headers.get_all("x-forwarded-for")).encode("latin-1", "ignore")
    peer = st.context.ip_address or "127.0.0.1"  # Streamlit returns None if the visitor is on this machine
    return client({"client": (peer,), "headers": [(b"x-forwarded-for", forwarded)]})


def register_with_engine() -> None:
    """Let the engine distinguish visitors from now on."""
    FOLLOWERS.visitor, FOLLOWERS.present, FOLLOWERS.address = current_visitor, is_open, address
