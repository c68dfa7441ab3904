"""Step by step: how is one cell computed, from the words to the output?"""

import streamlit as st

from mha.screens.steps.lesson import MODEL
from mha.ui import controls
from mha.ui.steps import controls as steps_controls
from mha.ui.steps import editors as steps_editors
from mha.ui.steps import experiments as steps_sections
from mha.ui.steps import walk as steps

view = controls.view()
steps_controls.draw_source()
hero = st.container()
steps_controls.draw_steps()
layer = st.container()

if st.session_state["steps_numbers"] == MODEL:
    cell, about = steps.model(view, steps_controls.choices(view.text))
    steps.model_walk(cell, about, hero, view.large)
    steps.model_foot(cell, about)
else:
    steps_controls.draw_switches()
    made = steps.toy(steps_controls.choices(view.text))
    steps.toy_walk(made, hero, layer, view.large)
    steps.last_matrix(made, view.large)
    steps_editors.editing(made)
    steps_sections.ways(view.large)
    steps_sections.one_or_many(view.large)
    steps.toy_foot(made)
