"""The component "blocks": a column of sentences and pictures."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from typing import Any

import streamlit as st

from mha.screens.blocks import Block, as_data
from mha.theme import component_tokens
from mha.ui.components.events import choice_event
from mha.ui.components.modules import joined_modules, stylesheet


def draw(
    blocks: Sequence[Block],
    key: str,
    acts: Collection[str] = (),
    on_act: Callable[[str], None] | None = None,
) -> None:
    """Draw blocks; a button's name comes back through ``on_act`` if it is one of ``acts``."""
    large = bool(st.session_state.get("large"))
    _component()(
        key=key,
        data={"tokens": component_tokens(), "blocks": as_data(list(blocks)), "large": large},
        on_act_change=choice_event(key, "act", acts, on_act or (lambda _name: None)),
    )


@functools.cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "parallax_readings", css=stylesheet("common.css", "readings.css"), js=joined_modules("readings_blocks.js")
    )
