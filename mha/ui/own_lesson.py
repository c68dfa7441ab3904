"""A lesson of the visitor's own: opened from a file, or made of views that they add; kept for their visit alone."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha.errors import InputError
from mha.lesson import MOST_BYTES, OPEN, PAGES_OF_STOPS, LessonPlan, read, with_view, written
from mha.link.link import Link
from mha.link.pages import LessonWords, page_row
from mha.link.view import VERSION
from mha.link.word import Query
from mha.screens.lessons import OWN, TEACHER, plain, view_title
from mha.ui import bound, boundary, uploads

WHICH = LessonWords.of("which").name
FIELD, MEGABYTES = "lesson_file", 1
TAKEN = "lesson_file_taken"  # what was last read of a file: while it stands in its field, the lesson may be changed
TEXT, TEXT_OF = "lesson_text", "lesson_text_of"  # what is typed, and the lesson that stood there before
FAULT = "lesson_fault"
GOES = "lesson_goes_to"  # the lesson and the stop that a click asks for
FRAMED = ("v", "large", "embed", "embed_options")  # what no stop says


def own() -> LessonPlan | None:
    """Return the lesson of this visit, None where there is none."""
    plan = st.session_state.get(OWN)
    return plan if isinstance(plan, LessonPlan) else None


def field() -> None:
    """Draw the field for a lesson in a file, and of the one that is there its text, to be changed and downloaded."""
    content = uploads.field("Open a lesson of your own", FIELD, MEGABYTES, ("md",))
    if content is None:
        st.session_state.pop(TAKEN, None)
    elif st.session_state.get(TAKEN) != content:
        st.session_state[TAKEN] = content
        try:
            _take(read(content))
        except InputError as error:
            boundary.say(str(error))
        else:
            st.rerun()
    plan = own()
    if plan is not None:
        with st.container(key="lesson_editor"):
            _edited(plan)


def _take(plan: LessonPlan) -> None:
    st.session_state[OWN] = plan
    st.session_state[WHICH] = OPEN


def _edited(plan: LessonPlan) -> None:
    state = st.session_state
    if state.get(TEXT_OF) != plan or TEXT not in state:
        state[TEXT], state[TEXT_OF] = written(plan), plan
        state.pop(FAULT, None)
    st.button("Start your lesson", key="lesson_start", on_click=_start)
    with st.expander("Edit your lesson"):
        st.text_area("Your lesson", key=TEXT, height=360, max_chars=MOST_BYTES, on_change=_typed)
        if state.get(FAULT):
            boundary.say(state[FAULT])
        st.caption("A stop begins with ## and its title. Your browser forgets the lesson on reload, so download it.")
        st.download_button("Download the lesson", state[TEXT], "lesson.md", "text/markdown", on_click="ignore")


def _start() -> None:
    st.session_state[GOES] = OPEN, 1


def _typed() -> None:
    state = st.session_state
    try:
        plan = read(state[TEXT])
    except InputError as error:
        state[FAULT] = str(error)
        return
    state.pop(FAULT, None)
    state[TEXT_OF] = plan
    _take(plan)


def adding(page: str, query: Query) -> None:
    """Draw, in a dialog, the button that adds a view to the visitor's lesson; nothing on a page that is no stop."""
    if page not in PAGES_OF_STOPS:
        return
    words, plan = _words(page, query), own()
    st.caption("Use it in a lesson")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button("Add to a lesson", key="lesson_add", on_click=_add, args=(page, words))
        places = [number for number, stop in enumerate(plan.stops, 1) if stop.is_at(page, words)] if plan else []
        if plan is not None and places:
            st.text(f"Stop {places[-1]} of “{plain(plan.title)}” is this view.")
            if st.button("Open the lesson", key="lesson_open", type="tertiary"):
                st.switch_page(f"{TEACHER}.py", query_params={"v": VERSION, WHICH: OPEN})


def _add(page: str, words: Sequence[tuple[str, str]]) -> None:
    title = view_title(page_row(page).title, dict(words).get("text", ""))
    st.session_state[OWN] = with_view(own(), title, page, words)


def _words(page: str, query: Query) -> list[tuple[str, str]]:
    """Return the words of a view as a stop has them: its sentence is said, whatever it is."""
    link = Link.of(page, query, bound.models())[0]
    words = [pair for pair in link.pairs() if pair[0] not in FRAMED]
    said = page_row(page).of_text and "text" not in dict(words)
    return [*([("text", link.view.text)] if said else []), *words]
