"""The tab "Where they look": its boxes, its table, and where the blocks stand."""

from __future__ import annotations

import streamlit as st

from mha.analysis.leaning import Leaning
from mha.engine import experiments
from mha.intervention.calibrated import KindCalibration
from mha.link.readings import MEASURES, Choices
from mha.maps import HeadId
from mha.screens.readings.case import Case
from mha.screens.readings.leans import PAIRS, lean_csv, lean_rows, map_blocks, strip_blocks
from mha.screens.readings.look import DOG, looking, top_blocks, two_heads_blocks
from mha.ui import bound
from mha.ui.components import blocks
from mha.ui.components.captions import caption
from mha.ui.readings import calibrating, controls
from mha.ui.readings.headings import section


def draw(case: Case) -> None:
    """Draw the tab."""
    found, model, names = case.ambiguity, case.row.name, [str(head) for head in case.heads()]
    top, two, leans = st.container(), st.container(), st.container()
    with leans:
        (box,) = section("Where every head leans, beside its controls", 7, 3)
        measure = bound.draw(Choices.of("measure"), box)
    with st.spinner("Measuring this sentence, its shuffles and the scrambled twin …", show_time=True):
        leaning = experiments.leaning(found.text, found.readings, model, MEASURES[measure])
    with two:
        this = looking(found, case.maps, leaning, _two_heads(names, leaning.furthest))
        blocks.draw(two_heads_blocks(this), "look_two")
    known = experiments.calibration_of_kind(found.kind, model)
    with top:
        blocks.draw(top_blocks(this, known), "look_verdict", (DOG,), lambda _act: controls.open_the_dog())
    with leans:
        drawn = [*map_blocks(leaning, this.heads), *strip_blocks(leaning, found.names)]
        blocks.draw(drawn, "look_controls", names, lambda name: _put_in_picture(name, leaning))
    _table(leaning, known)
    if known is None:
        calibrating.offer(found.kind, case.row)


def _put_in_picture(name: str, leaning: Leaning) -> None:
    """Put a head into the picture of the side that it leans to."""
    to_a = leaning.here.lean[HeadId.parse(name)] > 0
    st.session_state["readings_left" if to_a else "readings_right"] = name


def _two_heads(names: list[str], own: tuple[HeadId, HeadId]) -> list[HeadId | None]:
    """Draw the heading with a box for each picture; return what was chosen."""
    places = section("The two that lean furthest", 6, 2, 2)
    chosen = [
        bound.draw(Choices.of(side), place, options=names, placeholder=f"{head}, furthest")
        for side, place, head in zip(("left", "right"), places, own, strict=True)
    ]
    return [HeadId.parse(name) if name else None for name in chosen]


def _table(leaning: Leaning, known: KindCalibration | None) -> None:
    count = leaning.here.a.size
    two = dict.fromkeys(("a", "b", "lean", "share", "shuffled", *PAIRS), "%.2f") | {"spread": "%.3f"}
    with st.expander(f"All {count} heads in a table, with CSV"):
        rows = lean_rows(leaning, known)
        st.dataframe(
            rows,
            hide_index=True,
            height=36 * 10 + 38,
            column_config={name: st.column_config.NumberColumn(name, format=two[name]) for name in rows if name in two},
            alt=f"Leans of {count} heads, one row each; the downloaded file has the same numbers.",
        )
        caption(
            "Strengths of both links, [[lean]] and [[share|share of a lean]]; mean and spread over the "
            "[[shuffles|shuffled]]. [[AUC]] over the [[forced pairs|forced pair]] of this kind, with its "
            "[[interval|bootstrap interval]], where the kind has pairs.",
            key="look_table_caption",
        )
        st.download_button(
            "Download as CSV",
            lambda: lean_csv(rows),
            file_name="parallax-leans.csv",
            mime="text/csv",
            on_click="ignore",
            type="tertiary",
        )
