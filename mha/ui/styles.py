"""The few rules of CSS that Streamlit's theme cannot say, the fonts of the first view, and the page on paper."""

from __future__ import annotations

from functools import cache

import streamlit as st

from mha.theme import colours
from mha.ui import served

SHEETS = ("css/fonts.css", "css/page.css", "css/access.css")
PAPER = {  # on paper the page is light: Streamlit's variables, as its light theme has them
    "background-color": "background", "secondary-background-color": "surface", "text-color": "text",
    "gray-text-color": "muted", "border-color": "border", "primary-color": "accent",
}  # fmt: skip


@cache
def _paper() -> str:
    light = colours("light")
    ramp = ",".join(light["sequential"])
    variables = [f"--st-{name}: {light[ours]} !important" for name, ours in PAPER.items()]
    variables.append(f"--st-chart-sequential-colors: {ramp} !important")
    return (
        f"html {{ --paper: {light['background']}; --paper-text: {light['text']}; }}\n"
        f"html.printing :is(.stBidiComponent, .stBidiComponent *) {{ {'; '.join(variables)} }}\n"
    )


def apply() -> None:
    """Add the page's fonts and its own CSS, by their addresses; colours are the theme's variables."""
    imports = "".join(f'@import url("{served.address(sheet)}");' for sheet in SHEETS)
    st.html(f"<style>{imports}{_paper()}</style>")
