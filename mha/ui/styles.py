"""The few rules of CSS that Streamlit's theme cannot say, the notices' look, and the page without mouse or screen."""

from __future__ import annotations

from functools import cache

import streamlit as st

from mha.assets import ASSETS
from mha.theme import colours

FILES = [ASSETS / "css" / name for name in ("page.css", "access.css")]
PAPER = {  # on paper the page is light: Streamlit's variables, as its light theme has them
    "background-color": "background", "secondary-background-color": "surface", "text-color": "text",
    "gray-text-color": "muted", "border-color": "border", "primary-color": "accent",
}  # fmt: skip


@cache
def _css() -> str:
    light = colours("light")
    ramp = ",".join(light["sequential"])
    variables = [f"--st-{name}: {light[ours]} !important" for name, ours in PAPER.items()]
    variables.append(f"--st-chart-sequential-colors: {ramp} !important")
    paper = (
        f"html {{ --paper: {light['background']}; --paper-text: {light['text']}; }}\n"
        f"html.printing :is(.stBidiComponent, .stBidiComponent *) {{ {'; '.join(variables)} }}\n"
    )
    return paper + "".join(file.read_text(encoding="utf-8") for file in FILES)


def apply() -> None:
    """Add the page's own CSS; colours are the theme's variables."""
    st.html(f"<style>{_css()}</style>")
