"""Figures by name: what a page asks for without knowing how it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mha.figures.charts import (
    agreement_rows,
    effect_scatter,
    effective_bars,
    lean_strip,
    learning_curves,
    saturation_curves,
)
from mha.figures.heatmaps import layer_heatmaps

FIGURES: Mapping[str, Callable[..., Any]] = {
    "two heads": layer_heatmaps,
    "saturation": saturation_curves,
    "different heads": effective_bars,
    "learning": learning_curves,
    "leans": lean_strip,
    "agreement": agreement_rows,
    "effects": effect_scatter,
}


def figure(name: str, given: Mapping[str, Any], theme: str = "light") -> Any:
    """Return the figure of this name, of what it is given.

    Raises:
        KeyError: no figure is called so.
    """
    return FIGURES[name](**given, theme=theme)
