"""What a model that writes is asked for on Heads: the controls that apply to it, each a bound word."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from mha.link.heads import CHANCE, TYPED, WRITE, Choices
from mha.link.view import View
from mha.maps import HeadId
from mha.models.files.catalog import model_row
from mha.models.files.rows import ModelRow
from mha.ui import bound, choices, controls

HOW_MANY = "writing_how_many"  # where it stands how much was written


def draw(view: View, of_a_text: bool = True) -> Choices:
    """Draw what can be asked of the model, and return it; the defaults of one that writes nothing."""
    row = model_row(view.model)
    if not of_a_text:
        return Choices()
    if row.predicts == "next":
        _of_a_decoder()
    elif row.two_sided:
        _of_two_sides(row)
    chosen = bound.now(Choices, bound.shape())
    return chosen if row.predicts == "next" else replace(chosen, prompt=Choices.of("prompt").default)


def _of_a_decoder() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="writing_controls"):
        prompt = _draw("prompt")
        if prompt == WRITE:
            if _draw("how") == CHANCE:
                _draw("seed", width=110)
            _draw("most", width=110)
            st.session_state[HOW_MANY] = st.container(width="content")
    with st.session_state[controls.OF_THE_PAGE]:
        if prompt == WRITE:
            bound.draw(Choices.of("step"))


def _of_two_sides(row: ModelRow) -> None:
    if not row.predicts:
        _draw("stack", on_change=_others)
        return
    target, aim = st.columns([6, 3], vertical_alignment="bottom", gap="small")
    with aim:
        typed = _draw("aim", on_change=_others) == TYPED
    if typed:
        bound.draw(Choices.of("target"), target, placeholder="the text itself", on_change=_others)
    else:
        st.session_state[HOW_MANY] = target.container()
    _draw("stack", on_change=_others)


def _others() -> None:
    """Close the open cell: its places are others in another attention, or beside another target."""
    choices.close_cell()
    bound.forget_link_notes()


def _draw(name: str, **more: Any) -> Any:
    hidden: dict[str, Any] = {} if name in ("seed", "most", "target") else {"label_visibility": "collapsed"}
    return bound.draw(Choices.of(name), **hidden, **more)


def pin(head: HeadId) -> None:
    """Look at one head through all steps."""
    st.session_state["pins"] = [str(head)]


def go(step: int | None) -> None:
    """Keep the step at which the slider rests, counted from 0."""
    st.session_state["heads_step"] = None if step is None else step + 1


def silence(heads: tuple[HeadId, ...]) -> None:
    """Keep which heads are silenced together."""
    st.session_state["heads_silenced"] = [str(head) for head in heads]
