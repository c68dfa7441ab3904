"""The bound controls of Step by step, and the callbacks that write their keys.

As in `controls`: every word of the link is one widget with ``bind="query-params"``; what is prettier mirrors it.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha.link.view import MAX_POSITION
from mha.screens.steps.lesson import LAYERS, MASKS, MODEL, STEPS, TOY, WORDS, Choices
from mha.screens.steps.link import MOST_SEED, link_notes
from mha.ui import boundary
from mha.ui.components.flow import arrow_keys

CELL_OF = "steps_cell_of"  # the text and model whose cell is followed
PLACES = {"steps_head": "head", "steps_query": "looks from", "steps_key": "looks at"}


def draw_source() -> None:
    """Draw where the numbers come from, and the settings that the link carries."""
    if "steps_link_notes" not in st.session_state:
        st.session_state["steps_link_notes"] = link_notes(dict(st.query_params))
    for note in st.session_state["steps_link_notes"]:
        boundary.say(note)
    about = (st.session_state["text"], st.session_state["model"])
    if st.session_state.get(CELL_OF, about) != about:
        forget_cell()
    st.session_state[CELL_OF] = about
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="steps_source"):
        st.segmented_control(
            "Numbers from", (TOY, MODEL), default=TOY, required=True, key="steps_numbers", bind="query-params",
            format_func=str,
        )  # fmt: skip
        if st.session_state["steps_numbers"] == TOY:
            _draw_layer_and_words()
        with st.popover("Seed, edits, cell"):
            _draw_rest()


def _draw_layer_and_words() -> None:
    st.selectbox(
        "Layer of the toy", list(LAYERS), key="steps_layer", bind="query-params", width=230, on_change=forget_cell
    )
    st.segmented_control(
        "Words of the toy", WORDS, default=WORDS[0], required=True, key="steps_words", bind="query-params",
        on_change=forget_cell,
    )  # fmt: skip


def _draw_rest() -> None:
    st.number_input(
        "Seed of the toy’s numbers", 0, MOST_SEED, value=None, step=1, key="steps_seed", placeholder="the layer’s own",
        bind="query-params",
    )  # fmt: skip
    st.text_input(
        "Edits, as the link has them", value="", key="steps_edits", max_chars=2000, bind="query-params",
        placeholder="none; for example Q0.1.2=-0.5",
    )  # fmt: skip
    st.toggle("Show the numbers to edit them", value=False, key="steps_editing", bind="query-params")
    st.caption("The followed cell, by number from 0")
    for key, label in {"steps_in_layer": "layer (model)", **PLACES}.items():
        st.number_input(
            label.capitalize(), 0, MAX_POSITION, value=None, step=1, key=key, placeholder="chosen for you",
            bind="query-params",
        )  # fmt: skip


def draw_steps() -> None:
    """Draw the steps with the place of the current one, Back and Next; the arrow keys do the same."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="steps_bar"):
        st.pills(
            "Step", STEPS, default=STEPS[0], required=True, key="steps_step", bind="query-params", wrap=True,
            label_visibility="collapsed", width="stretch",
        )  # fmt: skip
        at = STEPS.index(st.session_state["steps_step"])
        keys = (None, None) if st.session_state.get("steps_editing") else ("Left", "Right")
        st.button("Back", key="steps_back", on_click=move, args=(-1,), disabled=at == 0, shortcut=keys[0])
        st.button("Next", key="steps_next", on_click=move, args=(1,), disabled=at == len(STEPS) - 1, shortcut=keys[1])
    with st.container(key="steps_progress"):
        st.progress((at + 1) / len(STEPS), text=f"Step {at + 1} of {len(STEPS)}")
        arrow_keys()


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
        st.toggle("Positions (step 2)", value=False, key="steps_positions", bind="query-params")
        st.toggle("÷ √d_head (step 5)", value=True, key="steps_scale", bind="query-params")
        st.segmented_control(
            "Mask (step 6)", MASKS, default=MASKS[0], required=True, key="steps_mask", bind="query-params"
        )
        st.slider("Temperature (step 7)", 0.1, 5.0, 1.0, 0.1, key="steps_temperature", bind="query-params", width=220)


def choices(text: str) -> Choices:
    """Return what the controls say now, with the frame's sentence."""
    state = st.session_state
    names = ("step", "numbers", "layer", "words", "positions", "scale", "mask", "temperature", "seed", "edits")
    said = {name: state.get(f"steps_{name}") for name in (*names, "head", "query", "key")}
    default = Choices()
    return Choices(
        text=text, **{name: getattr(default, name) if value is None else value for name, value in said.items()}
    )


def move(by: int) -> None:
    """Go a number of steps on or back."""
    st.session_state["steps_link_notes"] = ()
    at = STEPS.index(st.session_state["steps_step"]) + by
    st.session_state["steps_step"] = STEPS[min(max(at, 0), len(STEPS) - 1)]


def follow(head: int, query: int, key: int) -> None:
    """Follow another cell."""
    st.session_state["steps_head"], st.session_state["steps_query"], st.session_state["steps_key"] = head, query, key


def forget_cell() -> None:
    """Other words or heads: the app chooses the cell again."""
    for key in (*PLACES, "steps_in_layer"):
        st.session_state[key] = None


def draw_cell(heads: Sequence[int], words: Sequence[str], keys: Sequence[str], cell: tuple[int, int, int]) -> None:
    """Draw the choice of the followed cell: its head, the word that looks, the word that is looked at."""
    options = dict(zip(PLACES, (heads, range(len(words)), range(len(keys))), strict=True))
    named = {"steps_head": lambda head: f"head {head}", "steps_query": words.__getitem__, "steps_key": keys.__getitem__}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="steps_cell"):
        for (key, label), at in zip(PLACES.items(), cell, strict=True):
            shown = f"{key}_shown"
            st.session_state[shown] = at
            st.selectbox(
                label.capitalize(), list(options[key]), key=shown, format_func=named[key], on_change=_mirror,
                args=(key,), width=156,
            )  # fmt: skip


def draw_layer(n_layers: int, layer: int) -> None:
    """Draw the choice of the model's layer in which the cell lies."""
    if n_layers < 2:
        return
    st.session_state["steps_in_layer_shown"] = layer
    st.selectbox(
        "Layer", list(range(n_layers)), key="steps_in_layer_shown", format_func=lambda at: f"layer {at}",
        on_change=_mirror, args=("steps_in_layer",), width=156,
    )  # fmt: skip


def _mirror(key: str) -> None:
    st.session_state[key] = st.session_state[f"{key}_shown"]
