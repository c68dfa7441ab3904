"""The flow of arrays of one step, as a block; a click on a weight names its cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from mha.link.view import MAX_POSITION
from mha.screens.arrays import Flow
from mha.ui.components.blocks import draw


def flow(spec: Flow, key: str, large: bool = False, *, on_cell: Callable[[int, int, int], None] | None = None) -> None:
    """Draw a tree of arrays; ``on_cell`` gets head, query and key of a clicked weight."""

    def clicked() -> None:
        value = st.session_state[key].get("cell")
        places: list[Any] = [value.get(name) for name in ("head", "query", "key")] if isinstance(value, dict) else []
        if on_cell and len(places) == 3 and all(type(at) is int and 0 <= at <= MAX_POSITION for at in places):
            on_cell(*places)

    draw([spec], key, large=large, on_cell_change=clicked)


def arrow_keys(step: int) -> None:
    """Let the arrow keys on a focused step go to the next one, and keep what is said of ``step`` in view."""
    draw([{"kind": "arrow_keys", "step": step}], "steps_keys", large=False)
