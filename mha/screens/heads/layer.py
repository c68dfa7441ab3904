"""One layer, head by head: its figure, what is said under it, and what is said where there is none."""

from __future__ import annotations

from typing import Any

from mha.figures.heatmaps import layer_spec
from mha.maps import ATTENTION, HeadId
from mha.screens.heads.picture import SCALE_WORDS, Picture, Said, aside_words
from mha.screens.shown import GRID_TOKENS, Shown


def heads_on(shown: Shown) -> list[HeadId]:
    """Return the heads of the shown layer that are switched on."""
    every = (HeadId(shown.layer, head) for head in range(shown.full.n_heads))
    return [head for head in every if head not in shown.off]


def why_not(shown: Shown) -> str:
    """Return what stands in the figure's place, or nothing where it can be drawn."""
    if not heads_on(shown):
        return f"Every head of layer {shown.layer} is switched off. Choose one above, or press All."
    if max(shown.maps.n_queries, shown.maps.n_keys) > GRID_TOKENS:
        return (
            f"Head by head needs {GRID_TOKENS} {shown.maps.units} or fewer; this text has {shown.maps.n_keys}. "
            "The overview above shows all of them."
        )
    return ""


def layer_figure(picture: Picture, theme: str, narrow: bool) -> dict[str, Any]:
    """Return the heatmaps of the shown layer, in two columns on a narrow screen."""
    shown = picture.shown
    columns, width = (2, 358) if narrow else (6, 1120)
    return layer_spec(
        shown.maps, heads_on(shown), picture.scale, theme, columns, width, empty=shown.empty, pins=shown.pins
    )


def layer_caption(picture: Picture) -> Said:
    """Return the line under the figure."""
    shown = picture.shown
    on, n_heads = len(heads_on(shown)), shown.full.n_heads
    off = f"{n_heads - on} switched off and left out" if on < n_heads else "all switched on"
    return (
        f"Layer {shown.layer}, {on} of {n_heads} heads, {off}. Rows look at columns, [[queries|query]] at "
        f"[[keys|key]]; {SCALE_WORDS[picture.scale]}; ",
        *aside_words(shown),
        "" if shown.full.measure == ATTENTION else " A cell is what its column brings to its row.",
        " This layer was chosen for you, after the first pinned head." if shown.chosen_layer else "",
    )
