"""The component "layer": the heads of one layer side by side, small, and what is said of their cells."""

from __future__ import annotations

from collections.abc import Callable

from mha.maps import HeadId
from mha.screens.drawing import Drawing
from mha.ui.components.envelope import seal
from mha.ui.components.events import cell_event
from mha.ui.components.loading import component


def layer(drawing: Drawing, key: str, *, on_cell: Callable[[HeadId, int, int], None]) -> None:
    """Draw a layer; ``on_cell`` gets head, row and column of a cell that was chosen, as positions on the shown axes."""
    header = drawing.header | {"steps": (1, 1)}  # of positions, as nothing is pooled here
    component("layer", "heads/layer.js", "layer", "blocks")(
        key=key, data=seal(drawing), on_cell_change=cell_event(key, "cell", header["heads"], header, on_cell)
    )
