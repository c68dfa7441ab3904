"""The tab "Where they look": its boxes, its table, and where the blocks stand."""

from __future__ import annotations

import streamlit as st

from mha.analysis.leaning import Leaning
from mha.analysis.readings import Leans, leans
from mha.engine import experiments
from mha.engine.habits import habit_of
from mha.engine.opened import all_brought
from mha.errors import MHAError
from mha.export.experiments import leans_table
from mha.export.provenance import Provenance
from mha.intervention.calibrated import KindCalibration
from mha.intervention.unusual import MEASURE, tried
from mha.link.pinned import BROUGHT
from mha.link.readings import MEASURES, Choices
from mha.maps import ATTENTION, AttentionMaps, HeadId
from mha.maps import BROUGHT as BROUGHT_MEASURE
from mha.screens.readings.case import Case, provenance
from mha.screens.readings.leans import PAIRS, lean_csv, lean_rows, map_blocks, twin_blocks, unusual_blocks
from mha.screens.readings.look import DOG, nothing_blocks, shuffles_said, top_blocks, two_heads_blocks
from mha.screens.readings.two_versions import calibration_of
from mha.ui import bound, boundary, share
from mha.ui.away import gathered
from mha.ui.components import blocks
from mha.ui.components.captions import caption
from mha.ui.controls import OF_THE_PAGE
from mha.ui.readings import calibrating, controls
from mha.ui.readings.headings import section

LEFT, RIGHT = "readings_left", "readings_right"
OPEN = "readings_two_open"
OTHERWISE = "*Shares in pictures of looks*, under View, draws"
DRAWN_OF = {
    ATTENTION: f"Drawn: [[weights|weight]], as shares of attention. {OTHERWISE} what looks bring instead.",
    BROUGHT_MEASURE: f"Drawn: ‖weight · value · W_O‖, as a share of its row (Kobayashi et al. 2020). {OTHERWISE} "
    "attention again.",
}


def draw(case: Case) -> None:
    """Draw the tab: what the maps say at once, and what other orders of the words say as soon as it is measured."""
    found, names, habit = case.ambiguity, [str(head) for head in case.heads()], habit_of(case.row.name)
    drawn = _drawn_of(case)
    blocks.draw(top_blocks(found, drawn, habit), "look_top")
    orders = st.container()
    ways = nothing_blocks(found, drawn, experiments.has_twin(case.row.name))
    if ways:
        blocks.draw(ways, "look_nothing", (DOG,), lambda _act: controls.take_opening_example())
    (box,) = section("Where every head leans", 7, 3)
    measure = MEASURES[bound.draw(Choices.of("measure"), box)]
    here = leans(case.maps, found.readings, measure)
    wide, beside = st.columns([62, 43], gap="large")
    with wide:
        of_map = map_blocks(found, case.maps, here, habit)
        blocks.draw(of_map, "look_map", names, lambda name: _open_the_map(name, here))
    with beside, st.spinner("Measuring the same words in 199 orders …", show_time=True):
        leaning = experiments.leaning(found.text, found.readings, case.row.name, measure)
    with beside:
        blocks.draw(unusual_blocks(leaning, tried(case.row.name) if measure == MEASURE else None), "look_orders")
    with orders:
        blocks.draw([shuffles_said(leaning)], "look_orders_said")
    _two_heads(case, drawn, leaning, names)
    _twins(case, here, measure)
    known = calibration_of(case)
    source = provenance(case, f"{len(leaning.shuffles)} other orders of the same words", share.link())
    gathered.table("Where every head leans", "parallax-leans", lambda: leans_table(leaning, source))
    _table(leaning, known, source)
    if known is None and found.compared_with:
        calibrating.offer(found.kind, case.row)


def _open_the_map(name: str, here: Leans) -> None:
    """Show a head's map, in the place of the side that it leans to."""
    st.session_state[LEFT if here.lean[HeadId.parse(name)] > 0 else RIGHT] = name
    st.session_state[OPEN] = True


def _drawn_of(case: Case) -> AttentionMaps:
    """Draw the choice of what pictures of looks are of, in the View menu; return the maps that they are drawn from."""
    with st.session_state[OF_THE_PAGE]:
        chosen = bound.draw(Choices.of("weights"))
    if chosen != BROUGHT:
        return case.maps
    try:
        with st.spinner("Weighing what looks bring …", show_time=True):
            return all_brought(case.maps.text, case.row.name, case.maps.pair).as_maps()
    except MHAError as error:
        boundary.say(f"{error} So attention is drawn.")
        return case.maps


def _two_heads(case: Case, drawn: AttentionMaps, leaning: Leaning, names: list[str]) -> None:
    """Draw two heads with their maps, in a part that is open once a head was chosen."""
    chosen = any(st.session_state.get(name) for name in (LEFT, RIGHT))
    with st.expander("Two heads with their maps", expanded=chosen, key=OPEN):
        places = st.columns([6, 2, 2])
        heads = []
        for side, place, own in zip(("left", "right"), places[1:], leaning.furthest, strict=True):
            name = bound.draw(Choices.of(side), place, options=names, placeholder=f"{own}, furthest")
            heads.append(HeadId.parse(name) if name else own)
        blocks.draw(two_heads_blocks(case.ambiguity, drawn, leaning.here, (heads[0], heads[1])), "look_two")
        caption(DRAWN_OF[drawn.measure], key="look_two_of")


def _twins(case: Case, here: Leans, measure: str) -> None:
    """Draw how far scrambled twins lean, measured once the part is opened."""
    if not experiments.has_twin(case.row.name):
        return
    part = st.expander("Beside scrambled twins", on_change="rerun", key="readings_twins")
    if not part.open:
        return
    found = case.ambiguity
    with part, st.spinner("Making five scrambled twins …", show_time=True):
        twins = experiments.twins(found.text, found.readings, case.row.name, measure)
    with part:
        blocks.draw(twin_blocks(here, twins), "look_twins")


def _table(leaning: Leaning, known: KindCalibration | None, source: Provenance) -> None:
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
        gathered.rows("Leans of every head", "parallax-leans-table", rows, two)
        caption(
            "Strengths of both links, [[lean]] and [[share|share of a lean]]; mean and spread over the "
            "[[orders|shuffled]]. [[AUC]] over the [[forced pairs|forced pair]] of this kind, with its "
            "[[interval|bootstrap interval]], where the kind has pairs.",
            key="look_table_caption",
        )
        st.download_button(
            "Download as CSV",
            lambda: lean_csv(rows, source),
            file_name="parallax-leans.csv",
            mime="text/csv",
            on_click="ignore",
            type="tertiary",
        )
