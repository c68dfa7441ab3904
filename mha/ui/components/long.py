"""The component "long": a long text as it is taken in, its window, the profiles and the overview of its heads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from mha.maps import HeadId
from mha.readers.envelope import seal
from mha.screens.drawing import Drawing
from mha.ui.components.events import head_event, place_event
from mha.ui.components.loading import component

MOST_BYTES = 100_000  # of a text: a socket takes 128 KiB at once, and says so to nobody


def box(key: str, note: str, on_text: Callable[[str], None]) -> None:
    """Draw the field for a long text and the button for a file; ``on_text`` gets what is to be read."""

    def given() -> None:
        value = st.session_state[key].get("text")
        text = value.get("text") if isinstance(value, dict) else None
        if isinstance(text, str) and len(text.encode("utf-8", "replace")) <= MOST_BYTES:
            on_text(text)

    spec = Drawing({"part": "box", "most": MOST_BYTES, "note": note})
    component("long", "long/long.js", "long")(key=key, data=seal(spec), on_text_change=given)


def part(
    key: str,
    spec: Drawing,
    *,
    on_window: Callable[[int | None], None] | None = None,
    on_token: Callable[[int | None], None] | None = None,
    on_pin: Callable[[HeadId], None] | None = None,
) -> None:
    """Draw one part of the view; its window, a clicked token and a clicked head call back before the next run."""
    header: dict[str, Any] = spec.header
    count = header.get("tokens", 0)
    names = {
        str(HeadId(layer, head))
        for layer in range(header.get("done", header.get("layers", 0)))
        for head in range(header.get("heads", 0))
    }
    component("long", "long/long.js", "long")(
        key=key,
        data=seal(spec),
        on_window_change=place_event(key, "window", count, on_window or (lambda _place: None)),
        on_token_change=place_event(key, "token", count, on_token or (lambda _place: None)),
        on_pin_change=head_event(key, "pin", names, on_pin or (lambda _head: None)),
    )
