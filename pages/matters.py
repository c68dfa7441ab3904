"""Looks, adds, matters: where each head looks, what it adds to a word, and whether the word depends on it."""

from functools import partial

import streamlit as st

from mha.app import answers, components, controls, downloads, jobs, link
from mha.app.errors import say
from mha.figures import charts
from mha.formats import markdown
from mha.views import matters, models, next_word

MODEL, SWEEP = "smollm2", "Ablate every head in turn"
state = st.session_state

# The text and the model.
controls.text_and_model("word", "versus", "guess", of_model=("word", "versus", "guess"))
text, model = state["text"], state["model"]
row = models.model_row(model)
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="examples"):
    controls.examples({label: {"text": text} for label, text in next_word.EXAMPLES.items()}, "word", "versus", "guess")
    options = st.popover("Options", key="options", on_change="rerun")
link.show_problems()
refusal = matters.refusal(text, row)
if refusal:
    components.finding(refusal)
    if row.predicts != "next" and models.is_offered(MODEL):
        st.button("Use SmolLM2", on_click=link.set_value, args=("model", MODEL))
    st.stop()
if options.open:
    with options:
        st.text_input("First word", key="word", max_chars=100, placeholder="none")
        st.text_input("Second word", key="versus", max_chars=100, placeholder="none")
        st.caption(next_word.MEAN)

# Results: three numbers of each head for two words, bundled or measured.
stored = matters.bundled_effects(text, (state["word"], state["versus"]), row)
job = jobs.PageJob(matters.measure, (text, model, state["word"], state["versus"]), model)
effects = stored.example if stored else job.result
named = matters.named_heads(effects, stored.form if stored else None) if effects else ()
prediction = answers.next_words(text, model)
if effects:
    downloads.button("Looks, adds, matters", models.origin(row), {"Heads": partial(matters.export, effects, row)})

# Guess first.
if named:
    maps = answers.attention(text, model)
    for name, head in zip(("hardest", "strongest"), named, strict=True):
        data = next_word.text_data(prediction, maps, head)
        components.sentence(data, name, partial(link.set_value, "word"))
if named and not state["guess"]:
    components.finding(matters.question(effects))
    with st.container(horizontal=True, key="guesses"):
        for guess, label in zip(("looks", "adds", "none"), (*map(str, named), "Show without guessing"), strict=True):
            st.button(label, on_click=link.set_value, args=("guess", guess))
    st.stop()
components.finding(matters.finding(effects, named) if effects else matters.NEEDED)

# The heads that are named, and all heads in one chart.
if not stored and state["word"] and state["versus"]:
    n_heads = len(models.head_names(row))
    jobs.follow(job, lambda: jobs.draw_progress(job, *matters.progress(n_heads, job.result), SWEEP))
if effects and effects.is_complete:
    left, right = st.columns([620, 460], gap="large")
    with left:
        limit, theme = stored.form.limit if stored else None, st.context.theme.type or "light"
        numbers = effects.looks, effects.direct, effects.matters
        figure = charts.effect_scatter(*numbers, limit, effects.words, list(map(str, named)), theme)
        components.chart(figure, "scatter", alt=matters.finding(effects, named))
    with right:
        for head, choice in zip(named, ("looks", "adds"), strict=False):
            st.markdown(matters.head_rows(effects, head, is_guess=state["guess"] == choice))
        if stored:
            st.caption(matters.control_text(stored, named))
    with st.expander("All heads as a table"):
        st.dataframe(matters.table(effects), hide_index=True)
st.page_link("next.py", label="Next word")
st.caption(markdown(models.origin(row)))
for note in prediction.sweep.notes:
    say(note)
