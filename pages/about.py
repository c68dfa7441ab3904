"""What may I conclude? What each number is, what lessons claim, limits, versions, licences."""

import streamlit as st

from mha.ui import about

with st.container(key="section_about"):
    about.opening()
    about.lessons()
    about.numbers()
    about.origins()
    about.limits()
    about.versions()
