"""The sections of Step by step, in the order of the page."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator as Place

from mha import engine
from mha.engine.experiments import added
from mha.errors import AttentionUnavailable, Busy, InputError
from mha.examples import example_for
from mha.link.view import DEFAULT_TEXT, View
from mha.maps import Recording
from mha.models.files.catalog import ModelRow, model_row
from mha.models.toy import by_hand as set_by_hand
from mha.models.watch.output import Added
from mha.screens.shown import shown_for
from mha.screens.steps import flow as steps_flow
from mha.screens.steps import formulas as steps_formulas
from mha.screens.steps import model as steps_model
from mha.screens.steps import model_arrays as steps_model_arrays
from mha.screens.steps import model_said as steps_model_said
from mha.screens.steps import overview as steps_overview
from mha.screens.steps import words as steps_words
from mha.screens.steps.arrays import Node, arrays, calculation, say, tree
from mha.screens.steps.lesson import STEPS, Choices, Lesson, labelled, lesson
from mha.ui import boundary
from mha.ui.components.captions import caption, copy_link
from mha.ui.components.flow import flow
from mha.ui.steps import controls as steps_controls
from mha.ui.steps import experiments as steps_sections
from mha.words import accept

KEEP = ("query", "key", "value", "hidden")


def toy(choices: Choices) -> Lesson:
    """Return the toy's walk, and say what of the link could not be."""
    made = lesson(choices)
    for note in made.notes:
        boundary.say(note)
    return made


def toy_walk(made: Lesson, hero: Place, layer: Place, large: bool) -> None:
    """Draw the toy's walk: the words and the layer at a glance in their places, then this step."""
    with hero:
        flow(steps_overview.hero(made), "steps_hero", large)
    with layer:
        _overview(made, large)
    _toy_step(made, large)


def _overview(made: Lesson, large: bool) -> None:
    flow(_picking(steps_overview.overview(made), made), "steps_overview", large, on_cell=steps_controls.follow)
    edits = f", {len(made.choices.edits.split())} of them edited" if made.choices.edits else ""
    caption(
        f"Every number is the [[toy]]’s own (seed {made.seed}{edits}), shown to one place here and to two places "
        "below. Blue is "
        "positive, grey is negative; the framed arrays are where you are; click a weight to follow it.",
        key="steps_overview_caption",
    )


def _toy_step(made: Lesson, large: bool) -> None:
    said = steps_words.of_step(made)
    names = labelled(made.words)
    with st.container(key="steps_here"):
        left, right = st.columns(2, gap="large")
        with left:
            st.header(said.title.replace(" ", " · ", 1), anchor=False)
            caption(said.idea, key="steps_idea", style="sub")
            st.latex(steps_formulas.two_lines(said.formula(made)), width="content")
        with right:
            st.subheader("One number by hand", anchor=False)
            steps_controls.draw_cell(range(made.n_heads), names, names, (made.head, made.query, made.key))
            flow(tree(calculation(*said.by_hand(made)), "one number by hand"), "steps_by_hand", large)
    with st.container(key="steps_arrays"):
        flow(steps_flow.step_arrays(made), "steps_step_arrays", large)
        flow(tree(say(*said.so(made)), "in one sentence"), "steps_so", large)
    steps_controls.draw_onward()
    extra = _EXTRAS.get(made.choices.number)
    if extra:
        with st.container(key="steps_extra"):
            extra(made, large)


_EXTRAS: dict[int, Callable[[Lesson, bool], None]] = {2: steps_sections.shuffled, 5: steps_sections.widths}


def last_matrix(made: Lesson, large: bool) -> None:
    """Draw what W_O is for."""
    with st.container(key="steps_last"):
        st.header("What the last matrix is for", anchor=False)
        left, right = st.columns([3, 2], gap="small", vertical_alignment="center")
        with left:
            flow(steps_overview.last_matrix(made), "steps_last_matrix", large)
        with right:
            flow(tree(say(*steps_words.mix_so(made)), "what W_O does, in a sentence"), "steps_mix_so", large)


def toy_foot(made: Lesson) -> None:
    """Say where the toy's numbers come from; offer the link."""
    heads = made.numbers.heads
    caption(
        f"[[Toy|toy]]: {made.title}. Hand-sized attention, not a language model. For these words its numbers are "
        "random (seed "
        f"{made.seed}): the shape is real, the meaning is not. {len(made.words)} words, {made.d_model:,} numbers each, "
        f"{heads.n_heads} {'head' if heads.n_heads == 1 else 'heads'} of {heads.d_head:,}.",
        key="steps_foot",
        style="wide",
    )
    copy_link("steps_copy")


