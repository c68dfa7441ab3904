"""Step by step: how is one cell computed, from the words to the output?"""

import streamlit as st

from mha.export.provenance import provenance_of
from mha.link.steps import MODEL
from mha.models.files.catalog import model_row
from mha.screens.steps import model, model_said, toy
from mha.screens.steps.lesson import provenance
from mha.ui import controls, share
from mha.ui.steps import controls as steps_controls
from mha.ui.steps import walk
from mha.ui.steps.editors import editing

view = controls.view()
steps_controls.draw_source()
hero = st.container()
steps_controls.draw_steps()
here, layer = st.container(), st.container(key="steps_layer_place")

if st.session_state["steps_numbers"] == MODEL:
    choices = steps_controls.choices(view.text)
    cell = walk.the_model(view, choices)
    walk.model_walk(cell, choices.number, hero, view.large)
    told = provenance_of(cell.recording.maps, link=share.link())
    walk.foot(model_said.source(cell, model_row(view.model)), model.arrays(cell), told)
else:
    steps_controls.draw_switches()
    made = walk.the_toy(steps_controls.choices(view.text))
    walk.toy_walk(made, hero, here, layer, view.large)
    walk.last_matrix(made, view.large)
    editing(made)
    walk.three_ways(view.large)
    walk.one_or_many(view.large)
    walk.foot(toy.source(made), {step.name: step.array for step in made.steps}, provenance(made, share.link()))
