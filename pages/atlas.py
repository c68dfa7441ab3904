"""Whole model: all heads by any two measures, and a page for every head."""

from functools import partial

import streamlit as st

from mha.app import components, controls, downloads, link
from mha.figures.whole import effect_strip, head_scatter
from mha.formats import markdown
from mha.maps import HeadId
from mha.views import head as views
from mha.views import models, whole
from mha.words import words

state, theme = st.session_state, st.context.theme.type or "light"
open_head = partial(link.set_value, "profile")
OF_MODEL = ("profile", "x", "y", "measure")

# The model; a sentence only for a model without bundled numbers.
controls.restrict_model()
if whole.has_bundled_numbers(models.model_row(state["model"])):
    controls.model_only(*OF_MODEL)
else:
    controls.text_and_model(of_model=OF_MODEL)
model = models.model_row(state["model"])
link.restrict("profile", models.head_names(model))
refusal = whole.refusal(state["text"], len(words(state["text"])))
if refusal and not whole.has_bundled_numbers(model):
    link.show_problems()
    components.finding(refusal)
    st.stop()

# Results: the numbers of all heads.
with st.spinner(f"{model.short} reads the sentence …", show_time=True):
    case = whole.measure(model, state["text"])
measures = case.measures
for name in ("x", "y", "measure"):
    link.restrict(name, measures)
link.show_problems()
downloads.button(
    "Whole model", models.origin(model), {"Every measure of every head": partial(whole.download_table, case)}
)

# Guess first.
if state["reveal"] == "0":
    controls.guess_first(whole.question(case, state["profile"]))

# The page of one head.
if state["profile"]:
    head = views.Head(case, HeadId.parse(state["profile"]))
    with st.container(horizontal=True, vertical_alignment="center", key="head_bar"):
        st.button("All heads", on_click=open_head, args=(None,))
        for neighbour, key in zip(head.neighbours, ("Left", "Right"), strict=True):
            if neighbour:
                st.button(str(neighbour), on_click=open_head, args=(str(neighbour),), shortcut=key, key=key)
    left_column, right_column = st.columns(2, gap="large")
    with left_column:
        with st.container(key="head_name"):
            st.markdown(f"`{head.id}`")
        components.finding(views.finding(head))
        st.caption(views.size_sentence(head))
        with st.container(horizontal=True, key="head_links"):
            st.page_link(
                "heads.py",
                label="See it on Heads",
                query_params=views.heads_link(head, head.case.profiles.sentence_of(head.id)),
            )
            if model.predicts == "next":
                st.page_link("next.py", label="Ablate it in Next word", query_params=views.next_word_link(head))
    with right_column:
        st.header(views.places_title(case), anchor=False)
        st.caption(views.places_caption(case))
        components.shares("shares", **views.places_data(head))
    if head.connections:
        st.header("Its strongest connections", anchor=False)
        st.caption(views.sentences_caption(head))
        components.examples("examples", **views.sentences_data(head))
    left_column, right_column = st.columns(2, gap="large")
    with left_column:
        if case.profiles.is_bundled:
            st.header("Does it matter?", anchor=False)
            st.markdown(views.effect_sentence(head))
            names, effects, effect = views.strip_values(head)
            figure = effect_strip(str(head.id), effect, names, effects, views.strip_title(case), theme)
            components.chart(figure, "strip", alt=views.strip_label(head))
            st.caption(views.strip_caption())
    with right_column:
        if len(case.heads) > 1:
            st.header("Similar heads", anchor=False)
            st.caption(views.similar_caption(head))
            components.similar("similar", open_head, **views.similar_data(head))
else:
    # All heads by two measures, and as a table.
    components.finding(whole.finding(case))
    st.caption(whole.explanation(case))
    titles = {key: measure.title for key, measure in measures.items()}
    left_column, right_column = st.columns([660, 420], gap="large")
    with left_column:
        with st.container(horizontal=True, key="axes"):
            st.selectbox("To the right", titles, key="x", format_func=titles.__getitem__)
            st.selectbox("Upwards", titles, key="y", format_func=titles.__getitem__)
        x, y = state["x"], state["y"]
        axes = (measures[x], measures[y])
        figure = head_scatter(
            case.values(x), case.values(y), (axes[0].title, axes[1].title),
            (axes[0].unit == whole.SHARE, axes[1].unit == whole.SHARE), theme,
        )  # fmt: skip
        components.head_chart(figure, "chart", whole.chart_label(case, x, y), open_head)
        st.caption(whole.chart_caption(case, x, y))
    with right_column:
        st.caption("Select a row (keyboard: Shift + Space) to open the page of its head.")
        components.head_table(whole.table_rows(case, (x, y, state["measure"])), "heads_table", open_head, "All heads")

    # One measure of every head.
    st.header("Every head", anchor=False)
    st.selectbox("Number", titles, key="measure", format_func=titles.__getitem__, width=340)
    st.caption(whole.grid_caption(case, state["measure"]))
    components.heads("heads", data=whole.grid_data(case, state["measure"]), on_head=open_head)

    # Similar heads, and how it is measured.
    pairs = whole.similar_pairs(case)
    if pairs:
        st.header("Most similar heads", anchor=False)
        st.caption(whole.similar_caption(case))
        with st.container(horizontal=True, key="pairs"):
            for first, second, cosine in pairs:
                label = f"{first} and {second}: {whole.number(cosine)}"
                st.button(label, key=f"pair_{first}_{second}", type="tertiary", on_click=open_head, args=(str(first),))

# How it is measured.
with st.expander("How is this measured?"):
    st.markdown(views.method(head) if state["profile"] else whole.method(case))
st.caption(markdown(models.origin(model)))
