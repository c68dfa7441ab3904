"""What a visit's screen is like, told once the first picture stands on it: the rest of a page is drawn only then.

Half of what a browser loads is for the rest, and what comes below moves while the first picture is being drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from mha.screens.drawing import Drawing
from mha.ui.component import picture

SCREEN = "screen"


def told(result: Mapping[str, Any]) -> str:
    """Return "narrow" as a phone's or "wide", as the component with this result says it; "" until something is drawn.

    It is kept for the visit: other pages, and a way back to this one, are drawn at once.
    """
    st.session_state[SCREEN] = result.get("screen") or st.session_state.get(SCREEN, "")
    return st.session_state[SCREEN]


def waited_for() -> bool:
    """Return whether the first picture of this visit does not stand yet."""
    return not st.session_state.get(SCREEN)


def played(drawing: Drawing, key: str) -> None:
    """Draw a picture that plays; what says that it stands lets its part alone run again, so the page is asked for."""
    waited = waited_for()
    told(picture("training", drawing, key, on_screen_change=lambda: None))
    if waited and not waited_for():
        st.rerun()
