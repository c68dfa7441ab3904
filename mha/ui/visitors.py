"""Whose page this is, whether somebody still looks at it, and what it follows: for `mha.engine.following`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from mha.engine.following import FOLLOWERS
from mha.engine.jobs import Job

NOBODY = "nobody"  # outside a server, as in a test


def here() -> str | None:
    """Return the visitor whose page is being drawn in this thread, None outside of one."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else None


def present(visitor: str) -> bool:
    """Return whether a visitor's page is open."""
    return not Runtime.exists() or Runtime.instance().is_active_session(visitor)


def serve() -> None:
    """Let the engine tell visitors apart from now on."""
    FOLLOWERS.serve(here, present)


def follow(job: Job) -> None:
    """Follow a job for the visitor of this page, beside one other at most: a third is stopped.

    Raises:
        Busy: two others are under way.
    """
    try:
        FOLLOWERS.follow(here() or NOBODY, job)
    except Exception:
        if not FOLLOWERS.of(job):
            job.stop()
        raise


@contextmanager
def turn() -> Iterator[None]:
    """Let go of the long work that this drawing of the whole page does not follow."""
    with FOLLOWERS.turn(here() or NOBODY):
        yield
