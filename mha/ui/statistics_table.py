"""The table of the per-head statistics: one row a head, a click pins it, and a file to take away."""

from __future__ import annotations

from typing import Any

import streamlit as st

from mha.analysis.statistics import STATISTICS, head_statistics
from mha.export import statistics_csv
from mha.maps import AttentionMaps
from mha.screens.shown import Shown
from mha.ui import choices
from mha.ui.components.captions import caption


def statistics_table(shown: Shown, merged: AttentionMaps) -> None:
    """Draw the table of the per-head statistics, with a download; a click on a row pins the head."""
    st.header("The same, in numbers", anchor=False)
    statistics = head_statistics(merged)
    heads = [head for head in merged.heads if head not in shown.off]
    if not heads:
        caption("Every head is switched off. Choose one above, or press All back.", key="table_off", style="sub")
        return
    heads.sort(key=lambda head: (head not in shown.pins, shown.pins.index(head) if head in shown.pins else 0))
    rows: dict[str, list] = {"Head": [str(head) for head in heads]}
    for row in STATISTICS:
        values = statistics[row.key] * (100 if row.unit == "share" else 1)
        rows[row.title] = [float(values[head]) for head in heads]
    st.dataframe(
        rows,
        key="statistics",
        hide_index=True,
        height=36 * min(len(heads), 9) + 38,
        on_select=lambda: choices.row_chosen(shown.pins, heads),
        selection_mode=["single-row", "single-cell"],
        column_config=_columns(),
        alt=f"Statistics of {len(heads)} heads, one row each; the downloaded file has the same numbers.",
    )
    caption(
        f"Words, with sinks kept; [[sinks|sink]] are set aside for the [[largest weight]] only. {len(heads)} of "
        f"{len(merged.heads)} heads, pinned ones first. Click a row to pin its head.",
        key="table_caption",
    )
    st.download_button(
        "Download all as CSV",
        statistics_csv(merged, statistics=statistics),
        file_name="parallax-heads.csv",
        mime="text/csv",
        on_click="ignore",
        type="tertiary",
    )


def _columns() -> dict[str, Any]:
    kinds = {"share": "%.0f\u00a0%%", "bits": "%.2f", "words": "%.2f"}
    return {
        row.title: st.column_config.NumberColumn(
            row.title if row.unit == "share" else f"{row.title}, {row.unit}",
            help=f"{row.formula}. {row.range} {'' if row.unit == 'share' else row.unit}. {row.source}.",
            format=kinds[row.unit],
        )
        for row in STATISTICS
    }
