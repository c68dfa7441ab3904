"""Watch heads learn: why do heads differ, and do they stay different?"""

import streamlit as st

from mha.ui.components import screen
from mha.ui.training import controls, runs
from mha.ui.training import sections as training

top = st.container()
button = controls.draw()
middle = st.container()
controls.look_back()
pair = runs.chosen_pair(controls.chosen())

with top:
    training.sentence(pair)
with button:
    runs.train_live(pair)
if pair.seen()[0] and not pair.following and screen.waited_for():
    st.stop()
with middle:
    training.curves(pair)
if pair.following or not pair.seen()[0]:
    st.caption("The rest of the page follows when the training is done or stopped.")
    st.stop()
sections = (training.looks, training.maps, training.switched_off, training.diversity, training.conclusions)
for section in (*sections, training.foot):
    with st.container(key=f"section_training_{section.__name__}"):
        section(pair)
