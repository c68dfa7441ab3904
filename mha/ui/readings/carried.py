"""The tab "What carries it": its spinner, its buttons, and where the blocks stand."""

from __future__ import annotations

import streamlit as st

from mha.export.experiments import carried_table
from mha.screens.readings.carried import DOG, FORCES, OVER_PAIRS, OWN, carry_blocks
from mha.screens.readings.case import Case, provenance
from mha.screens.readings.doorway import door_blocks, doorway
from mha.screens.readings.effect import brought
from mha.screens.readings.pairs import pairs_blocks
from mha.screens.readings.states import State, state_of
from mha.screens.readings.two_versions import calibration_of, moved, shared
from mha.ui import share
from mha.ui.away import gathered
from mha.ui.components import blocks
from mha.ui.components.events import second_word_event
from mha.ui.readings import calibrating, controls

SHOWN = "readings_over_pairs"  # whether what is told over pairs is shown where nothing is told of the sentence


def draw(case: Case) -> None:
    """Draw the tab."""
    found = case.ambiguity
    if found.contrast is None:
        door = doorway(case)
        acts = door.acts
        change = lambda act: controls.change_word(found, door.number, acts[act])  # noqa: E731
        blocks.draw(door_blocks(door), "carry_door", acts, change)
        return
    with st.spinner("Reading the score of both versions …", show_time=True):
        move = moved(case)
    assert move is not None
    with st.spinner("Taking each head from the other version …", show_time=True):
        this = shared(case, move)
        effect = None if this is None else brought(this, case.row.name)
    patch = None if this is None else this.patch
    if patch is not None:
        source = provenance(case, "what three other heads of a layer carry stands on the page", share.link())
        gathered.table("What each head carries", "parallax-carried", lambda: carried_table(patch, source))
    known, state = calibration_of(case), state_of(move)
    over_pairs = bool(st.session_state.get(SHOWN))
    blocks.draw(
        carry_blocks(found, move, this, known, over_pairs, effect),
        "carry",
        ACTS,
        lambda act: ACTS[act](act),
        on_second_change=second_word_event("carry", controls.give_second_word),
    )
    if state is State.NO_FLOOR:
        calibrating.offer(found.kind, case.row)
    if known is not None and (state.shares or over_pairs):
        blocks.draw(pairs_blocks(known), "carry_pairs")


def _show_over_pairs(_act: str) -> None:
    st.session_state[SHOWN] = not st.session_state.get(SHOWN)


ACTS = {
    OWN: lambda _act: controls.take_own_contrast(),
    OVER_PAIRS: _show_over_pairs,
    DOG: lambda _act: controls.take_opening_example(),
    **dict.fromkeys(FORCES, lambda act: controls.say_what_it_forces(FORCES[act])),
}
