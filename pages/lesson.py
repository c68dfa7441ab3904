"""Lesson: the plan of a lesson for the teacher, and its worksheet for the class."""

import streamlit as st

from mha.app import controls, lesson_bar, link, share
from mha.app.errors import say
from mha.formats import markdown
from mha.lesson import OPEN
from mha.views import lesson

state = st.session_state

# The lesson, the sheet that is printed, and the button that starts it.
plans = lesson_bar.plans()
link.show_problems()
if state["lesson_which"] and state["lesson_which"] not in plans:
    say(lesson.unknown(state["lesson_which"], plans))
if not plans:
    lesson_bar.field()
    controls.end("There is no lesson here.")
names = lesson.choices(plans.values())
if state["lesson_which"] not in plans:
    state["lesson_which"] = state["lesson"] if state["lesson"] in plans else next(iter(plans))
with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="lesson_controls"):
    st.selectbox("Lesson", list(names), key="lesson_which", format_func=names.__getitem__)
    st.segmented_control("What is printed", lesson.SHEETS, key="lesson_sheet", required=True)
    st.button("Start the lesson", type="primary", on_click=lesson_bar.start, args=(state["lesson_which"],))
plan = plans[state["lesson_which"]]
if plan.name == OPEN:
    st.caption("This lesson is open on this page alone. Others need the file.")

# The plan or the worksheet, and a lesson of the visitor's own.
with st.spinner("The answers are measured …"):
    sheet = lesson.sheet(plan, state["lesson_sheet"], share.folder())
with st.container(key="lesson_paper"):
    st.html(sheet)
with st.container(key="lesson_origin"):  # on paper the answers have it
    st.caption(f"Print this page with your browser (Ctrl or ⌘ + P). {markdown(lesson.origin(plan))}")
lesson_bar.field()
