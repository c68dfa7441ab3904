"""The sections of Step by step, in the order of the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator as Place

from mha import engine
from mha.engine.experiments import added
from mha.errors import AttentionUnavailable, Busy, InputError
from mha.examples import example_for
from mha.export.experiments import arrays_table
from mha.export.provenance import Provenance
from mha.link.steps import STEPS, Choices
from mha.link.view import DEFAULT_TEXT, View
from mha.maps import Recording
from mha.models.files.catalog import model_row
from mha.screens.shown import shown_for
from mha.screens.steps import model as screen_model
from mha.screens.steps import model_said, overview, toy, ways
from mha.screens.steps.lesson import Lesson, labelled, lesson
from mha.screens.steps.model import ModelCell
from mha.screens.steps.step import Step
from mha.ui import bound, boundary
from mha.ui.away import gathered
from mha.ui.components.captions import caption, copy_link
from mha.ui.components.flow import flow
from mha.ui.steps import controls
from mha.words import accept_or

KEEP = ("query", "key", "value", "hidden")


def the_toy(choices: Choices) -> Lesson:
    """Return the toy's walk, and say what of the link could not be."""
    made = lesson(choices)
    for note in made.notes:
        boundary.say(note)
    return made


def toy_walk(made: Lesson, hero: Place, here: Place, layer: Place, large: bool) -> None:
    """Draw the toy's walk: the words, this step and the layer at a glance, each in its place."""
    with hero:
        flow(overview.hero(made), "steps_hero", large)
    names = labelled(made.words)
    cell = (made.head, made.query, made.key)
    with here:
        _step(toy.said(made), lambda: controls.draw_cell(range(made.n_heads), names, names, cell), large)
    with layer:
        flow(overview.overview(made), "steps_overview", large, on_cell=controls.follow)
        caption(toy.where_you_are(made), key="steps_overview_caption")
    extra = {2: shuffled, 5: widths}.get(made.choices.number)
    if extra:
        with st.container(key="steps_extra"):
            extra(made, large)


def _step(said: Step, draw_cell: Callable[[], None], large: bool) -> None:
    with st.container(key="steps_here"):
        left, right = st.columns(2, gap="large")
        with left:
            gathered.heading(said.title)
            caption(said.idea, key="steps_idea", style="sub")
            st.latex(said.formula, width="content")
        with right:
            gathered.heading(said.by_hand_title, 3)
            draw_cell()
            flow(said.by_hand, "steps_by_hand", large)
    with st.container(key="steps_arrays"):
        flow(said.arrays, "steps_step_arrays", large)
        flow(said.so, "steps_so", large)
    controls.draw_onward()


def shuffled(made: Lesson, large: bool) -> None:
    """Draw what the order of the words changes, with and without positions."""
    gathered.heading("What if the words stood in another order?")
    flow(ways.shuffled(made), "steps_shuffled", large)
    caption(ways.SHUFFLED, key="steps_shuffled_caption", style="sub")


def widths(_made: Lesson, large: bool) -> None:
    """Draw how the variance of scores grows with the width of a head."""
    gathered.heading("Why the square root?")
    width = bound.draw(Choices.of("width"), width=420)
    flow(ways.widths(width), "steps_widths", large)
    caption(ways.widths_said(width), key="steps_widths_caption", style="sub")


def last_matrix(made: Lesson, large: bool) -> None:
    """Draw what W_O is for."""
    with st.container(key="steps_last"):
        gathered.heading("What the last matrix is for")
        left, right = st.columns([3, 2], gap="small", vertical_alignment="center")
        with left:
            flow(overview.last_matrix(made), "steps_last_matrix", large)
        with right:
            flow(toy.what_w_o_does(made), "steps_mix_so", large)


