"""Looks, adds, matters: where each head looks, what it adds to a word, and whether the word depends on it."""

from functools import partial

import streamlit as st

from mha.app import answers, components, controls, cuts, jobs, link
from mha.app.errors import say
from mha.errors import InputError
from mha.figures import charts
from mha.formats import markdown
from mha.views import matters, models, next_word

RESET_ON_TEXT = ("word", "versus", "look_at", "guess", "cut")
state = st.session_state

# The text and the model.
controls.text_and_model(*RESET_ON_TEXT, reset_on_model=RESET_ON_TEXT)
text, model = state["text"], models.model_row(state["model"])
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="examples"):
    controls.examples(next_word.TEXT_PARAMS, *RESET_ON_TEXT)
    options = st.popover("Options", key="options", on_change="rerun")
refusal = matters.refusal(text, model)
if refusal:
    link.show_problems()
    controls.end(refusal, offers_smollm2=model.predicts != "next")

# Where each head looks and what it adds to two words: bundled or measured.
typed = state["word"], state["versus"]
stored = matters.bundled_effects(text, typed, state["look_at"], model)
with st.spinner(f"{model.short} reads the text …", show_time=True):
    try:
        prediction = answers.next_words(text, model.name, () if stored else typed)
    except InputError as error:  # a typed word that the model does not have, or a text that it refuses
        typed = "", ""
        prediction = answers.next_words(text, model.name)
        say(str(error))
    selectable = matters.word_options(prediction)
    link.restrict("look_at", selectable)
    ids = matters.pair_of(prediction.sweep, *typed)
    if typed[0].strip() and typed[0].strip() == typed[1].strip():
        say(next_word.SAME_WORD)
    effects = stored.example if stored else answers.effects(text, model.name, ids, state["look_at"])
    uncut = answers.attention(text, model.name)
    link.show_problems()
    prediction = cuts.cut_prediction(prediction, model)
    maps = answers.attention(text, model.name, cut=prediction.cut)
case = matters.EffectsCase(model, prediction, effects, stored)
if options.open:
    with options:
        st.text_input("First word", key="word", max_chars=100, placeholder="the likeliest word")
        st.text_input("Second word", key="versus", max_chars=100, placeholder="the likeliest other word")
        st.caption(next_word.MEAN)

# Whether the score depends on each head: ablation while nothing else waits.
job = jobs.PageJob(answers.WordSweepRequest, (text, model.name, prediction.sweep.ids, "", ids[0]))
case = matters.with_sweep(case, job.result or prediction.sweep)
is_guess = case.can_guess and not state["guess"]


def select_word(number: int) -> None:
    link.set_values({"look_at": number, "guess": "none"})


def draw_results() -> None:
    """Draw all heads, as far as they are measured."""
    current = matters.with_sweep(case, job.result)
    jobs.draw_progress(job, current.prediction.sweep.n_measured, current.n_heads, "Measure the other heads")
    left, right = st.columns([620, 460], gap="large")
    with left:
        if current.effects.looked_at:
            theme = st.context.theme.type or "light"
            figure = charts.effect_scatter(**matters.chart_values(current), theme=theme)
            components.chart(figure, "scatter", alt=matters.chart_text(current))
        st.caption(matters.size_text(current))
    with right:
        for row in matters.head_rows(current, state["guess"]):
            st.markdown(row)
        st.caption(matters.explanation(current))


# The finding, or the question before it; the text with the attention of two heads; guess first; the chart.
if is_guess or state["reveal"] == "1":
    components.finding(matters.question(case) if is_guess else matters.finding(case))
heads = sorted({head for role, head in case.roles.items() if role != matters.MATTERS})
for number, head in enumerate(heads or [None]):
    data = matters.sentence_data(case, maps, head, not is_guess, None if is_guess else uncut)
    components.sentence(f"sentence_{number}", data=data, on_select=select_word, on_cut=cuts.toggle)
if prediction.cut and state["reveal"] == "1" and not is_guess:
    cuts.draw_buttons(prediction)
    for line in matters.cut_lines(case, uncut):
        st.markdown(line)
    components.next_words("next_words", data=matters.cut_words(case))
if is_guess:
    with st.container(horizontal=True, key="guesses"):
        for label, guess in (*matters.guesses(case), ("Show without guessing", "none")):
            st.button(label, on_click=link.set_value, args=("guess", guess))
    jobs.follow(job, start=not case.is_complete)
    st.stop()
if state["reveal"] == "0":
    controls.guess_first(matters.question(case))
jobs.follow(job, draw_results, start=not case.is_complete)

# What leaves the page.
st.page_link("next.py", label="Next word", query_params=link.query_for_page("next"))
st.caption(markdown(models.origin(model)))
for note in prediction.sweep.notes:
    say(note)
cuts.download_button("Looks, adds, matters", prediction, model, {"Heads": partial(matters.export, case)})
