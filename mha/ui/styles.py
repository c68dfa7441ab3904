"""The few rules of CSS that Streamlit's theme cannot say, and the notices' look."""

from __future__ import annotations

from functools import cache

import streamlit as st

from mha.assets import ASSETS

FILE = ASSETS / "css" / "page.css"


@cache
def _css() -> str:
    return FILE.read_text(encoding="utf-8")


def apply() -> None:
    """Add the page's own CSS; colours are the theme's variables."""
    st.html(f"<style>{_css()}</style>")
