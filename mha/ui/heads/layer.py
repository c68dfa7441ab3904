"""One layer, head by head: which layer, which of its heads, and their maps."""

from __future__ import annotations

import streamlit as st

from mha.screens.heads import layer
from mha.screens.heads.own import KIND as OWN
from mha.screens.heads.picture import Picture
from mha.screens.shown import Shown
from mha.ui import bound, choices
from mha.ui.away.gathered import titled
from mha.ui.components.captions import caption
from mha.ui.components.layer import layer as draw_layer
from mha.ui.heads import cell
from mha.ui.heads.later import later, shown_later


def draw(picture: Picture, opened: bool = True) -> None:
    """Draw the heads of the chosen layer side by side, with the pills that switch heads; ``opened`` offers one cell."""
    shown = picture.shown
    _title(shown)
    _head_pills(picture)
    instead = layer.why_not(shown)
    if instead:
        caption(instead, key="layer_instead", style="sub")
        return
    cells = opened and picture.row.kind != OWN  # of maps from a file nothing more can be asked
    draw_layer(layer.layer_drawing(picture, cells), "layer_maps", on_cell=later(picture, cell.open_at))


def _title(shown: Shown) -> None:
    with titled("One layer, head by head"):
        bound.mirror(
            st.segmented_control,
            "Layer",
            [str(number) for number in range(shown.full.n_layers)],
            "layer_shown",
            str(shown.layer),
            bound.into("layer"),
            format_func=lambda number: f"Layer {number}",
            label_visibility="collapsed",
            wrap=True,
        )


def _head_pills(picture: Picture) -> None:
    shown, switch = picture.shown, shown_later(picture, choices.switch_layer)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="head_pills"):
        st.button("All", on_click=switch, args=(True,))
        st.button("None", on_click=switch, args=(False,))
        bound.mirror(
            st.pills,
            "Heads switched on",
            [f"H{head}" for head in range(shown.full.n_heads)],
            "layer_heads",
            [f"H{head.head}" for head in layer.heads_on(shown)],
            shown_later(picture, choices.keep_on),
            selection_mode="multi",
            label_visibility="collapsed",
            wrap=True,
        )
