"""The component "sentence": the ambiguity with both its readings, and the contrast line under it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from mha.screens.readings.ambiguity import ROLES
from mha.ui.components.loading import component
from mha.ui.components.screen import told


def sentence(spec: dict[str, Any], key: str, on_role: Callable[[str, int], None]) -> str:
    """Draw the sentence and return the screen: see `told`; a click hands a role and a word number to ``on_role``."""
    count = sum(piece["at"] is not None for piece in spec["pieces"])

    def role() -> None:
        value = st.session_state[key].get("role")
        if isinstance(value, dict) and value.get("role") in ROLES and _is_number(value.get("word"), count):
            on_role(value["role"], value["word"])

    return told(
        _component()(key=key, data={"part": "ambiguity", **spec}, on_role_change=role, on_screen_change=lambda: None)
    )


def contrast(
    spec: dict[str, Any], key: str, on_change: Callable[[int, str], None], on_drop: Callable[[], None]
) -> None:
    """Draw the contrast line; an edit hands a word number and the other word to ``on_change``."""
    count = sum(piece["at"] is not None for piece in spec["pieces"])

    def changed() -> None:
        value = st.session_state[key].get("contrast")
        if isinstance(value, dict) and isinstance(value.get("text"), str) and _is_number(value.get("word"), count):
            on_change(value["word"], value["text"][:60])

    _component()(
        key=key, data={"part": "contrast", **spec}, on_contrast_change=changed, on_drop_change=lambda: on_drop()
    )


def _is_number(value: Any, count: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count


def _component() -> Callable[..., Any]:
    return component("sentence", "sentence/sentence.js", "blocks", "sentence")
