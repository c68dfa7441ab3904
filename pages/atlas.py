"""Whole model: all heads by any two measures, and a page for every head."""

from functools import partial

import streamlit as st

from mha.app import components, controls, downloads, link
from mha.figures.charts import head_scatter
from mha.formats import markdown
from mha.maps import HeadId
from mha.views import head as head_view
from mha.views import models, whole
from mha.words import words

state, theme = st.session_state, st.context.theme.type or "light"
open_head = partial(link.set_value, "profile")
RESET_ON_MODEL = ("profile", "x", "y", "measure")

# The model; a text field only for a model without bundled numbers.
controls.restrict_model()
if whole.has_bundled_numbers(models.model_row(state["model"])):
    controls.text_and_model(reset_on_model=RESET_ON_MODEL, has_text=False)
else:
    controls.text_and_model(reset_on_model=RESET_ON_MODEL)
model = models.model_row(state["model"])
link.restrict("profile", models.head_names(model))
refusal = whole.refusal(state["text"], len(words(state["text"])))
if refusal and not whole.has_bundled_numbers(model):
    link.show_problems()
    controls.end(refusal)

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
    head = head_view.Head(case, HeadId.parse(state["profile"]))
    with st.container(horizontal=True, vertical_alignment="center", key="head_bar"):
        st.button("All heads", on_click=open_head, args=(None,))
        for neighbour, key in zip(head.neighbours, ("Left", "Right"), strict=True):
            if neighbour:
                st.button(str(neighbour), on_click=open_head, args=(str(neighbour),), shortcut=key, key=key)
    left_column, right_column = st.columns(2, gap="large")
    with left_column:
        with st.container(key="head_name"):
            st.markdown(f"`{head.id}`")
        components.finding(head_view.finding(head))
        st.caption(case.basis)
        with st.container(horizontal=True, key="head_links"):
            st.page_link(
                "heads.py",
                label="See it on Heads",
                query_params=head_view.heads_link(head, head.case.profiles.sentence_of(head.id)),
            )
            if model.predicts == "next":
                st.page_link("next.py", label="Ablate it in Next word", query_params=head_view.next_word_link(head))
    with right_column:
        st.header(head_view.places_title(case), anchor=False)
        with st.container(key="places"):
            st.markdown(head_view.places_table(head))
        st.caption(head_view.places_caption(case))
    if head.connections:
        st.header("Its strongest connections", anchor=False)
        st.caption(head_view.sentences_caption(head))
        with st.container(key="connections"):
            st.html(head_view.connections_list(head))
    if case.profiles.is_bundled:
        st.header("Does it matter?", anchor=False)
        st.markdown(head_view.effect_sentence(head))
    st.markdown(head_view.similar_sentence(head))
else:
    # All heads by two measures.
    components.finding(whole.finding(case))
    st.caption(whole.explanation(case))
    titles = {key: measure.title for key, measure in measures.items()}
    with st.container(horizontal=True, key="axes"):
        st.selectbox("To the right", titles, key="x", format_func=titles.__getitem__)
        st.selectbox("Upwards", titles, key="y", format_func=titles.__getitem__)
    x, y = measures[state["x"]], measures[state["y"]]
    figure = head_scatter(
        case.values(x.key), case.values(y.key), (x.title, y.title), (x.unit == whole.SHARE, y.unit == whole.SHARE),
        theme,
    )  # fmt: skip
    components.chart(figure, "chart", whole.chart_label(case, x.key, y.key), open_head)
    st.caption(whole.chart_caption(case, x.key, y.key))

    # One measure of every head.
    st.header("Every head", anchor=False)
    st.selectbox("Number", titles, key="measure", format_func=titles.__getitem__, width=340)
    st.caption(whole.grid_caption(case, state["measure"]))
    components.heads("heads", data=whole.grid_data(case, state["measure"]), on_head=open_head)

    # Similar heads.
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
    st.markdown(head_view.method(head) if state["profile"] else whole.method(case))
st.caption(markdown(models.origin(model)))
