"""The few rules of CSS that Streamlit's theme cannot say, the notices' look, and the fonts of the first view."""

from __future__ import annotations

import streamlit as st

from mha.ui import served

SHEETS = ("css/fonts.css", "css/page.css")


def apply() -> None:
    """Add the page's fonts and its own CSS, by their addresses; colours are the theme's variables."""
    imports = "".join(f'@import url("{served.address(sheet)}");' for sheet in SHEETS)
    st.html(f"<style>{imports}</style>")
