"""The lessons that a visit can open: those of the app, and one from a file of the visitor."""

import streamlit as st

from mha.app import errors, uploads
from mha.errors import InputError
from mha.lesson import OPEN, LessonPlan, offered, read

OWN = "lesson_own"  # the plan of the visitor's file
NEXT_STOP = "lesson_goes_to"  # the lesson and the stop that open in the next run
_FIELD, _MEGABYTES = "lesson_file", 1
_CONTENT = "lesson_file_taken"  # the content of the file that was last read


def own_plan() -> LessonPlan | None:
    """Return the lesson of the visitor's file, or None."""
    plan = st.session_state.get(OWN)
    return plan if isinstance(plan, LessonPlan) else None


def plans() -> dict[str, LessonPlan]:
    """Return the lessons that this visit can open, by name."""
    plan = own_plan()
    return offered() | ({OPEN: plan} if plan is not None else {})


def field() -> None:
    """Draw the field for a lesson in a file, and the button that starts it."""
    content = uploads.field("Open a lesson of your own", _FIELD, _MEGABYTES, ("md",))
    if content is None:
        st.session_state.pop(_CONTENT, None)
    elif st.session_state.get(_CONTENT) != content:
        st.session_state[_CONTENT] = content
        try:
            plan = read(content)
        except InputError as error:
            errors.say(str(error))
        else:
            st.session_state[OWN], st.session_state["lesson_which"] = plan, OPEN
            st.rerun()
    if own_plan() is not None:
        st.button("Start your lesson", key="lesson_start", on_click=start, args=(OPEN,))


def start(name: str) -> None:
    """Callback: open the first stop of a lesson."""
    st.session_state[NEXT_STOP] = name, 1
