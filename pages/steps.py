"""Step by step: how is one weight computed, in a model and in a layer that fits on a page?"""

from functools import partial

import streamlit as st

from mha.app import answers, components, controls, downloads, link
from mha.errors import MHAError
from mha.formats import markdown
from mha.views import models, steps, toy_layer, toy_steps

state = st.session_state
cell = ("cell_layer", "cell_head", "cell_query", "cell_key")

# The numbers: of a model for the visitor's text, or of a toy, one click away.
if not state["toy"]:
    controls.text_and_model(*cell, reset_on_model=cell)
    st.pills("Numbers", list(toy_layer.TITLES), key="toy", required=True, on_change=link.reset, args=cell,
             format_func=toy_layer.TITLES.__getitem__)  # fmt: skip
else:
    st.selectbox("Numbers", list(toy_layer.TITLES), key="toy", on_change=link.reset, args=cell,
                 format_func=toy_layer.LONG_TITLES.__getitem__)  # fmt: skip

if not state["toy"]:
    # One weight: of the chosen head and tokens, or of the connection with which Heads opens.
    model = models.model_row(state["model"])
    try:
        with st.spinner(f"{model.short} reads the sentence …", show_time=True):
            recording = answers.recording(state["text"], model.name)
            maps = recording.maps
            for name, count in zip(cell, maps.weights.shape, strict=True):
                link.restrict(name, range(count))
            link.show_problems()
            place = steps.place_of(maps, *(state[name] for name in cell))
            tokens = steps.query_tokens(maps, place)
            numbers = [answers.one_cell(maps.text, model.name, None, place.head, token, place.key) for token in tokens]
    except MHAError as error:
        controls.end(markdown(str(error)))
    case = steps.CellCase(model, maps, place, tuple(numbers))

    # Guess first.
    if state["reveal"] == "0":
        components.sentence("sentence", data=steps.sentence_data(maps, place))
        controls.guess_first(steps.question(maps, place))

    # The share that the arithmetic leads to, and the choice of another one.
    components.sentence("sentence", data=steps.sentence_data(maps, place, case))
    components.finding(steps.finding(case))
    names = steps.names(maps)
    with st.container(horizontal=True, gap="small", key="chosen_cell"):
        for name, value in zip(cell, (*place.head, place.query, place.key), strict=True):
            controls.pick(steps.LABELS[name], name, names[name], value)

    # The arithmetic.
    st.header("1 · Query meets key", anchor=False)
    st.markdown(steps.products_sentence(case))
    components.arrays("products", **steps.products_data(case))
    st.caption(steps.LEGEND)
    st.header("2 · From the sum to the share", anchor=False)
    left_column, right_column = st.columns([3, 2], gap="large")
    left_column.markdown(steps.calculation(case))
    right_column.markdown(steps.basis(case))
    st.header("3 · The whole row", anchor=False)
    st.markdown(steps.contribution(case))
    components.arrays("row", **steps.row_data(case))

    # The method, and the downloads.
    with st.expander("How is this measured?"):
        st.markdown(steps.METHOD)
    st.caption(markdown(" ".join((steps.origin(case), *recording.notes))))
    downloads.button("Step by step", steps.origin(case), {"The numbers of this weight": partial(steps.table, case)})
else:
    # A layer with the words, the numbers and the switches that were chosen.
    link.show_problems()
    toy = toy_layer.toy_case(
        state["toy"], seed=state["toy_seed"], is_scaled=state["toy_scale"], is_masked=state["toy_mask"],
        has_positions=state["toy_positions"], cell_choice=[state[name] for name in cell[1:]],
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center", key="toy_options"):
        st.toggle("Positions", key="toy_positions")
        st.toggle("Causal mask", key="toy_mask")
        st.toggle("Divide by √d_head", key="toy_scale")
        if state["toy"] in toy_layer.LAYERS:
            st.number_input("Seed", 0, 99_999, key="toy_seed", placeholder="the layer’s own", width=180)

    # Guess first.
    if state["reveal"] == "0":
        components.sentence("sentence", data=toy_layer.sentence_data(toy, has_arcs=False))
        controls.guess_first(toy_layer.question(toy))

    # Where the followed word looks, and one of ten steps.
    components.sentence("sentence", data=toy_layer.sentence_data(toy))
    components.finding(toy_layer.finding(toy))
    number = state["toy_step"]
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="toy_steps"):
        st.select_slider("Step", list(toy_steps.TITLES), key="toy_step", format_func=toy_steps.TITLES.__getitem__)
        st.button("Back", shortcut="Left", disabled=number == 1, on_click=link.set_value, args=("toy_step", number - 1))
        st.button("Next", shortcut="Right", disabled=number == len(toy_steps.TITLES), on_click=link.set_value,
                  args=("toy_step", number + 1))  # fmt: skip
    step = toy_steps.step_of(toy, number)
    follow = partial(link.set_values_of, cell[1:])
    left_column, right_column = st.columns([2, 3], gap="large")
    with left_column:
        st.header(step.title, anchor=False)
        st.markdown(step.idea)
        st.latex(step.formula)
    with right_column:
        components.arrays("step", follow, **step.arrays)
        st.caption(f"Click a number to follow it. {steps.LEGEND}")
        st.markdown(step.conclusion)

    # One number of the step by hand, of the cell that is followed.
    left_column, right_column = st.columns([2, 3], gap="large")
    with left_column, st.container(horizontal=True, gap="small"):
        names = toy_layer.names(toy)
        for name, value in zip(cell[1:], (toy.head, toy.query, toy.key), strict=True):
            controls.pick(steps.LABELS[name].replace("Token", "Word"), name, names[name], value)
    with right_column:
        st.subheader("By hand", anchor=False)
        st.markdown(step.by_hand)

    # One head against two.
    with st.expander("One head or two?", expanded=False):
        data, sentence = toy_steps.one_or_two()
        components.arrays("one_or_two", **data)
        st.markdown(sentence)
        st.markdown(toy_steps.stacked_or_separate())
    st.caption(toy_layer.origin(toy))
    downloads.button(
        "Step by step", toy_layer.origin(toy), {"The numbers of every step": partial(toy_layer.table, toy)}
    )
