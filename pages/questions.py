"""Questions: ten questions on multi-head attention, each answered by an experiment; predict, then reveal."""

import streamlit as st

from mha.ui.questions import sections as questions

with st.container(key="section_questions"):
    question = questions.choose()
    verdict = questions.ask(question)
    if verdict is not None:
        questions.answer(question, verdict)
