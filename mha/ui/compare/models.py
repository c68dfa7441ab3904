"""Change a word, one text on two models: the sections in the order of the page."""

from __future__ import annotations

import streamlit as st

from mha import engine
from mha.engine.opened import all_brought
from mha.errors import InputError, MHAError
from mha.link.compare import Choices
from mha.link.pinned import BROUGHT
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId
from mha.models.files.catalog import model_row
from mha.screens.compare import models
from mha.screens.compare.brings import Both
from mha.screens.compare.models import TwoModels
from mha.ui import boundary, choices, share
from mha.ui.away import gathered
from mha.ui.components import blocks
from mha.ui.components.captions import caption, copy_link

SAME = "Both sides are the same model. Choose another one as the second."


def compared(view: View, text: str, other: str) -> TwoModels:
    """Return both models on a text; stop with a sentence where they cannot be compared."""
    if other == view.model:
        boundary.say(SAME)
        st.stop()
    try:
        with st.spinner("Looking at both sides …", show_time=True):
            maps = _recorded(text, view.model), _recorded(text, other)
            return models.two_models(view, (model_row(view.model), model_row(other)), maps)
    except InputError as error:
        boundary.say(f"{error} Both models have to read the same words: choose another model, or change the sentence.")
        st.stop()


def _recorded(text: str, model: str) -> AttentionMaps:
    recording = engine.record(engine.Request(text, model))
    for note in recording.notes:
        boundary.say(note)
    return recording.maps


def _weighed(case: TwoModels) -> Both | None:
    """Return the maps of what looks bring, where they were asked for and both models tell."""
    if st.session_state.get(Choices.of("weights").name) != BROUGHT:
        return None
    try:
        with st.spinner("Weighing what looks bring …", show_time=True):
            first, second = (
                all_brought(maps.text, row.name, None).as_maps() for maps, row in zip(case.maps, case.rows, strict=True)
            )
    except MHAError as error:
        boundary.say(f"{error} So attention is drawn.")
        return None
    return first, second


def draw(case: TwoModels) -> None:
    """Draw what is said of both, a map of each, the pinned heads beside their nearest, and where it comes from."""
    blocks.draw(models.top_blocks(case), "models_top")
    names = {str(head) for head in case.maps[0].heads}
    blocks.draw(models.map_blocks(case), "models_maps", names, lambda name: choices.pick(case.pins, HeadId.parse(name)))
    blocks.draw(models.pin_blocks(case, _weighed(case) if case.pins else None), "models_pins")
    caption(*models.foot_said(case), key="changes_foot", style="wide")
    address = share.link()
    gathered.table("Every head and its nearest", "parallax-models", lambda: models.nearest_table(case, address))
    copy_link("changes_copy")
