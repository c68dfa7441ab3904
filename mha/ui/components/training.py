"""The component "training": the sentence with the arcs of two runs, or all their maps; it plays the training."""

from __future__ import annotations

from mha.screens.drawing import Drawing
from mha.ui.components.envelope import seal
from mha.ui.components.loading import component
from mha.ui.components.screen import told


def training_component(spec: Drawing, key: str) -> None:
    """Draw one part."""
    told(
        component("training", "training/training.js", "training")(
            key=key, data=seal(spec), on_screen_change=lambda: None
        )
    )
