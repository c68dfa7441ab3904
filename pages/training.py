"""Watch heads learn: why do heads differ, and do they stay different?"""

from functools import partial

import streamlit as st

from mha.app import components, controls, downloads, link
from mha.figures import training as figures
from mha.training.settings import EXPERIMENTS
from mha.views import training

state = st.session_state

# The recorded runs.
runs = training.runs_of(state["experiment"])
if not runs:
    controls.end(training.MISSING)
theme, titles = st.context.theme.type or "light", [training.title_of(run.settings) for run in runs]
second = runs[-1]
link.restrict("ablated_head", ("", *training.head_numbers(second)))
link.show_problems()
st.pills(
    "Experiments", list(EXPERIMENTS), key="experiment", required=True, on_change=link.reset, args=("ablated_head",)
)

# Guess first.
if state["reveal"] == "0":
    st.markdown(" ".join(training.shown_words(second)))
    st.caption(training.task(second))
    controls.guess_first(training.GUESS)

# Both runs on one sentence, at one moment of the training.
moments = [run.moment(state["progress"] / training.PROGRESS) for run in runs]
components.runs("runs", **training.runs_data(runs, moments, state["large"]))
st.caption(training.task(second))
progress, switch = st.columns(2, gap="large", vertical_alignment="bottom")
progress.slider("Training progress", 0, training.PROGRESS, key="progress", format="%d %%")
switch.segmented_control(
    f"Ablate a head of “{titles[-1]}”", ["", *training.head_numbers(second)], key="ablated_head", required=True,
    format_func=lambda head: f"head {head}" if head else "none",
)  # fmt: skip
if state["ablated_head"]:
    st.markdown(training.ablation(second, int(state["ablated_head"]), moments[-1]))

# The accuracy of both runs while they learn.
for column, run, moment, title in zip(st.columns(2, gap="large"), runs, moments, titles, strict=True):
    with column:
        st.header(title, anchor=False)
        st.caption(training.accuracy_key(run))
        figure = figures.accuracy_curves(run, training.siblings(run.settings), theme, moment)
        components.chart(figure, f"accuracy_{title}", alt=figures.describe_accuracy(run, title))

# Whether heads become different.
st.header("Do heads become different?", anchor=False)
left_column, right_column = st.columns(2, gap="large")
left_column.markdown(training.difference(runs))
left_column.caption(training.CONCLUSIONS)
with right_column:
    figure = figures.diversity_curves(runs, titles, theme)
    components.chart(figure, "diversity", alt=figures.describe_diversity(runs, titles))

# The method, and the downloads.
with st.expander("How is this measured?"):
    st.markdown(training.method(second))
st.caption(training.ORIGIN)
tables = {title: partial(training.table, run) for title, run in zip(titles, runs, strict=True)}
downloads.button("Watch heads learn", training.ORIGIN, tables)
