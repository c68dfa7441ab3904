"""The sections of the Questions page: which question, the guess, the answer with its live figure."""

from __future__ import annotations

from contextlib import nullcontext

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mha.link.questions import NAMES, Choices
from mha.screens.questions.texts import Question, questions, sources, verdict
from mha.ui import bound
from mha.ui.apart import of_the_sentence
from mha.ui.away import gathered
from mha.ui.components.captions import caption
from mha.ui.pages import page_link
from mha.ui.questions.answers import ON_THE_SENTENCE, answer_of

OPEN = Choices.of("open").name


def choose() -> Question:
    """Draw the row of questions with Back and Next; return the open one."""
    row, steps = st.columns([5, 1], vertical_alignment="top", gap="small")
    with row:
        name = bound.draw(Choices.of("open"), label_visibility="collapsed", wrap=True)
    place = NAMES.index(name or NAMES[0])
    with steps.container(horizontal=True, horizontal_alignment="right", gap="small"):
        st.button("Back", disabled=place == 0, on_click=_open, args=(place - 1,), key="questions_back")
        st.button("Next", disabled=place == len(NAMES) - 1, on_click=_open, args=(place + 1,), key="questions_next")
    return questions()[place]


def ask(question: Question) -> DeltaGenerator | None:
    """Draw the question and its guess; return where the verdict goes once the answer is to be shown, else None.

    One button shows and hides: it stays where it is and what it is (another type would be another button), and so does
    the keyboard's focus.
    """
    number = NAMES.index(question.name) + 1
    with st.container(key="questions_ask"):
        caption(f"Question {number} of {len(NAMES)}", key="q_number")
        gathered.heading(question.ask, 1)
    place = st.container(key="questions_guess")
    shown = question.name in _shown()
    if not shown:
        with place:
            caption(question.guess, key="q_guess", style="answer")
            st.radio("Your guess", question.options, index=None, key=_guess_key(question), label_visibility="collapsed")
    st.button(
        "Ask me again" if shown else "Then show",
        on_click=_hide if shown else _show,
        args=(question,),
        key="questions_show",
    )
    if shown:
        return place
    caption("Nothing is stored: the guess is yours.", key="q_stored")
    return None


def answer(question: Question, place: DeltaGenerator) -> None:
    """Draw the answer, the live figure, the page that explores it, the sources, and in ``place`` the verdict."""
    with st.container(key="questions_answer"):
        text, figure = st.columns([5, 6], gap="large")
        with text:
            caption(question.answer, key="q_answer", style="answer")
            page_link(*question.pages, step=question.step)
            for page in question.also:
                page_link(page)
        with figure, of_the_sentence() if question.name in ON_THE_SENTENCE else nullcontext():
            found = answer_of(question.name)
        with st.container(key="questions_sources"):
            st.markdown("  \n".join(sources()[name].line for name in question.sources))
    right = question.right if found is None else found
    with place:
        caption(verdict(question, _shown()[question.name], right), key="q_verdict", style="sub")


def _open(place: int) -> None:
    st.session_state[OPEN] = NAMES[place]
    bound.forget_link_notes()


def _shown() -> dict[str, str | None]:
    """Return the questions whose answers this visitor sees, each with what was guessed; gone when the visit ends."""
    return st.session_state.setdefault("questions_shown", {})


def _show(question: Question) -> None:
    _shown()[question.name] = st.session_state.get(_guess_key(question))


def _hide(question: Question) -> None:
    _shown().pop(question.name, None)


def _guess_key(question: Question) -> str:
    return f"guess_{NAMES.index(question.name)}"
