"""The component "training": the sentence with the arcs of two runs, or all their maps; it plays the training."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import streamlit as st

from mha.screens.drawing import Drawing
from mha.ui.components.envelope import seal
from mha.ui.components.modules import joined_modules, stylesheet


def training_component(spec: Drawing, key: str) -> None:
    """Draw one part."""
    _component()(key=key, data=seal(spec))


@functools.cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "parallax_training", css=stylesheet("common.css", "training.css"), js=joined_modules("training.js")
    )
