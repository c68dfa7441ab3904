"""The same, in numbers: the table of every head's statistics, whose ticks are the pins, and its files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pyarrow as pa
import streamlit as st

from mha.export.long import weights_csv
from mha.link.view import AS_DRAWN, BOTH, TABLE_SINKS
from mha.screens.blocks import say
from mha.screens.heads import table
from mha.screens.heads.doing import doing
from mha.screens.heads.picture import Picture
from mha.screens.shown import Shown
from mha.ui import bound, choices
from mha.ui.away import gathered
from mha.ui.components.captions import caption
from mha.ui.heads.later import later, shown_later


def draw(picture: Picture) -> None:
    """Draw the table of the per-head statistics, whose ticks are the pins, and two files to take away."""
    shown, maps = picture.shown, picture.recording.maps
    heads, aside = table.table_heads(shown), table.settings(shown, picture.view.heads_table)
    _title(picture)
    if not heads:
        caption(table.ALL_OFF, key="table_off", style="sub")
        return
    choices.mirror_pins(shown.pins, heads)
    columns = table.table_columns(maps, heads, aside, doing(shown))
    st.dataframe(
        pa.table(columns),
        key=choices.TABLE,
        hide_index=True,
        height=36 * min(len(heads), 9) + 38,
        on_select=partial(choices.pin_rows, shown.pins, heads),
        selection_mode=["multi-row", "single-cell"],
        column_config={
            column.name: st.column_config.NumberColumn(
                None if column.label == column.name else column.label, help=column.help, format=column.format
            )
            for column in table.columns(aside)
        },
        alt=table.table_alternative(heads),
    )
    label = {column.name: column.label for column in table.columns(aside)}
    shares = {column.label: column.format for column in table.columns(aside)}
    gathered.rows("", "parallax-table", {label.get(name, name): one for name, one in columns.items()}, shares)
    line = say(table.table_caption(shown, heads, aside), sinks=table.named_sinks(shown))
    caption(line, key="table_caption")
    with st.container(horizontal=True, gap="medium"):
        _download("Download this table as CSV", later(picture, _table_file, aside), "parallax-heads.csv")
        instead = table.why_no_weights(shown)
        if not instead:
            _download("Download all weights as CSV", shown_later(picture, _weights_file), "parallax-weights.csv")
    if instead:
        caption(instead, key="weights_instead")


def _table_file(picture: Picture, aside: tuple[bool, ...]) -> bytes:
    return table.table_file(picture.recording.maps, aside)


def _weights_file(shown: Shown) -> bytes:
    return weights_csv(shown.full)


def _title(picture: Picture) -> None:
    """Draw the heading of the table, and the choice of what happens to sinks in it where there are any."""
    with gathered.titled("The same, in numbers"):
        if not picture.shown.sinks:
            return
        bound.mirror(
            st.segmented_control, "Sinks in the table", TABLE_SINKS, "table_shown", picture.view.heads_table,
            bound.into("heads_table"), label_visibility="collapsed", required=True,
            format_func={AS_DRAWN: "As in the pictures", BOTH: "Sinks aside and kept"}.__getitem__,
        )  # fmt: skip


def _download(label: str, made: Callable[[], bytes], name: str) -> None:
    """Draw the link to a file that is made when it is asked for."""
    st.download_button(label, made, file_name=name, mime="text/csv", on_click="ignore", type="tertiary")
