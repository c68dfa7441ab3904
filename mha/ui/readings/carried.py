"""The tab "What carries it": its spinner, its buttons, and where the blocks stand."""

from __future__ import annotations

import streamlit as st

from mha.engine import experiments
from mha.link.readings import Choices
from mha.screens.readings.carried import OWN, carry_blocks
from mha.screens.readings.case import Case
from mha.screens.readings.doorway import door_blocks, doorway
from mha.screens.readings.pairs import pairs_blocks
from mha.screens.readings.two_versions import measured
from mha.ui.components import blocks
from mha.ui.readings import calibrating, controls


def draw(case: Case) -> None:
    """Draw the tab."""
    found = case.ambiguity
    if found.contrast is None:
        door = doorway(case)
        acts = door.acts
        change = lambda act: controls.change_word(found, door.number, acts[act])  # noqa: E731
        blocks.draw(door_blocks(door), "carry_door", acts, change)
        return
    with st.spinner("Taking each head from the other version …", show_time=True):
        this = measured(case)
    known = experiments.calibration_of_kind(found.kind, case.row.name)
    blocks.draw(carry_blocks(this), "carry", (OWN,), _take_own_contrast)
    if known is not None:
        blocks.draw(pairs_blocks(known), "carry_pairs")
    else:
        calibrating.offer(found.kind, case.row)


def _take_own_contrast(_act: str) -> None:
    st.session_state[Choices.of("contrast").name] = ""
