"""The bound controls of Step by step, and the functions that write their keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from mha.link.steps import ITS_OWN, MINE, MODEL, STEPS, TOY, Choices
from mha.link.view import DEFAULT_TEXT
from mha.ui import bound
from mha.ui.components.flow import arrow_keys

CELL_OF = "steps_cell_of"  # the text and model whose cell is followed
LEFT_FOR_ITS_OWN = "steps_left_for_its_own"  # the text that stood there while the toy's own words were chosen
PLACES = {"steps_head": "head", "steps_query": "looks from", "steps_key": "looks at"}


def draw_source() -> None:
    """Draw where the numbers come from, and the settings that the link carries.

    A sentence that is typed is walked through, here or on the page before this one, unless the reader has left it for
    the toy's own words; a link says what it says.
    """
    state = st.session_state
    about = (state["text"], state["model"])
    before = state.get(CELL_OF, about)
    if before != about:
        forget_cell()
    typed_here = before[0] != about[0] and bound.stayed()
    comes_along = bound.came_from_another() and about[0] not in (DEFAULT_TEXT, state.get(LEFT_FOR_ITS_OWN))
    if typed_here or (comes_along and "steps_words" not in st.query_params):
        state["steps_words"] = MINE
    state[CELL_OF] = about
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="steps_source"):
        bound.draw(Choices.of("numbers"), format_func=str)
        if st.session_state["steps_numbers"] == TOY:
            bound.draw(Choices.of("layer"), width=230, on_change=forget_cell)
            bound.draw(Choices.of("words"), on_change=forget_cell)
            state[LEFT_FOR_ITS_OWN] = about[0] if state["steps_words"] == ITS_OWN else None
        with st.popover("Seed, edits, cell"):
            for name in ("seed", "edits", "editing"):
                bound.draw(Choices.of(name))
            st.caption("The followed cell, by number from 0")
            for name in ("in_layer", "head", "query", "key"):
                bound.draw(Choices.of(name))


def draw_steps() -> None:
    """Draw the steps with the place of the current one, Back and Next; the arrow keys do the same."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="steps_bar"):
        bound.draw(Choices.of("step"), wrap=True, label_visibility="collapsed", width="stretch")
        at = STEPS.index(st.session_state["steps_step"])
        keys = (None, None) if st.session_state.get("steps_editing") else ("Left", "Right")
        st.button("Back", key="steps_back", on_click=move, args=(-1,), disabled=at == 0, shortcut=keys[0])
        st.button("Next", key="steps_next", on_click=move, args=(1,), disabled=at == len(STEPS) - 1, shortcut=keys[1])
    with st.container(key="steps_progress"):
        st.progress((at + 1) / len(STEPS), text=f"Step {at + 1} of {len(STEPS)}")
        arrow_keys(at)


def draw_onward() -> None:
    """Draw the way on under a step, so that nobody has to go back up for it; after the last, to what comes next."""
    at = STEPS.index(st.session_state["steps_step"])
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="steps_onward"):
        if at + 1 < len(STEPS):
            st.button(f"On to {STEPS[at + 1]}", key="steps_on", on_click=move, args=(1,))
        elif st.session_state["steps_numbers"] == TOY:
            st.button("The same walk with a model’s numbers", key="steps_with_model", on_click=_walk_with_model)
        else:
            st.page_link("training.py", label="Watch heads learn such numbers")


def _walk_with_model() -> None:
    st.session_state["steps_numbers"], st.session_state["steps_step"] = MODEL, STEPS[0]
    forget_cell()


def draw_switches() -> None:
    """Draw what can be switched on the way; each takes effect in every step after it."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="steps_switches"):
        for name in ("positions", "scale", "mask"):
            bound.draw(Choices.of(name))
        bound.draw(Choices.of("temperature"), width=220)


def choices(text: str) -> Choices:
    """Return what the controls say now, with the frame's sentence."""
    return replace(bound.now(Choices), text=text)


def move(by: int) -> None:
    """Go a number of steps on or back."""
    bound.forget_link_notes()
    at = STEPS.index(st.session_state["steps_step"]) + by
    st.session_state["steps_step"] = STEPS[min(max(at, 0), len(STEPS) - 1)]


def follow(head: int, query: int, key: int) -> None:
    """Follow another cell."""
    st.session_state["steps_head"], st.session_state["steps_query"], st.session_state["steps_key"] = head, query, key


def forget_cell() -> None:
    """Other words or heads: the app chooses the cell again."""
    for key in (*PLACES, "steps_in_layer"):
        st.session_state[key] = None
    bound.forget_link_notes()


def draw_cell(heads: Sequence[int], words: Sequence[str], keys: Sequence[str], cell: tuple[int, int, int]) -> None:
    """Draw the choice of the followed cell: its head, the word that looks, the word that is looked at."""
    options = dict(zip(PLACES, (heads, range(len(words)), range(len(keys))), strict=True))
    named = {"steps_head": lambda head: f"head {head}", "steps_query": words.__getitem__, "steps_key": keys.__getitem__}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="steps_cell"):
        for (key, label), at in zip(PLACES.items(), cell, strict=True):
            bound.mirror(
                st.selectbox, label.capitalize(), options[key], f"{key}_shown", at, bound.into(key),
                format_func=named[key], width=156,
            )  # fmt: skip


def draw_layer(n_layers: int, layer: int) -> None:
    """Draw the choice of the model's layer in which the cell lies."""
    if n_layers < 2:
        return
    bound.mirror(
        st.selectbox, "Layer", range(n_layers), "steps_in_layer_shown", layer, bound.into("steps_in_layer"),
        format_func=lambda at: f"layer {at}", width=156,
    )  # fmt: skip
