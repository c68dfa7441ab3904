"""The tab "Where they look": its widgets, and the blocks of the pure modules in their order."""

from __future__ import annotations

import streamlit as st

from mha.engine import experiments
from mha.maps import HeadId
from mha.screens import blocks
from mha.screens.readings.look import Looking, looking, two_heads_blocks, verdict_blocks
from mha.screens.readings.maps import map_blocks, strip_blocks
from mha.screens.readings.nothing import nothing_blocks
from mha.screens.readings.options import MEASURES
from mha.screens.readings.picture import Picture
from mha.screens.readings.table import PAIRS, lean_csv, lean_rows
from mha.ui.components.blocks import draw as draw_blocks
from mha.ui.components.captions import caption
from mha.ui.readings import calibrating as readings_calibrating
from mha.ui.readings import controls as readings_controls


def draw(picture: Picture) -> None:
    """Draw the tab."""
    found, model = picture.ambiguity, picture.view.model
    top, two, leans = st.container(), st.container(), st.container()
    with leans:
        title, box = st.columns([7, 3], vertical_alignment="bottom")
        with title:
            draw_blocks([blocks.heading("Where every head leans, beside its controls")], "look_maps")
        measure = box.selectbox("Lean measured on", list(MEASURES), key="readings_measure", bind="query-params")
    with st.spinner("Measuring this sentence, its shuffles and the scrambled twin …", show_time=True):
        leaning = experiments.leaning(found.text, found.readings, model, MEASURES[measure])
    with two:
        heads = _two_heads(leaning.here.a.shape, leaning.furthest)
    this = looking(found, picture.maps, leaning, heads)
    known = experiments.calibration_of_kind(found.kind, model)
    with top:
        if not leaning.separates and found.contrast is None:
            draw_blocks(nothing_blocks(this, known), "look_verdict", ("dog",), _act)
        else:
            draw_blocks(verdict_blocks(this), "look_verdict")
    with two:
        draw_blocks(two_heads_blocks(this), "look_two")
    with leans:
        n_layers, n_heads = leaning.here.a.shape
        names = [str(HeadId(layer, head)) for layer in range(n_layers) for head in range(n_heads)]
        drawn = [*map_blocks(this), *strip_blocks(this)]
        draw_blocks(drawn, "look_controls", names, lambda name: _show(name, this))
    _table(this, known)
    if known is None:
        readings_calibrating.offer(found.kind, picture.row)


def _show(name: str, this: Looking) -> None:
    """Put a head into the picture of the side that it leans to."""
    leans_to_a = this.leaning.here.lean[HeadId.parse(name)] > 0
    st.session_state["readings_left" if leans_to_a else "readings_right"] = name


def _two_heads(shape: tuple[int, ...], own: tuple[HeadId, HeadId]) -> list[HeadId | None]:
    """Draw the heading with a box for each picture; return what was chosen."""
    title, left, right = st.columns([6, 2, 2], vertical_alignment="bottom", gap="small")
    with title:
        draw_blocks([blocks.heading("The two that lean furthest")], "look_two_title")
    names = [str(HeadId(layer, head)) for layer in range(shape[0]) for head in range(shape[1])]
    boxes = ((left, "Left picture", "readings_left"), (right, "Right picture", "readings_right"))
    chosen = [
        place.selectbox(label, names, index=None, key=key, placeholder=f"{head}, furthest", bind="query-params")
        for (place, label, key), head in zip(boxes, own, strict=True)
    ]
    return [HeadId.parse(name) if name else None for name in chosen]


def _table(this: Looking, known) -> None:
    with st.expander(f"All {this.n_heads} heads in a table, with CSV"):
        rows = lean_rows(this.leaning, known)
        st.dataframe(
            rows,
            hide_index=True,
            height=36 * 10 + 38,
            column_config=_lean_columns(known is not None),
            alt=f"Leans of {this.n_heads} heads, one row each; the downloaded file has the same numbers.",
        )
        caption(
            "Strengths of both links, [[lean]] and [[share|share of a lean]]; mean and spread over the "
            "[[shuffles|shuffled]]. [[AUC]] over the [[forced pairs|forced pair]] of this kind, with its "
            "[[interval|bootstrap interval]], where the kind has pairs.",
            key="look_table_caption",
        )
        st.download_button(
            "Download as CSV",
            lean_csv(rows),
            file_name="parallax-leans.csv",
            mime="text/csv",
            on_click="ignore",
            type="tertiary",
        )


def _act(_name: str) -> None:
    readings_controls.open_the_dog()


def _lean_columns(with_pairs: bool) -> dict:
    """Return how the table shows each column."""
    two = {name: st.column_config.NumberColumn(name, format="%.2f") for name in ("a", "b", "lean", "share", "shuffled")}
    two["spread"] = st.column_config.NumberColumn("spread", format="%.3f")
    pairs = {name: st.column_config.NumberColumn(name, format="%.2f") for name in PAIRS if with_pairs}
    return {**two, **pairs}
