"""Who answers a page that stands in a browser: this process, with what a visit keeps, and a sign while it waits."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import streamlit as st

from mha import engine
from mha.engine.jobs import Long
from mha.engine.question import Arrival, Came, Here, Kept, OwnMaps
from mha.engine.trainings import Watched
from mha.ui import bound, own, share, trainings, visitors

LOOKING = "Looking …"
WAKING = "The model is waking up; this takes a few seconds once."


class Asking:
    """Answers the questions of one run of a page; ``place`` is where it says that it waits, ``said`` what it says."""

    def __init__(self, place: Any = None, said: str = "") -> None:
        self.place, self.said = place, said

    def __call__(self, question: Any) -> Any:
        """Return the answer; while it is waited for, a line where the page has come to says so."""
        if isinstance(question, Kept):
            return st.session_state.get(question.name)
        if isinstance(question, Here):
            return share.link()
        if isinstance(question, Came):
            return Arrival(bound.stayed(), bound.came_from_another(), _came_with())
        if isinstance(question, OwnMaps):
            return own.file()
        if isinstance(question, Long) and question.begins:
            return question.watch(visitors.here())
        if isinstance(question, Watched):
            return trainings.watch(question.settings)
        if isinstance(question, engine.Request) and engine.soon(question):
            return question.answer()
        waking = isinstance(question, engine.Request) and not engine.state().ready
        with self.place or nullcontext(), st.spinner(WAKING if waking else self.said or LOOKING, show_time=True):
            return question.answer()


def _came_with() -> frozenset[str]:
    """Return the words that the address said: its version only where the reader brought it, or a word that is wrong."""
    state, words = st.session_state, bound.came_with()
    return words if "v" in state["link_came"] or state["link_notes"] else words - {"v"}
