"""Who answers a page that stands in a browser: this process, with what a visit keeps, and a sign while it waits."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import streamlit as st

from mha import engine
from mha.engine import asking
from mha.engine.asking import Kept, Leans, Watched
from mha.ui.training import runs

VISIT = "visit_keeps"  # what a visitor guessed and what is shown of it: in no link, gone when the visit ends
WAKING = "The model is waking up; this takes a few seconds once."
WAITING = {Leans: "The same words in 20 other orders …"}


class Asking:
    """Answers the questions of one run of a page."""

    def __call__(self, question: Any) -> Any:
        """Return the answer; while it is waited for, a line where the page has come to says so."""
        if isinstance(question, Kept):
            return st.session_state.get(VISIT, {}).get(question.name)
        if isinstance(question, Watched):
            return runs.watch(question.settings).progress()
        if isinstance(question, engine.Request):
            with st.empty(), _spinner(question):  # always there, so that what follows keeps its place
                return asking.here(question)
        with st.spinner(WAITING[type(question)], show_time=True):
            return asking.here(question)


def _spinner(request: engine.Request) -> Any:
    if engine.soon(request):
        return nullcontext()
    return st.spinner("Looking …" if engine.state().ready else WAKING, show_time=True)
