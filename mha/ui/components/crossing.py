"""The component "crossing": a source and its target, joined by what one head of cross-attention looks at."""

from __future__ import annotations

from collections.abc import Callable

from mha.screens.drawing import Drawing
from mha.ui.components.envelope import seal
from mha.ui.components.events import place_event
from mha.ui.components.loading import component
from mha.ui.components.screen import told


def crossing(spec: Drawing, key: str, *, on_locked: Callable[[int | None], None]) -> str:
    """Draw it and return the screen that it was drawn on; a target word calls back with its row, None when released."""
    result = component("crossing", "writing/crossing.js", "writing")(
        key=key,
        data=seal(spec),
        on_locked_change=place_event(key, "locked", len(spec.header["targets"]), on_locked),
        on_screen_change=lambda: None,
    )
    return told(result)
