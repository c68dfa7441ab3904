"""The component "tour": a card that walks from stop to stop of the page, opened by the reader alone."""

from __future__ import annotations

from collections.abc import Sequence

from mha.screens.blocks import as_data
from mha.screens.heads.tour import Stop
from mha.ui.components.loading import component


def tour(stops: Sequence[Stop]) -> None:
    """Put the button *Tour* into the bar; walking needs no run."""
    component("tour", "tour/tour.js", "frame")(key="tour", data={"stops": as_data(tuple(stops))})
