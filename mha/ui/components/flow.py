"""The component "flow of arrays": draws a `Flow`; a click on a weight names its cell."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import streamlit as st

from mha.link.view import MAX_POSITION
from mha.screens.arrays import Flow
from mha.screens.blocks import as_data
from mha.theme import component_tokens
from mha.ui.components.modules import joined_modules, stylesheet


def flow(spec: Flow, key: str, large: bool = False, *, on_cell: Callable[[int, int, int], None] | None = None) -> None:
    """Draw a tree of arrays; ``on_cell`` gets head, query and key of a clicked weight."""

    def clicked() -> None:
        value = st.session_state[key].get("cell")
        places: list[Any] = [value.get(name) for name in ("head", "query", "key")] if isinstance(value, dict) else []
        if on_cell and len(places) == 3 and all(type(at) is int and 0 <= at <= MAX_POSITION for at in places):
            on_cell(*places)

    _component()(key=key, data={**as_data(spec), "tokens": component_tokens(), "large": large}, on_cell_change=clicked)


def arrow_keys() -> None:
    """Let the arrow keys on a focused step go to the next one; draws nothing."""
    _keys()(key="steps_keys", data={}, height=1)


@functools.cache
def _keys() -> Callable[..., Any]:
    return st.components.v2.component(
        "parallax_steps_keys", html="<span hidden></span>", js=joined_modules("steps_keys.js")
    )


@functools.cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "parallax_steps", css=stylesheet("common.css", "steps.css"), js=joined_modules("steps.js")
    )
