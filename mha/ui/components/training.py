"""The component "training": the sentence with the arcs of two runs, or all their maps; it plays the training."""

from __future__ import annotations

import streamlit as st

from mha.readers.envelope import seal
from mha.screens.drawing import Drawing
from mha.ui.components.loading import component
from mha.ui.components.screen import told, waited_for


def training_component(spec: Drawing, key: str) -> None:
    """Draw one part; what says that it stands lets this part alone run again, so that the page has to be asked for."""
    waited = waited_for()
    told(
        component("training", "training/training.js", "training")(
            key=key, data=seal(spec), on_screen_change=lambda: None
        )
    )
    if waited and not waited_for():
        st.rerun()
