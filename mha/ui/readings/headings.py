"""The headings of the tabs' sections, with boxes beside them."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mha.ui.away import gathered


def section(title: str, *shares: float) -> list[DeltaGenerator]:
    """Draw a section's heading; with ``shares`` of a row, its own the first, return the places for boxes beside it."""
    large = "_large" if st.session_state.get("large") else ""
    with st.container(key=f"section_readings_{title.split()[-1]}{large}"):
        own, *boxes = st.columns(shares, vertical_alignment="bottom", gap="small") if shares else [st.container()]
        with own:
            gathered.heading(title)
    return boxes
