"""What the pinned maps are drawn of: the controls above them, and a second text read together with the sentence."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import streamlit as st

from mha.engine.opened import all_brought
from mha.errors import MHAError
from mha.link.heads import Choices
from mha.link.pinned import ALL, ATTENTION, BROUGHT
from mha.link.view import View
from mha.maps import BROUGHT as BROUGHT_MEASURE
from mha.maps import AttentionMaps, HeadId
from mha.models.files.catalog import model_row
from mha.screens.decoder.crossing import brought_of
from mha.screens.heads.picture import Picture
from mha.screens.heads.pins import Pins, pins_of
from mha.ui import bound
from mha.ui.components.captions import caption
from mha.ui.controls import BESIDE_EXAMPLES

OPEN = "pair_open"  # whether the field of the second text is shown
WORD = Choices.of("pair")


def takes_pairs(model: str) -> bool:
    """Return whether a model reads two texts together: an encoder that looks both ways, or a toy, which reads on."""
    row = model_row(model)
    return not row.causal and not row.two_sided


def second_text(view: View) -> str | None:
    """Draw the field of the second text where the model takes one and it is asked for; return the text, None without.

    Without it the word stands in the View menu, so that a link keeps it.
    """
    state = st.session_state
    asked = state.get(OPEN) or state.get(WORD.name) or WORD.name in bound.in_address()
    if not takes_pairs(view.model):
        if state.get(WORD.name):
            caption(f"{model_row(view.model).short} reads one text; the second one waits.", key="pair_waits")
        return None
    if not asked:
        with state[BESIDE_EXAMPLES]:
            st.button("A second text", type="tertiary", on_click=_open, key="pair_way_in")
        return None
    text = bound.draw(WORD)
    return text if (text or "").strip() else None


def _open() -> None:
    st.session_state[OPEN] = True


def drawn(picture: Picture, offered: bool) -> Pins:
    """Draw the choices above the pinned maps and return what is drawn; ``offered`` where a model can be asked more.

    Of another stack of an encoder–decoder it can be asked what looks bring.
    """
    shown, maps = picture.shown, picture.recording.maps
    offered, two_texts = offered or bool(picture.stack), maps.pair is not None and not picture.stack
    weighed, between = ATTENTION, ALL
    whole = shown.full.measure == BROUGHT_MEASURE  # then the pinned maps are, too
    if offered:
        with _row() if two_texts else nullcontext():  # alone it needs none
            if not whole:
                weighed = bound.draw(Choices.of("weighed"), label_visibility="collapsed")
            if two_texts:
                between = bound.draw(Choices.of("between"), label_visibility="collapsed", wrap=True)
    brought, why = None, ""
    if weighed == BROUGHT:
        try:
            brought = _brought(picture)
        except MHAError as error:
            why = f"{error} So attention is drawn."
    found = pins_of(shown, picture.view, brought, between, all_can=not picture.stack)
    if why or found.note:
        caption(" ".join(filter(None, (why, found.note))), key="pinned_of_what")
    return found


def _brought(picture: Picture) -> AttentionMaps:
    model, maps = picture.view.model, picture.recording.maps
    if not picture.stack:
        return all_brought(maps.text, model, maps.pair).as_maps()
    target = picture.recording.target
    return brought_of(picture, all_brought(picture.source, model, None, picture.stack, target))


def _row() -> AbstractContextManager[object]:
    return st.container(horizontal=True, vertical_alignment="center", gap="small", key="pinned_of")


def on_axis(places: tuple[int, ...], action: Callable[[int | None], None]) -> Callable[[int | None], None]:
    """Return an action on a position of a drawn axis as one on the shown axis that it was taken from."""
    return lambda position: action(None if position is None else places[position])


def on_axes(
    rows: tuple[int, ...], columns: tuple[int, ...], action: Callable[[HeadId, int, int], None]
) -> Callable[[HeadId, int, int], None]:
    """Return an action on a cell of a drawn map as one on the shown map that it was taken from."""
    return lambda head, row, column: action(head, rows[row], columns[column])
