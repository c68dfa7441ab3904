"""A plotly figure with its text alternative, and the theme it is drawn in."""

from __future__ import annotations

from typing import Any

import streamlit as st


def plot(figure: Any, alt: str, key: str) -> None:
    """Draw a figure in its own colours, without the toolbar."""
    st.plotly_chart(figure, theme=None, key=key, config={"displayModeBar": False}, alt=alt)


def theme() -> str:
    """Return the theme of the page, "light" or "dark"."""
    return "dark" if st.context.theme.type == "dark" else "light"
