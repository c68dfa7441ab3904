"""Long work on a page: a generator of partial results runs in the engine; a fragment shows them, with Stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import streamlit as st

from mha.app import errors
from mha.engine.following import FOLLOWERS
from mha.engine.jobs import RUNS, Job, RunOf
from mha.engine.question import InPieces
from mha.streamlit_facts import run

PACE = 0.4  # seconds between two looks at a job that runs


class GeneratorJob(Job):
    """A job whose steps are the values of a generator; ``result`` is the last one."""

    def __init__(self, work: Callable[..., Iterator[Any]], given: tuple[Any, ...], model: str) -> None:
        self.result: Any = None
        self._pieces = InPieces(work, given, model=model)
        super().__init__()

    def rest(self) -> InPieces:
        """Return the whole work: a generator cannot continue on another machine."""
        return self._pieces

    def take(self, piece: Any) -> None:
        """Keep the newest result."""
        self.result = piece


def job(work: Callable[..., Iterator[Any]], text: str, model: str, *given: Any) -> RunOf:
    """Return the handle of a job: ``work`` is a generator function of a module; all its arguments are hashable."""
    return GeneratorJob.of(work, (text, model, *given), model)


def start(handle: RunOf) -> None:
    """Callback: start a job, or continue a stopped one, for the visitor of this page."""
    under_way = run()
    handle.begin(under_way.visitor if under_way else None)


def stop(handle: RunOf) -> None:
    """Callback: stop a job; its last result stays."""
    known = RUNS.get(handle)
    if known is not None:
        known.stop()


def follow(
    handle: RunOf,
    label: str,
    draw: Callable[[Any], bool],
    progress: Callable[[Any], tuple[int, int]],
    first: Any = None,
) -> None:
    """Draw a job: its button, its progress with Stop as a fragment while it runs, and its last result.

    ``draw`` gets the last result, ``first`` before there is one, and returns whether a component was clicked: a click
    in a fragment reruns the fragment alone, so the page is run again to write the link. ``progress`` returns how many
    heads of a result are measured, and of how many. The whole page is drawn again when the job ends.
    """
    known, under_way = RUNS.get(handle), run()

    def newest() -> Any:
        return first if known is None or known.result is None else known.result

    if known is None or not known.running:
        if known is not None and known.state == "failed":
            errors.say(errors.sentence_of(known.error, "a job failed"))
        done, total = progress(newest())
        if done < total:
            st.button(label, on_click=start, args=(handle,))
        draw(newest())
        return
    FOLLOWERS.follow(under_way.visitor if under_way else "", known)

    @st.fragment(run_every=PACE)
    @errors.shown()
    def refresh() -> None:
        done, total = progress(newest())
        with st.container(horizontal=True, vertical_alignment="center", key="progress"):
            st.progress(done / total, text=f"{done} of {total} heads")
            st.button("Stop", on_click=stop, args=(handle,))
        if draw(newest()) or not known.running:
            st.rerun()

    refresh()


def result_of(handle: RunOf) -> Any:
    """Return the last result of a job, or None before its first result or if it was never started."""
    known = RUNS.get(handle)
    return None if known is None else known.result
