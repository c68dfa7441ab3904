"""Questions: three claims, ten questions, and questions. Predict, then an experiment answers."""

import streamlit as st

from mha.app import components, controls, downloads, link
from mha.app.errors import say
from mha.errors import MHAError
from mha.views import experiments, questions

state = st.session_state
theme = st.context.theme.type or "light"
answers: dict[str, questions.Answer] = {}
guesses = state.setdefault("question_guesses", {})  # by name, of the answers that are shown


def show(name: str) -> None:
    """Callback: show an answer, and keep the guess next to it."""
    guesses[name] = state.get(f"guess_{name}") or ""


def draw(question: questions.QuizQuestion) -> None:
    """Draw a claim or a question with its guess, and once it is shown, its answer and experiment."""
    left_column, right_column = st.columns((5, 6), gap="large")
    left_column.subheader(question.ask, anchor=False)
    if question.name not in guesses:
        right_column.radio(question.guess, question.options, index=None, key=f"guess_{question.name}")
        right_column.button("Show answer", key=f"show_{question.name}", on_click=show, args=(question.name,))
        return
    with right_column, st.spinner("The experiment runs …"):
        try:
            answer = experiments.answer(question.name, state["text"], state["model"])
        except MHAError as error:
            say(str(error))
            answer = questions.Answer("")
        answers[question.name] = answer
        st.markdown(answer.finding)
        for formula in answer.formulas:
            st.latex(formula)
        if answer.figure:
            components.chart(answer.figure(theme), f"figure_{question.name}", alt=answer.alt)
        st.markdown(answer.table)
        st.caption(answer.note)
    has_result = bool(answer.note)  # an answer without a note has the reason
    correct = question.right if answer.right is None and has_result else answer.right
    with left_column:
        st.caption(question.guess)
        st.markdown(questions.verdict(question, guesses[question.name], correct))
        st.markdown(questions.without_marks(question.answer))
        for file, label, query in questions.page_links(question):
            st.page_link(file, label=label, query_params=query, icon=":material/arrow_forward:", icon_position="right")
        with st.expander("Terms and sources"):
            st.markdown(questions.more(question))
        st.button("Guess again", key=f"again_{question.name}", on_click=guesses.pop, args=(question.name, None))


# The three claims.
link.show_problems()
components.finding(questions.TITLE)
top, middle = st.container(), st.container()  # a link may put the conclusions first
with middle:
    st.header(questions.CLAIMS_TITLE, anchor="claims")
    st.caption(questions.INTRODUCTION)
    for claim in questions.claims():
        draw(claim)

    # The ten questions.
    st.header(questions.QUESTIONS_TITLE, anchor="questions")
    name = state["questions_open"]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="questions_bar"):
        st.selectbox("Question", questions.names(), key="questions_open", format_func=questions.label)
        for label, step in (("Back", -1), ("Next", 1)):
            to = questions.neighbour(name, step)
            st.button(label, disabled=not to, on_click=link.set_value, args=("questions_open", to))
    if name in experiments.ON_THE_SENTENCE:
        controls.text_and_model()
    with st.container(key="of_the_sentence" if name in experiments.ON_THE_SENTENCE else None):
        draw(questions.question(name))

# Conclusions.
with top if state["section"] else st.container():
    st.header(questions.CONCLUSIONS_TITLE, anchor="limits")
    if state["reveal"] == "0":
        st.markdown(questions.GUESS)
        st.button("Show results", type="primary", on_click=link.set_value, args=("reveal", "1"))
        st.stop()
    left_column, right_column = st.columns((5, 6), gap="large")
    left_column.markdown(questions.NOT_EXPLANATIONS)
    left_column.markdown(questions.SAYS)
    left_column.markdown(questions.bullets(*questions.limits()))
    study = questions.read_study()
    with right_column:
        st.subheader("Which measures find the heads that matter?", anchor=False)
        st.markdown(questions.study_finding(study))
        components.chart(questions.study_chart(study, theme), "measures", alt=questions.study_alt(study))
        st.caption(questions.MARKS)
        with st.expander("How is this measured?"):
            st.markdown(questions.study_method(study))
    with st.expander("Six more claims"):
        st.markdown(questions.more_claims())
    with st.expander("Versions"):
        st.markdown(questions.versions())
    with st.expander("How to cite"):
        st.code(questions.citation(), language=None, wrap_lines=True)
        st.caption(questions.CITE)
    with st.expander("Sources"):
        st.markdown(questions.source_list())
downloads.button("Questions", "Numbers: the models that the captions name.", questions.tables(answers))
