"""What may I conclude? What each number is, what lessons claim, limits, versions, licences."""

import streamlit as st

from mha.ui import about, boundary

with st.container(key="section_about"):
    for section in (about.opening, about.lessons, about.numbers, about.origins, about.limits, about.versions):
        with boundary.shown():  # of itself: one that lacks a file is no reason for the others to be away
            section()
