"""The component "training": the sentence with the arcs of two runs, or all their maps; it plays the training."""

from __future__ import annotations

from mha.screens.drawing import Drawing
from mha.ui.components.envelope import seal
from mha.ui.components.loading import component


def training_component(spec: Drawing, key: str) -> None:
    """Draw one part."""
    component("training", "training/training.js", "training")(key=key, data=seal(spec))
