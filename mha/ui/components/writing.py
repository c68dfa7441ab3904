"""The component "writing": a text that a model goes on with, its steps, and where all heads looked back."""

from __future__ import annotations

from collections.abc import Callable

from mha.maps import HeadId
from mha.screens.drawing import Drawing
from mha.ui.components.envelope import seal
from mha.ui.components.events import head_event, place_event
from mha.ui.components.loading import component
from mha.ui.components.screen import told


def writing(
    spec: Drawing, key: str, *, on_picked: Callable[[HeadId], None], on_step: Callable[[int | None], None]
) -> str:
    """Draw it and return the screen that it was drawn on, as `overview` does.

    A head's row calls back with the head, the slider, once it rests, with the step, counted from 0.
    """
    layers, heads = spec.header["layers"], spec.header["heads"]
    names = {str(HeadId(layer, head)) for layer in range(layers) for head in range(heads)}
    result = component("writing", "writing/writing.js", "writing")(
        key=key,
        data=seal(spec),
        on_picked_change=head_event(key, "picked", names, on_picked),
        on_step_change=place_event(key, "step", spec.header["steps"], on_step),
        on_screen_change=lambda: None,
    )
    return told(result)
