"""Heads: where does each head look in my sentence?"""

import streamlit as st

from mha.ui import controls, heads
from mha.ui.statistics_table import statistics_table

picture = heads.record(controls.view())  # what the controls say, recorded; says so where there is nothing to draw

narrow = heads.sentence_and_overview(picture)
heads.pinned_side_by_side(picture)
with st.container(key="section_layer"):
    heads.one_layer(picture, narrow)
with st.container(key="section_numbers"):
    statistics_table(picture.shown, picture.recording.maps.merged())
with st.container(key="section_foot"):
    heads.foot(picture)
