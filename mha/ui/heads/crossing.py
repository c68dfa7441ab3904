"""The sections of Heads for a model with an encoder and a decoder: its target, and cross-attention."""

from __future__ import annotations

import dataclasses
from functools import partial

import pyarrow as pa
import streamlit as st

from mha.engine import writing as engine
from mha.errors import AttentionUnavailable, Busy, InputError
from mha.export.provenance import Provenance, provenance_of
from mha.export.weights import weights_json, weights_npz
from mha.link.heads import CROSS, ENCODER, GENERATED, MOST_WRITTEN, Choices
from mha.maps import Recording
from mha.screens.decoder import cross_table, grid, three_kinds
from mha.screens.decoder import crossing as screen
from mha.screens.heads.overview import overview_of
from mha.screens.heads.picture import Picture
from mha.ui import boundary, choices, share
from mha.ui.away import gathered
from mha.ui.away.gathered import File
from mha.ui.components import blocks
from mha.ui.components.captions import caption
from mha.ui.components.crossing import crossing
from mha.ui.components.overview import overview
from mha.ui.heads import asking, cell


def of_stack(picture: Picture, chosen: Choices) -> Picture:
    """Return the picture of the attention that was chosen; the encoder's where another cannot be had."""
    if not picture.row.two_sided:
        return picture
    beside = _beside(picture, chosen)
    if beside is None:
        return picture
    if asking.HOW_MANY in st.session_state and chosen.aim == GENERATED and picture.row.predicts:
        with st.session_state[asking.HOW_MANY]:
            st.text_input("Target, written by the decoder", beside.target, disabled=True, key="target_written")
    return screen.stack_picture(picture, beside, chosen.stack)


def crosses(picture: Picture) -> bool:
    """Return whether a picture is of cross-attention."""
    return picture.shown.full.kind == "cross"


def of_the_text(picture: Picture, chosen: Choices) -> bool:
    """Return whether a picture is of the attention that other pages and a cell's numbers are about, the first."""
    return not picture.row.two_sided or chosen.stack == ENCODER


def _beside(picture: Picture, chosen: Choices) -> Recording | None:
    try:
        with st.spinner("Writing …", show_time=True):
            return _asked(picture, chosen)
    except (AttentionUnavailable, Busy, InputError) as error:
        boundary.say(str(error))
        return picture.recording if chosen.stack == ENCODER else None


def _asked(picture: Picture, chosen: Choices) -> Recording:
    text, model = picture.recording.maps.text, picture.row.name
    if chosen.aim == GENERATED and picture.row.predicts:
        return engine.written(text, model, MOST_WRITTEN, None).recording
    return engine.beside(text, chosen.target.strip() or text, model)


def alignment(picture: Picture) -> str:
    """Draw source and target with the lines of the first pinned head; return the screen."""
    return crossing(screen.drawing(screen.alignment_of(picture)), "crossing", on_locked=choices.lock_row)


def every_head(picture: Picture) -> None:
    """Draw all heads of cross-attention."""
    shown = dataclasses.replace(picture.shown, lock=None, look="at")  # what is locked stands in the alignment
    drawn = overview_of(shown, picture.scale, picture.view.large, asks=False, cells=True)
    spec = grid.alone(drawn, screen.grid_about(shown.maps))
    overview(
        grid.bracketed(spec, picture.recording, CROSS.lower()),
        "overview",
        on_picked=partial(choices.pick, shown.pins),
        on_only=partial(choices.only, shown.full.heads),
        on_all_back=choices.all_back,
        on_asked=lambda _position: None,
        **cell.events(dataclasses.replace(picture, shown=shown)),
    )


def numbers(picture: Picture) -> None:
    """Draw the numbers of every cross-attention head, and offer them and all weights as files."""
    shown, sha256, address = picture.shown, picture.row.sha256, share.link()
    full = shown.full

    def source() -> Provenance:
        return provenance_of(full, model_sha256=sha256, link=address)

    gathered.heading(cross_table.TITLE)
    columns = cross_table.table_columns(shown)
    formats = {column.label: column.format for column in cross_table.COLUMNS}
    st.dataframe(
        pa.table(columns),
        key="cross_table",
        hide_index=True,
        column_config={
            column.label: st.column_config.NumberColumn(column.label, help=column.help, format=column.format)
            for column in cross_table.COLUMNS
        },
        alt=cross_table.alternative(shown.maps),
    )
    gathered.rows("", "parallax-cross", columns, formats)
    caption(cross_table.caption(shown), key="cross_caption")
    gathered.table(cross_table.TITLE, "parallax-cross", lambda: cross_table.table_of(shown, source()))
    gathered.files(
        "All weights, before anything is set aside",
        (
            File("JSON", "parallax-weights.json", "application/json", lambda: weights_json(full, source())),
            File("NPZ", "parallax-weights.npz", "application/octet-stream", lambda: weights_npz(full, source())),
        ),
    )


def side_by_side(encoder: Picture, chosen: Choices) -> None:
    """Draw the three attentions of a model with two sides, a head of each; ``encoder`` is the picture of the first."""
    if not encoder.row.two_sided:
        return
    try:
        beside = _asked(encoder, chosen)
    except (AttentionUnavailable, Busy, InputError):  # said where the attention is chosen
        return
    blocks.draw(three_kinds.kinds_blocks(encoder, beside), "three_kinds")