def model(view: View, choices: Choices) -> tuple[steps_model.ModelCell, ModelRow]:
    """Return the chosen cell of the model's own numbers, and its row of the catalogue."""
    try:
        accepted = accept(view.text)
        text, notes = accepted.text, accepted.notes
    except InputError as error:
        text, notes = DEFAULT_TEXT, (f"{error} The telescope sentence stays until then.",)
    waiting = "Looking …" if engine.state().ready else "The model is waking up; this takes a few seconds once."
    with st.spinner(waiting, show_time=True):
        recording, more = _recorded(text, view.model)
    example = example_for(recording.maps.text)
    shown = shown_for(view, recording.maps, example.readings if example else None)
    made = steps_model.model_cell(recording, shown, choices, st.session_state["steps_in_layer"])
    for note in dict.fromkeys((*notes, *more, *recording.notes, *made.notes)):
        boundary.say(note)
    return made, model_row(view.model)


def _recorded(text: str, name: str) -> tuple[Recording, tuple[str, ...]]:
    """Return a recording with q, k and v; a model that does not know the words gets a sentence of its own instead."""
    try:
        return engine.record(engine.Request(text, name, keep=KEEP)), ()
    except InputError as error:
        own = model_row(name).example
        if not own:
            raise
        return engine.record(engine.Request(own, name, keep=KEEP)), (f"{error} Walked through instead: “{own}”.",)


def model_walk(made: steps_model.ModelCell, about: ModelRow, hero: Place, large: bool) -> None:
    """Draw the walk to one cell of the model."""
    maps, choices = made.recording.maps, steps_controls.choices(made.recording.maps.text)
    step = choices.number
    with hero:
        flow(steps_model.hero(made), "steps_hero", large)
        caption(steps_model_said.units(made), key="steps_units")
    idea, formula = steps_model_said.said(made, step)
    mix = _mix(made, about) if step == len(STEPS) else None
    with st.container(key="steps_here"):
        left, right = st.columns(2, gap="large")
        with left:
            st.header(choices.step.replace(" ", " · ", 1), anchor=False)
            caption(idea, key="steps_idea", style="sub")
            st.latex(steps_formulas.two_lines(formula), width="content")
        with right:
            st.subheader("The cell by hand" if step < 8 else "One number by hand", anchor=False)
            heads = range(maps.n_heads)
            steps_controls.draw_layer(maps.n_layers, made.head.layer)
            steps_controls.draw_cell(heads, made.names, made.names, (made.head.head, made.query, made.key))
            flow(tree(calculation(*steps_model_said.by_hand(made, step, mix)), "by hand"), "steps_by_hand", large)
    with st.container(key="steps_arrays"):
        flow(steps_model_arrays.step_arrays(made, step, mix), "steps_vectors", large)
        flow(tree(say(*steps_model_said.so(made, step, mix)), "in one sentence"), "steps_so", large)
    steps_controls.draw_onward()


def _mix(made: steps_model.ModelCell, about: ModelRow) -> Added | None:
    """Return what the heads of this layer add through W_O, or say why that is not known."""
    try:
        with st.spinner("Looking …", show_time=True):
            return added(made.recording.maps.text, about.name, made.head, made.query)
    except (AttentionUnavailable, Busy) as error:
        boundary.say(str(error))
        return None


def model_foot(made: steps_model.ModelCell, about: ModelRow) -> None:
    """Say that these are a model's numbers, and of which; offer the link."""
    maps = made.recording.maps
    random = " For these words its numbers are random: the shape is real, the meaning is not."
    is_random = about.kind == "toy" and not set_by_hand(maps.text)
    caption(
        f"Model: {about.short} ({about.source}), {maps.origin}; head {made.head}, tokens as the model sees them, "
        f"nothing [[set aside]].{random if is_random else ''} "
        "Blue is positive, grey is negative.",
        key="steps_foot",
        style="wide",
    )
    copy_link("steps_copy")


def _picking(spec: Node, made: Lesson) -> Node:
    """Let a click on a weight or a score choose its cell."""
    for name, one in arrays(spec["root"]).items():
        kind, _, head = name.partition("_")
        if kind in ("weights", "scaled") and head:
            one["picks"] = int(head)
    return spec