def three_ways(large: bool) -> None:
    """Draw the three ways to make heads on the same words, with what each costs, here and in the original paper."""
    with st.container(key="steps_ways"):
        gathered.heading(ways.ways_heading(st.session_state.get("steps_heads", 2)))
        n_heads = bound.draw(Choices.of("heads"), width=320)
        for place, one in zip(st.columns(3, gap="medium"), ways.three_ways(n_heads), strict=True):
            with place:
                gathered.heading(ways.WAYS[one.split], 3)
                flow(ways.way_arrays(one), f"steps_way_{one.split}", large)
                if one.heads is not None:
                    caption(ways.by_loop(one), key=f"steps_loop_{one.split}")
        _costs(n_heads, 2, 4)
        caption(ways.COSTS_HERE, key="steps_ways_caption")
        gathered.heading("The original paper: 8 heads, d_model 512, d_head 64", 3)
        _costs(8, 10, 512)
        caption(ways.COSTS_THERE, key="steps_original_caption")


def _costs(n_heads: int, n_tokens: int, d_model: int) -> None:
    columns = dict(zip(ways.COSTS, zip(*ways.costs(n_heads, n_tokens, d_model), strict=True), strict=True))
    right = {name: st.column_config.TextColumn(alignment="right") for name in ways.COSTS[1:]}
    st.dataframe(
        columns, hide_index=True, column_config=right,
        key=f"steps_costs_{d_model}", alt=f"three ways to make {n_heads} heads from {d_model} numbers",
    )  # fmt: skip
    gathered.rows("", f"parallax-costs-{d_model}", columns)


def one_or_many(large: bool) -> None:
    """Draw one head against two."""
    with st.container(key="steps_many"):
        gathered.heading("One head or two?")
        made, so = ways.one_against_two()
        flow(made, "steps_one_against_two", large)
        flow(so, "steps_many_so", large)
        caption(ways.ONE_OR_MANY, key="steps_many_caption")


def the_model(view: View, choices: Choices) -> ModelCell:
    """Return the chosen cell of the model's own numbers, and say what of the text and the link could not be."""
    accepted = accept_or(view.text, DEFAULT_TEXT, "The telescope sentence stays until then.")
    waiting = "Looking …" if engine.state().ready else "The model is waking up; this takes a few seconds once."
    with st.spinner(waiting, show_time=True):
        recording, more = _recorded(accepted.text, view.model)
    example = example_for(recording.maps.text)
    shown = shown_for(view, recording.maps, example.readings if example else None)
    made = screen_model.model_cell(recording, shown, choices, st.session_state["steps_in_layer"])
    for note in dict.fromkeys((*accepted.notes, *more, *recording.notes, *made.notes)):
        boundary.say(note)
    return _with_added(made, view.model) if choices.number == len(STEPS) else made


def _recorded(text: str, name: str) -> tuple[Recording, tuple[str, ...]]:
    """Return a recording with q, k and v; a model that does not know the words gets a sentence of its own instead."""
    try:
        return engine.record(engine.Request(text, name, keep=KEEP)), ()
    except InputError as error:
        own = model_row(name).example
        if not own:
            raise
        return engine.record(engine.Request(own, name, keep=KEEP)), (f"{error} Walked through instead: “{own}”.",)


def _with_added(made: ModelCell, model: str) -> ModelCell:
    """Return the cell with what the heads of its layer add through W_O, or say why that is not known."""
    try:
        with st.spinner("Looking …", show_time=True):
            return replace(made, added=added(made.recording.maps.text, model, made.head, made.query))
    except (AttentionUnavailable, Busy) as error:
        boundary.say(str(error))
        return made


def model_walk(made: ModelCell, number: int, hero: Place, large: bool) -> None:
    """Draw a step of the walk to one cell of the model."""
    with hero:
        flow(screen_model.hero(made), "steps_hero", large)
        caption(model_said.units(made), key="steps_units")
    maps = made.recording.maps

    def draw_cell() -> None:
        controls.draw_layer(maps.n_layers, made.head.layer)
        cell = (made.head.head, made.query, made.key)
        controls.draw_cell(range(maps.n_heads), made.names, made.names, cell)

    _step(model_said.said(made, number), draw_cell, large)


def foot(source: str, arrays: Mapping[str, np.ndarray], told: Provenance) -> None:
    """Say where the numbers come from; offer the link, and the numbers of every step."""
    gathered.table("The numbers of every step", "parallax-steps", lambda: arrays_table(arrays, told))
    caption(source, key="steps_foot", style="wide")
    copy_link("steps_copy")
