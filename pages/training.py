"""Watch heads learn: why do heads differ, and do they stay different?"""

import streamlit as st

from mha.ui.training import controls as training_controls
from mha.ui.training import runs as training_runs
from mha.ui.training import sections as training

training_controls.without_sentence()
top = st.container()
button = training_controls.draw()
middle = st.container()
training_controls.look_back()
pair = training_runs.follow(training_controls.chosen())

with top:
    training.sentence(pair)
with button:
    training_runs.train_live(pair)
with middle:
    training.curves(pair)
if pair.following or not pair.seen()[0]:
    st.caption("The rest of the page follows when the training is done or stopped.")
    st.stop()
for section in (training.looks, training.maps, training.switched_off, training.diversity):
    with st.container(key=f"section_training_{section.__name__}"):
        section(pair)
with st.container(key="section_training_conclusions"):
    training.conclusions()
with st.container(key="section_training_foot"):
    training.numbers(pair)
    training.foot(pair)
