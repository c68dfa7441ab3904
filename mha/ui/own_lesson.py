"""A lesson of the visitor's own, opened from a file and kept for their visit alone."""

from __future__ import annotations

import streamlit as st

from mha.app import errors
from mha.errors import InputError
from mha.lesson import OPEN, LessonPlan, read
from mha.link.pages import LessonWords
from mha.screens.lessons import OWN
from mha.ui import uploads

WHICH = LessonWords.of("which").name
FIELD, MEGABYTES = "lesson_file", 1
TAKEN = "lesson_file_taken"  # the content of the file that was last read
GOES = "lesson_goes_to"  # the lesson and the stop that a click asks for


def own() -> LessonPlan | None:
    """Return the lesson of this visit, None where there is none."""
    plan = st.session_state.get(OWN)
    return plan if isinstance(plan, LessonPlan) else None


def field() -> None:
    """Draw the field for a lesson in a file, and the button that starts the one that was opened."""
    content = uploads.field("Open a lesson of your own", FIELD, MEGABYTES, ("md",))
    if content is None:
        st.session_state.pop(TAKEN, None)
    elif st.session_state.get(TAKEN) != content:
        st.session_state[TAKEN] = content
        try:
            plan = read(content)
        except InputError as error:
            errors.say(str(error))
        else:
            st.session_state[OWN], st.session_state[WHICH] = plan, OPEN
            st.rerun()
    if own() is not None:
        st.button("Start your lesson", key="lesson_start", on_click=_start)


def _start() -> None:
    st.session_state[GOES] = OPEN, 1
