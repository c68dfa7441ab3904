"""Where on a page something stands that is of no sentence: it is left as it is while another sentence is on its way.

All else below the controls is of the sentence, and marked until it has come anew (`assets/js/page/text_before.js`).
"""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def apart(name: str) -> DeltaGenerator:
    """Return a place for what is of no sentence; ``name`` is its own on the page."""
    return st.container(key=f"apart_{name}")


def of_the_sentence() -> DeltaGenerator:
    """Return a place, inside such a one, for what is of the sentence all the same."""
    return st.container(key="of_the_sentence")
